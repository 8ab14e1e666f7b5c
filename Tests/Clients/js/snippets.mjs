// The snippets of a pack's page, run as they stand there.
import { readFileSync } from 'node:fs';
import { fs, host, port } from './checks.mjs';

const AsyncFunction = (async () => {}).constructor;

/** The code of a pack's page in docs/packs, by the first words of each snippet's first line. */
export function snippets(pack) {
  const page = readFileSync(new URL(`../../../docs/packs/${pack}.md`, import.meta.url), 'utf8');
  const all = [...page.matchAll(/```js\n([^]*?)```/g)].map((match) => match[1]);
  const unused = new Set(all);

  /** Runs the snippet that begins with a comment of these words, with these names; returns what it declares. */
  async function run(words, names) {
    const code = all.find((one) => one.startsWith(`// ${words}`));
    if (!code) throw new Error(`the page has no snippet "${words}"`);
    unused.delete(code);
    const declared = [...code.matchAll(/^(?:const|(?:async )?function) (\w+)/gm)].map((match) => match[1]);
    const given = Object.entries({ ...fs, ...names }).filter(([name]) => !declared.includes(name));
    const body = `${code}\nreturn { ${declared.join(', ')} };`;
    return new AsyncFunction(...given.map(([name]) => name), body)(...given.map(([, value]) => value));
  }

  return { run, unused: () => [...unused].map((code) => code.split('\n')[0]) };
}

/** Waits until triggers have made it so; returns what `condition` returned. */
export async function eventually(what, condition) {
  const end = Date.now() + 60_000;
  for (;;) {
    const found = await condition();
    if (found) return found;
    if (Date.now() > end) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** The rules must say no. */
export async function denied(promise) {
  const code = await promise.then(() => 'nothing', (error) => error.code);
  if (code !== 'permission-denied') throw new Error(`the rules said ${code} to what they must deny`);
}

/** Writes a document past the rules, as the app's own servers do. `fields`: in the form of the REST API. */
export async function writeAsServer(project, path, fields) {
  const answer = await fetch(`http://${host}:${port}/v1/projects/${project}/databases/(default)/documents/${path}`, {
    method: 'PATCH', headers: { authorization: 'Bearer owner' }, body: JSON.stringify({ fields }),
  });
  if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
}
