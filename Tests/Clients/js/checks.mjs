// What the scripts of the JS SDK share: the SDK itself, checks, and snapshots that are waited for.
//
// The SDK is found in the folder that FIREBASE_JS names (with node_modules/firebase in it); nothing of it is kept here.
import { createRequire } from 'node:module';
import path from 'node:path';

if (!process.env.FIREBASE_JS) {
  console.log('FIREBASE_JS is not set: the Firebase JS SDK was not tried');
  process.exit(0);
}
const require = createRequire(path.resolve(process.env.FIREBASE_JS, 'node_modules', 'x.js'));
export const { initializeApp, deleteApp } = require('firebase/app');
export const fs = require('firebase/firestore');
fs.setLogLevel('silent');

// Milliseconds; for a state, not for a speed.
const PATIENCE = 60_000;

const address = process.argv[2] ?? process.env.FIRESTORE_EMULATOR_HOST;
if (!address) {
  console.error('usage: listen.mjs HOST:PORT, or FIRESTORE_EMULATOR_HOST says where');
  process.exit(64);
}
export const [host, port] = [address.slice(0, address.lastIndexOf(':')), Number(address.slice(address.lastIndexOf(':') + 1))];

let apps = 0;
const opened = [];

/** A client with connections and a cache of its own. `uid`: who it is; nobody without. */
export function client(project, uid) {
  const app = initializeApp({ projectId: project, apiKey: 'none' }, `client${apps++}`);
  const db = fs.getFirestore(app);
  fs.connectFirestoreEmulator(db, host, port, uid ? { mockUserToken: { sub: uid } } : {});
  opened.push(app);
  return db;
}

/** Ends every client. */
export async function closeAll() {
  await Promise.all(opened.splice(0).map((app) => deleteApp(app)));
}

let names = 0;
/** A name that no other check and no other run uses. */
export const fresh = (prefix) => `${prefix}_${Date.now().toString(36)}_${names++}`;

export function equal(actual, expected, what = 'value') {
  const [left, right] = [JSON.stringify(actual), JSON.stringify(expected)];
  if (left !== right) throw new Error(`${what}: ${left} instead of ${right}`);
}

/** Every snapshot that a listener was given, in a form that is easily compared. */
export class Seen {
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
}

/** Runs checks one after the other, prints a line each, and ends the program. */
export async function run(checks) {
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
    await closeAll();
  }
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}
