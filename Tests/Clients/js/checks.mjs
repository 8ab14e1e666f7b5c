// What the scripts of the JS SDK share: the SDK itself, checks, and snapshots that are waited for.
//
// The SDK is found in the folder that FIREBASE_JS names (with node_modules/firebase in it); nothing of it is kept here.
import { createRequire } from 'node:module';
import path from 'node:path';
import { listening, runAll } from './seen.mjs';

if (!process.env.FIREBASE_JS) {
  console.log('FIREBASE_JS is not set: the Firebase JS SDK was not tried');
  process.exit(0);
}
const require = createRequire(path.resolve(process.env.FIREBASE_JS, 'node_modules', 'x.js'));
export const { initializeApp, deleteApp } = require('firebase/app');
export const fs = require('firebase/firestore');
fs.setLogLevel('silent');
export { equal, fresh } from './seen.mjs';
export const Seen = listening(fs);

const address = process.argv[2] ?? process.env.FIRESTORE_EMULATOR_HOST;
if (!address) {
  console.error('usage: listen.mjs HOST:PORT, or FIRESTORE_EMULATOR_HOST says where');
  process.exit(64);
}
export const [host, port] = [address.slice(0, address.lastIndexOf(':')), Number(address.slice(address.lastIndexOf(':') + 1))];

let apps = 0;
const opened = [];

/** A client with connections and a cache of its own. `uid`: who it is, with these claims; nobody without. */
export function client(project, uid, claims = {}) {
  const app = initializeApp({ projectId: project, apiKey: 'none' }, `client${apps++}`);
  const db = fs.getFirestore(app);
  fs.connectFirestoreEmulator(db, host, port, uid ? { mockUserToken: { ...claims, sub: uid } } : {});
  opened.push(app);
  return db;
}

/** Ends every client. */
export async function closeAll() {
  await Promise.all(opened.splice(0).map((app) => deleteApp(app)));
}

/** Runs checks one after the other, prints a line each, and ends the program. */
export const run = (checks) => runAll(checks, closeAll);
