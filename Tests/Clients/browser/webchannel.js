// The streams of a page, spoken by hand: what the SDK sends and what it must be answered, request by request.
//
// The requests are those of recorded sessions of the Firebase JS SDK 12.3.0; nothing of it is needed here. The address
// says ?server=HOST:PORT; webchannel.py runs the checks.
import { equal, fresh } from '/js/seen.mjs';

const server = new URLSearchParams(location.search).get('server');
const PROJECT = 'demo-webchannel';
// Milliseconds: after PATIENCE something was never sent; within QUIET nothing may come.
const PATIENCE = 20_000;
const QUIET = 400;

const pause = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });
const database = (project) => `projects/${project}/databases/(default)`;

/** Cuts text into frames: a decimal length in UTF-16 units, a line feed, that many units. */
class Frames {
  constructor() {
    this.text = '';
    this.bytes = 0;
    this.ascii = true;
    this.decoder = new TextDecoder('utf-8', { fatal: true });
  }

  /** The payloads that are complete with these bytes; none must be broken off when `last`. */
  take(bytes, last = false) {
    this.bytes += bytes?.length ?? 0;
    this.ascii &&= !bytes?.some((byte) => byte > 127);
    this.text += last ? this.decoder.decode() : this.decoder.decode(bytes, { stream: true });
    const payloads = [];
    for (;;) {
      const end = this.text.indexOf('\n');
      const head = end < 0 ? this.text : this.text.slice(0, end);
      if (!/^[0-9]*$/.test(head)) throw new Error(`no length: ${JSON.stringify(this.text.slice(0, 80))}`);
      if (end < 0 || this.text.length < end + 1 + Number(head)) break;
      payloads.push(JSON.parse(this.text.slice(end + 1, end + 1 + Number(head))));
      this.text = this.text.slice(end + 1 + Number(head));
    }
    if (last && this.text) throw new Error(`ended inside a frame: ${JSON.stringify(this.text.slice(0, 80))}`);
    return payloads;
  }
}

async function wholeFrames(answer) {
  const frames = new Frames();
  return [...frames.take(new Uint8Array(await answer.arrayBuffer())), ...frames.take(undefined, true)];
}

/** An open GET: what has come so far, and whether it has ended. */
class BackChannel {
  constructor(url) {
    this.arrays = [];
    this.ended = null;
    this.frames = new Frames();
    this.waiting = new Set();
    this.aborter = new AbortController();
    this.began = performance.now();
    this.running = this.read(url);
  }

  async read(url) {
    try {
      const answer = await fetch(url, { credentials: 'include', signal: this.aborter.signal });
      this.status = answer.status;
      if (answer.status !== 200) {
        this.body = await answer.text();
      } else {
        const reader = answer.body.getReader();
        for (;;) {
          const { value, done } = await reader.read();
          for (const payload of this.frames.take(value, done)) this.arrays.push(...payload);
          this.firstByte ??= performance.now() - this.began;
          this.wake();
          if (done) break;
        }
        if (!this.frames.bytes) throw new Error('an answer 200 without a byte');
      }
      this.ended = 'cleanly';
    } catch (error) {
      this.ended = error.name === 'AbortError' ? 'aborted' : `${error}`;
    }
    this.took = performance.now() - this.began;
    this.wake();
  }

  wake() { for (const test of this.waiting) test(); }

  until(what, find, patience = PATIENCE) {
    return new Promise((resolve, reject) => {
      const finish = (settle, value) => { this.waiting.delete(look); clearTimeout(timer); settle(value); };
      const look = () => { const found = find(); if (found) finish(resolve, found); };
      const timer = setTimeout(() => finish(reject, new Error(
        `never saw ${what}; ${this.status}, ended: ${this.ended}, arrays: ${JSON.stringify(this.arrays).slice(0, 600)}`)), patience);
      this.waiting.add(look);
      look();
    });
  }

  /** The message of the first array for which this holds. */
  message(what, holds) {
    return this.until(what, () => this.messages.find(holds));
  }

  /** How it ended. */
  end(patience) { return this.until('the end', () => this.ended, patience); }

  abort() { this.aborter.abort(); return this.running; }

  get messages() { return this.arrays.map(([, payload]) => payload[0]).filter((message) => message !== 'noop'); }
  get noops() { return this.arrays.filter(([, payload]) => payload[0] === 'noop').length; }
  get ids() { return this.arrays.map(([id]) => id); }
}

/** One session: its handshake, what goes forward, its back channels. */
class Channel {
  constructor(stream = 'Listen', project = PROJECT) {
    this.stream = stream;
    this.project = project;
    this.rid = Math.floor(Math.random() * 100_000);
    this.next = 0;
  }

  url(parameters) {
    const all = { VER: 8, database: database(this.project), ...parameters, zx: Math.random().toString(36).slice(2), t: 1 };
    const query = Object.entries(all).map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
    return `http://${server}/google.firestore.v1.Firestore/${this.stream}/channel?${query}`;
  }

  form(messages, { ofs = this.next, first = 0, token } = {}) {
    const parts = [];
    if (token !== undefined && token !== null) {
      const lines = ['X-Goog-Api-Client:gl-js/ fire/12.3.0', 'Content-Type:text/plain', ...(token ? [`Authorization:Bearer ${token}`] : [])];
      parts.push(`headers=${encodeURIComponent(lines.map((line) => `${line}\r\n`).join(''))}`);
    }
    parts.push(`count=${messages.length}`);
    if (messages.length) parts.push(`ofs=${ofs}`);
    messages.forEach((message, k) => {
      const text = typeof message === 'string' ? message : JSON.stringify({ database: database(this.project), ...message });
      parts.push(`req${first + k}___data__=${encodeURIComponent(text)}`);
    });
    this.next = Math.max(this.next, ofs + first + messages.length);
    return parts.join('&');
  }

  async send(url, body) {
    return fetch(url, { method: 'POST', body, credentials: 'include', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } });
  }

  /** Begins the session; answers what came back. With `token: null` the body has no headers at all. */
  async open(messages = [], { token = '', parameters = {} } = {}) {
    const answer = await this.send(this.url({ RID: this.rid++, CVER: 22, 'X-HTTP-Session-Id': 'gsessionid', ...parameters }),
      this.form(messages, { token }));
    equal(answer.status, 200, 'status of the handshake');
    const frames = await wholeFrames(answer);
    this.sid = frames[0]?.[0]?.[1]?.[1];
    return frames;
  }

  /** Sends messages; answers `[open, last, bytes]`. */
  async forward(messages, { aid = 0, ...options } = {}) {
    const answer = await this.send(this.url({ SID: this.sid, RID: this.rid++, AID: aid }), this.form(messages, options));
    equal(answer.status, 200, 'status of the forward request');
    const frames = await wholeFrames(answer);
    equal(frames.length, 1, 'frames of the forward answer');
    return frames[0];
  }

  back({ aid = 0, polling = false, ...more } = {}) {
    return new BackChannel(this.url({ RID: 'rpc', SID: this.sid, AID: aid, CI: polling ? 1 : 0, TYPE: 'xmlhttp', ...more }));
  }

  terminateURL() { return this.url({ SID: this.sid, RID: this.rid++, TYPE: 'terminate' }); }

  terminate() { navigator.sendBeacon(this.terminateURL(), ''); }
}

// --- messages ----------------------------------------------------------------------------------------------------

const path = (name, id, project = PROJECT) => `${database(project)}/documents/${name}/${id}`;
const documentTarget = (targetId, name, id, project) => ({ addTarget: { documents: { documents: [path(name, id, project)] }, targetId } });
const queryTarget = (targetId, name, project = PROJECT) => ({ addTarget: {
  query: { structuredQuery: { from: [{ collectionId: name }], orderBy: [{ field: { fieldPath: '__name__' }, direction: 'ASCENDING' }] },
    parent: `${database(project)}/documents` }, targetId } });
const kind = (message) => (message.targetChange ? message.targetChange.targetChangeType ?? 'NO_CHANGE' : Object.keys(message)[0]);
const added = (targetId) => (message) => kind(message) === 'ADD' && message.targetChange.targetIds[0] === targetId;
const settled = (message) => kind(message) === 'NO_CHANGE' && message.targetChange.readTime !== undefined;

async function rest(method, name, id, fields, project) {
  const answer = await fetch(`http://${server}/v1/${path(name, id, project)}`, {
    method, headers: { Authorization: 'Bearer owner' }, body: fields && JSON.stringify({ fields }) });
  equal(answer.status, 200, `${method} ${name}/${id}`);
}

async function rules(project, matches) {
  const content = `rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { ${matches} } }`;
  const answer = await fetch(`http://${server}/emulator/v1/projects/${project}:securityRules`, {
    method: 'PUT', body: JSON.stringify({ rules: { files: [{ name: 'security.rules', content }] } }) });
  equal(answer.status, 200, 'status of the rules');
}

function token(project, sub) {
  const part = (value) => btoa(JSON.stringify(value)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  const now = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({ sub, user_id: sub, aud: project,
    iss: `https://securetoken.google.com/${project}`, iat: now, exp: now + 3600, auth_time: now })}.`;
}

const ascending = (ids, first) => equal(ids, ids.map((_, k) => first + k), 'ids of the arrays');

/** A session that listens to a missing document, with its back channel, after the first answer. */
async function listening(options = {}) {
  const channel = new Channel();
  channel.name = fresh('c');
  await channel.open([documentTarget(2, channel.name, 'a')]);
  channel.now = channel.back(options);
  await channel.now.message('the first answer', settled);
  return channel;
}

// --- the checks --------------------------------------------------------------------------------------------------

const checks = {
  async 'handshake: one frame with session, versions, keep-alive'() {
    const channel = new Channel();
    const frames = await channel.open([documentTarget(2, fresh('c'), 'a')]);
    equal(frames, [[[0, ['c', channel.sid, '', 8, 12, 30000]]]], 'frames');
    equal(/^[A-Za-z0-9_-]{22}==$/.test(channel.sid), true, `session ${channel.sid}`);
    channel.terminate();
  },

  async 'streaming: the first answer comes at once, and the response stays open'() {
    const channel = await listening();
    const { now } = channel;
    equal(now.messages.slice(0, 4).map(kind), ['ADD', 'documentDelete', 'CURRENT', 'NO_CHANGE'], 'messages');
    equal(now.arrays.every(([, payload]) => Array.isArray(payload) && payload.length === 1), true, 'one message in each array');
    equal(now.firstByte < 2000, true, `first byte after ${now.firstByte} ms`);
    await pause(QUIET);
    equal(now.ended, null, 'end');
    ascending(now.ids, 1);
    channel.terminate();
  },

  async 'streaming: a noop follows the first answer, and stands alone where there is none'() {
    const channel = await listening();
    await channel.now.until('a noop', () => channel.now.noops > 0);
    const empty = new Channel();
    await empty.open();
    const back = empty.back();
    await back.until('a noop', () => back.noops > 0);
    await pause(QUIET);
    equal(back.arrays, back.arrays.map((_, n) => [n + 1, ['noop']]), 'arrays without a target');
    channel.terminate();
    empty.terminate();
  },

  async 'streaming: changes arrive one after the other on the same response'() {
    const channel = await listening();
    const { now } = channel;
    for (let n = 1; n <= 5; n++) {
      await rest('PATCH', channel.name, 'a', { n: { integerValue: `${n}` } });
      await now.message(`version ${n}`, (m) => m.documentChange?.document.fields.n.integerValue === `${n}`);
    }
    await rest('DELETE', channel.name, 'a');
    await now.until('the delete', () => now.messages.filter((m) => m.documentDelete).length === 2);
    equal(now.ended, null, 'end');
    ascending(now.ids, 1);
    channel.terminate();
  },

  async 'long polling: what is pending is one response, which ends'() {
    const channel = new Channel();
    await channel.open([documentTarget(2, fresh('c'), 'a')]);
    await pause(QUIET);
    const back = channel.back({ polling: true });
    equal(await back.end(), 'cleanly', 'end');
    equal(back.messages.map(kind), ['ADD', 'documentDelete', 'CURRENT', 'NO_CHANGE'], 'messages');
    ascending(back.ids, 1);
    channel.terminate();
  },

  async 'long polling: with nothing pending a noop comes at once, and the response waits for data'() {
    const channel = await listening();
    await pause(QUIET);
    const aid = channel.now.ids.at(-1);
    const back = channel.back({ polling: true, aid });
    await back.until('a noop', () => back.noops > 0);
    equal(back.firstByte < 2000, true, `first byte after ${back.firstByte} ms`);
    await pause(QUIET);
    equal([back.ended, back.messages], [null, []], 'end and messages');
    await rest('PATCH', channel.name, 'a', { n: { integerValue: '1' } });
    equal(await back.end(), 'cleanly', 'end');
    equal(kind(back.messages[0]), 'documentChange', 'message');
    ascending(back.ids, aid + 1);
    channel.terminate();
  },

  async 'long polling: TO says how long a response waits'() {
    const channel = await listening();
    await pause(QUIET);
    const back = channel.back({ polling: true, aid: channel.now.ids.at(-1), TO: 5000 });
    equal(await back.end(12_000), 'cleanly', 'end');
    equal(back.took > 4000 && back.noops >= 1, true, `${back.took} ms, ${back.noops} noops`);
    channel.terminate();
  },

  async 'forward: the answer says that a back channel is open, and the last array'() {
    const channel = await listening();
    await pause(QUIET);
    const last = channel.now.ids.at(-1);
    const [open, sent, bytes] = await channel.forward([{ removeTarget: 2 }], { aid: last });
    equal([open, sent >= last, Number.isInteger(bytes)], [1, true, true], `[${open}, ${sent}, ${bytes}], last array ${last}`);
    await channel.now.message('REMOVE', (m) => kind(m) === 'REMOVE');
    channel.terminate();
  },

  async 'forward: 0 when no back channel is open'() {
    const channel = new Channel();
    await channel.open([documentTarget(2, fresh('c'), 'a')]);
    const [open] = await channel.forward([documentTarget(4, fresh('c'), 'a')]);
    equal(open, 0, 'open');
    channel.terminate();
  },

  async 'forward: two messages in one request are handled in order'() {
    const channel = await listening();
    await channel.forward([documentTarget(4, channel.name, 'b'), { removeTarget: 4 }, documentTarget(6, channel.name, 'c')]);
    await channel.now.message('the last', added(6));
    const about = channel.now.messages.filter((m) => ['ADD', 'REMOVE'].includes(kind(m))).map((m) => [kind(m), ...m.targetChange.targetIds]);
    equal(about, [['ADD', 2], ['ADD', 4], ['REMOVE', 4], ['ADD', 6]], 'targets');
    channel.terminate();
  },

  async 'forward: a gap waits until it is filled'() {
    const channel = await listening();
    await channel.forward([documentTarget(6, channel.name, 'c')], { ofs: 2 });
    await pause(QUIET);
    equal(channel.now.messages.some(added(6)), false, 'an answer before its turn');
    await channel.forward([documentTarget(4, channel.name, 'b')], { ofs: 1 });
    await channel.now.message('the later one', added(6));
    equal(channel.now.messages.filter((m) => kind(m) === 'ADD').map((m) => m.targetChange.targetIds[0]), [2, 4, 6], 'order');
    channel.terminate();
  },

  async 'forward: the key counts, not its place: req2 of ofs=0 is message 2'() {
    const channel = await listening();
    await channel.forward([documentTarget(6, channel.name, 'c')], { ofs: 0, first: 2 });
    await pause(QUIET);
    equal(channel.now.messages.some(added(6)), false, 'an answer before its turn');
    await channel.forward([documentTarget(4, channel.name, 'b')], { ofs: 0, first: 1 });
    await channel.now.message('the later one', added(6));
    equal(channel.now.messages.filter((m) => kind(m) === 'ADD').map((m) => m.targetChange.targetIds[0]), [2, 4, 6], 'order');
    channel.terminate();
  },

  async 'forward: a request that is repeated is handled once'() {
    const channel = await listening();
    const url = channel.url({ SID: channel.sid, RID: channel.rid++, AID: 0 });
    const body = channel.form([documentTarget(4, channel.name, 'b')]);
    for (let n = 0; n < 3; n++) equal((await channel.send(url, body)).status, 200, 'status');
    await channel.forward([documentTarget(6, channel.name, 'c')]);
    await channel.now.message('the one afterwards', added(6));
    equal(channel.now.messages.filter((m) => kind(m) === 'ADD').map((m) => m.targetChange.targetIds[0]), [2, 4, 6], 'order');
    channel.terminate();
  },

  async 'forward: ten requests at once arrive in any order and are handled in theirs'() {
    const channel = await listening();
    const order = [7, 2, 9, 1, 10, 3, 6, 4, 8, 5];
    await Promise.all(order.map((n) => channel.forward([documentTarget(2 + 2 * n, channel.name, `d${n}`)], { ofs: n })));
    await channel.now.message('the last', added(22));
    equal(channel.now.messages.filter((m) => kind(m) === 'ADD').map((m) => m.targetChange.targetIds[0]),
      Array.from({ length: 11 }, (_, n) => 2 + 2 * n), 'order');
    channel.terminate();
  },

  async 'forward: unknown fields are ignored'() {
    const channel = await listening();
    await channel.forward([{ ...documentTarget(4, channel.name, 'b'), nobodyKnows: { a: [1] }, labels: { x: 'y' } }]);
    await channel.now.message('the answer', added(4));
    channel.terminate();
  },

  async 'forward: what is no JSON is 400'() {
    const channel = await listening();
    const answer = await Promise.race([pause(5000), channel.send(channel.url({ SID: channel.sid, RID: channel.rid++, AID: 0 }),
      channel.form(['{"addTarget":']))]);
    equal(answer?.status ?? 'none within 5 s', 400, 'status');
    channel.terminate();
  },

  async 'resend: a new response begins exactly after its AID, with the same arrays'() {
    const channel = await listening();
    await channel.forward([documentTarget(4, channel.name, 'b')]);
    await channel.now.until('the second answer', () => channel.now.messages.filter(settled).length >= 2);
    await pause(QUIET);
    await channel.now.abort();
    const arrays = channel.now.arrays;
    const half = Math.floor(arrays.length / 2);
    const again = channel.back({ aid: arrays[half - 1][0] });
    await again.until('the rest', () => again.arrays.length >= arrays.length - half);
    equal(again.arrays.slice(0, arrays.length - half), arrays.slice(half), 'arrays');
    await rest('PATCH', channel.name, 'b', {});
    await again.message('the change', (m) => m.documentChange);
    ascending(again.ids, arrays[half][0]);
    channel.terminate();
  },

  async 'resend: nothing is lost while no response is open'() {
    const channel = await listening();
    await pause(QUIET);
    await channel.now.abort();
    const aid = channel.now.ids.at(-1);
    for (const n of ['1', '2', '3']) await rest('PATCH', channel.name, 'a', { n: { integerValue: n } });
    await pause(QUIET);
    const again = channel.back({ aid });
    await again.message('the last version', (m) => m.documentChange?.document.fields.n.integerValue === '3');
    ascending(again.ids, aid + 1);
    channel.terminate();
  },

  async 'a new response takes the place of the old one, which ends cleanly'() {
    const channel = await listening();
    await pause(QUIET);
    const old = channel.now;
    const next = channel.back({ aid: old.ids.at(-1) });
    await next.until('its first byte', () => next.arrays.length > 0);
    equal(await old.end(), 'cleanly', 'end of the old one');
    await rest('PATCH', channel.name, 'a', {});
    await next.message('the change', (m) => m.documentChange);
    channel.terminate();
  },

  async 'terminate by sendBeacon: the response ends cleanly, the session is gone'() {
    const channel = await listening();
    channel.terminate();
    equal(await channel.now.end(), 'cleanly', 'end');
    const back = channel.back();
    await back.end();
    equal(back.status, 400, 'status afterwards');
  },

  async 'terminate by GET, as an image asks'() {
    const channel = await listening();
    const image = new Image();
    const over = new Promise((resolve) => { image.onload = image.onerror = resolve; });
    image.src = channel.terminateURL();
    await over;
    equal(await channel.now.end(), 'cleanly', 'end');
    const back = channel.back();
    await back.end();
    equal(back.status, 400, 'status afterwards');
  },

  async 'an unknown session: every request is 400, and a page of another origin may read it'() {
    const channel = new Channel();
    channel.sid = 'bm90aGluZ25vdGhpbmdubw==';
    const back = channel.back();
    await back.end();
    const forward = await channel.send(channel.url({ SID: channel.sid, RID: 1, AID: 0 }), channel.form([documentTarget(2, 'c', 'a')]));
    const terminate = await fetch(channel.terminateURL(), { method: 'POST', body: '', credentials: 'include' });
    equal([back.status, forward.status, terminate.status], [400, 400, 400], 'statuses');
  },

  async 'an unknown session: the body says Unknown SID, not at its beginning'() {
    const channel = new Channel();
    channel.sid = 'bm90aGluZ25vdGhpbmdubw==';
    const back = channel.back();
    await back.end();
    equal(back.body?.indexOf('Unknown SID') > 0, true, `body ${JSON.stringify(back.body)}`);
  },

  async 'credentials and a preflight: allowed for the origin of the page'() {
    const url = `http://${server}/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=rpc&SID=none&AID=0&CI=0&TYPE=xmlhttp`;
    equal((await fetch(url, { credentials: 'include', headers: { 'X-Of-A-Test': '1' } })).status, 400, 'GET with a header');
    const put = await fetch(`http://${server}/v1/${path('cors', 'd')}`, { method: 'PATCH', credentials: 'include',
      headers: { Authorization: 'Bearer owner', 'Content-Type': 'application/json' }, body: '{}' });
    equal(put.status, 200, 'PATCH with a header');
  },

  async 'frames count UTF-16 units, whatever the text'() {
    const channel = await listening();
    const texts = ['né', '中文', '😀', 'a\u2028b\u2029', '\u0000\u0001', '"\\/', '👩‍👩‍👧'.repeat(500), '\ufeff\uffff'];
    for (const text of texts) {
      await rest('PATCH', channel.name, 'a', { text: { stringValue: text } });
      await channel.now.message(JSON.stringify(text), (m) => m.documentChange?.document.fields.text.stringValue === text);
    }
    channel.terminate();
  },

  async 'frames are ASCII'() {
    const channel = await listening();
    await rest('PATCH', channel.name, 'a', { text: { stringValue: 'né 😀' } });
    await channel.now.message('the text', (m) => m.documentChange?.document.fields.text.stringValue === 'né 😀');
    equal(channel.now.frames.ascii, true, 'ASCII');
    channel.terminate();
  },

  async 'a thousand documents: each array one message, no id left out'() {
    const channel = new Channel();
    const name = fresh('c');
    const writes = Array.from({ length: 1000 }, (_, n) => ({
      update: { name: path(name, `d${n}`), fields: { n: { integerValue: `${n}` }, text: { stringValue: 'x'.repeat(200) } } } }));
    for (const half of [writes.slice(0, 500), writes.slice(500)]) {
      equal((await fetch(`http://${server}/v1/${database(PROJECT)}/documents:commit`, {
        method: 'POST', headers: { Authorization: 'Bearer owner' }, body: JSON.stringify({ writes: half }) })).status, 200, 'commit');
    }
    await channel.open([queryTarget(2, name)]);
    const back = channel.back();
    await back.message('the end of the answer', settled);
    equal(back.messages.filter((m) => m.documentChange).length, 1000, 'documents');
    equal(back.arrays.every(([, payload]) => payload.length === 1), true, 'one message in each array');
    ascending(back.ids, 1);
    channel.terminate();
  },

  async 'Write: handshake, writes, results, and the word close at the end'() {
    const channel = new Channel('Write');
    const name = fresh('c');
    await channel.open([{}]);
    const back = channel.back();
    const first = await back.message('the handshake', (m) => m.streamToken !== undefined);
    equal(typeof first.streamId, 'string', 'streamId');
    await channel.forward([{ streamToken: first.streamToken, writes: [
      { update: { name: path(name, 'a'), fields: { n: { integerValue: '1' } } },
        updateTransforms: [{ fieldPath: 't', setToServerValue: 'REQUEST_TIME' }] },
      { delete: path(name, 'b') }] }]);
    const result = await back.message('the results', (m) => m.writeResults);
    equal([result.writeResults.length, typeof result.commitTime, typeof result.writeResults[0].transformResults[0].timestampValue],
      [2, 'string', 'string'], 'results');
    equal(result.writeResults[1], {}, 'result of a delete');
    await channel.forward([{ streamToken: result.streamToken }]);
    await back.until('close', () => back.arrays.some(([, payload]) => payload[0] === 'close'));
    channel.terminate();
  },

  async 'Write: an error is a message with status and text'() {
    const channel = new Channel('Write');
    await channel.open([{}]);
    const back = channel.back();
    const { streamToken } = await back.message('the handshake', (m) => m.streamToken !== undefined);
    await channel.forward([{ streamToken, writes: [
      { update: { name: path(fresh('c'), 'a'), fields: {} }, updateMask: { fieldPaths: [] }, currentDocument: { exists: true } }] }]);
    const { error } = await back.message('the error', (m) => m.error);
    equal([error.status, error.message.startsWith('NOT_FOUND: ')], ['NOT_FOUND', true], `error ${JSON.stringify(error)}`);
    channel.terminate();
  },

  async 'who is there: the token in the form of the handshake'() {
    const project = 'demo-webchannel-rules';
    await rules(project, 'match /own/{uid} { allow read, write: if request.auth.uid == uid; }');
    for (const [sub, allowed] of [['alice', true], ['bob', false], [null, false]]) {
      const channel = new Channel('Listen', project);
      await channel.open([documentTarget(2, 'own', 'alice', project)], { token: sub ? token(project, sub) : '' });
      const back = channel.back();
      const decided = await back.message('the decision', (m) => ['CURRENT', 'REMOVE'].includes(kind(m)));
      equal([kind(decided), decided.targetChange.cause?.code], allowed ? ['CURRENT', undefined] : ['REMOVE', 7], `${sub}`);
      channel.terminate();
    }
  },

  async 'who is there: the token in $httpHeaders, as older SDKs send it'() {
    const project = 'demo-webchannel-rules';
    await rules(project, 'match /own/{uid} { allow read, write: if request.auth.uid == uid; }');
    const channel = new Channel('Listen', project);
    await channel.open([documentTarget(2, 'own', 'alice', project)],
      { token: null, parameters: { $httpHeaders: `X-Goog-Api-Client:gl-js/ fire/8.0.0\r\nAuthorization:Bearer ${token(project, 'alice')}\r\n` } });
    const back = channel.back();
    const decided = await back.message('the decision', (m) => ['CURRENT', 'REMOVE'].includes(kind(m)));
    equal(kind(decided), 'CURRENT', 'decision');
    channel.terminate();
  },

  async 'who is there: a broken token is an error message, not an error of HTTP'() {
    const channel = new Channel();
    await channel.open([documentTarget(2, fresh('c'), 'a')], { token: 'no.token' });
    const back = channel.back();
    const { error } = await back.message('the error', (m) => m.error);
    equal(['UNAUTHENTICATED', 'INVALID_ARGUMENT', 'PERMISSION_DENIED'].includes(error.status), true, `error ${JSON.stringify(error)}`);
    channel.terminate();
  },

  async 'a target that nobody understands costs that target only'() {
    const channel = await listening();
    await channel.forward([{ addTarget: { pipelineQuery: { structuredPipeline: {} }, targetId: 4 } }]);
    const removed = await channel.now.message('REMOVE', (m) => kind(m) === 'REMOVE');
    equal([removed.targetChange.targetIds, removed.targetChange.cause?.code], [[4], 3], 'target and cause');
    await rest('PATCH', channel.name, 'a', {});
    await channel.now.message('a change of the other', (m) => m.documentChange);
    channel.terminate();
  },
};

/** Listens to nothing for over a minute. */
async function idle() {
  const channel = await listening();
  const { now } = channel;
  await now.until('a noop at the beginning', () => now.noops > 0);
  const before = now.arrays.length;
  // A heartbeat of the listener is a sign of life too.
  await now.until('a sign of life within 45 s', () => now.arrays.length > before, 45_000);
  equal(await now.end(40_000), 'cleanly', 'end');
  equal(now.took > 40_000, true, `ended after ${now.took} ms`);
  equal(now.arrays.at(-1)[1], ['noop'], 'the last array');
  const next = channel.back({ aid: now.ids.at(-1) });
  await next.until('the noop of the next response', () => next.noops > 0);
  await rest('PATCH', channel.name, 'a', {});
  await next.message('a change', (m) => m.documentChange);
  channel.terminate();
}

/** A check whose requests are never answered fails too. */
const run = (name) => Promise.race([
  checks[name](),
  pause(1.5 * PATIENCE).then(() => { throw new Error(`not over after ${1.5 * PATIENCE} ms`); }),
]);

globalThis.t = { names: Object.keys(checks), run, idle };
