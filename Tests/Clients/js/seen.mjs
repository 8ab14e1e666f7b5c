// Snapshots that are waited for, comparisons and names: for scripts of the JS SDK, in Node and in a page.

// Milliseconds; for a state, not for a speed.
const PATIENCE = 60_000;

let names = 0;
/** A name that no other check and no other run uses. */
export const fresh = (prefix) => `${prefix}_${Date.now().toString(36)}_${Math.random().toString(36).slice(2, 8)}_${names++}`;

export function equal(actual, expected, what = 'value') {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: ${left} instead of ${right}`);
}

/** Runs checks one after the other, `after` each of them, prints a line each, and ends the program. Of Node. */
export async function runAll(checks, after = async () => {}) {
  let passed = 0;
  let failed = 0;
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
      passed += 1;
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}: ${error.stack.split('\n').slice(0, 3).join(' | ')}`);
    }
    await after();
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}

/** The class `Seen` over an SDK: every snapshot that a listener was given, in a form that is easily compared. */
export function listening(fs) {
  return class Seen {
    constructor(target, options = {}) {
      this.snapshots = [];
      this.error = null;
      this.waiting = [];
      this.stop = fs.onSnapshot(
        target, options,
        (snapshot) => { this.snapshots.push(Seen.plain(snapshot)); this.wake(); },
        (error) => { this.error = error; this.wake(); });
    }

    static plain(snapshot) {
      const flags = { pending: snapshot.metadata.hasPendingWrites, cache: snapshot.metadata.fromCache };
      if (!snapshot.docs) return { data: snapshot.exists() ? snapshot.data() : null, ...flags };
      return {
        ids: snapshot.docs.map((d) => d.id),
        data: Object.fromEntries(snapshot.docs.map((d) => [d.id, d.data()])),
        changes: snapshot.docChanges().map((c) => `${c.type} ${c.doc.id}`), ...flags,
      };
    }

    wake() { for (const test of this.waiting) test(); }

    get last() { return this.snapshots.at(-1); }

    /** Resolves with the newest snapshot as soon as `holds` is true of it. */
    until(what, holds) {
      return this.wait(what, () => (this.last && holds(this.last) ? this.last : undefined));
    }

    /** Resolves with the error that ended the listener. */
    failure() { return this.wait('an error', () => this.error ?? undefined); }

    wait(what, find) {
      return new Promise((resolve, reject) => {
        const end = () => { this.waiting = this.waiting.filter((test) => test !== look); clearTimeout(timer); };
        const look = () => {
          const found = find();
          if (found !== undefined) { end(); resolve(found); }
        };
        const timer = setTimeout(() => {
          end();
          reject(new Error(`never saw ${what}; last: ${JSON.stringify(this.last)}, error: ${this.error?.code}`));
        }, PATIENCE);
        this.waiting.push(look);
        look();
      });
    }
  };
}
