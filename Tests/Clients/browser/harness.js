// What the checks find in the page as `t`: the SDK, clients of it, snapshots that are waited for.
//
// The address says ?server=HOST:PORT. The SDK itself comes from the folder that FIREBASE_JS names; see browser.py.
import * as core from '/sdk/firebase-app.js';
import * as fs from '/sdk/firebase-firestore.js';
import { checks } from './checks.js';
import { equal, fresh, listening } from '/js/seen.mjs';

const server = new URLSearchParams(location.search).get('server');
const [host, port] = [server.slice(0, server.lastIndexOf(':')), Number(server.slice(server.lastIndexOf(':') + 1))];

/** How the SDK may carry its two streams. */
const TRANSPORTS = {
  detected: {},
  streaming: { experimentalAutoDetectLongPolling: false },
  xhr: { experimentalAutoDetectLongPolling: false, useFetchStreams: false },
  polling: { experimentalForceLongPolling: true },
};
const CACHES = {
  memory: () => fs.memoryLocalCache(),
  indexeddb: () => fs.persistentLocalCache(),
  tabs: () => fs.persistentLocalCache({ tabManager: fs.persistentMultipleTabManager() }),
};

let apps = 0;

/**
 * A client with connections and a cache of its own. `uid`: who it is for ever; `auth`: a `Session`, whose user changes;
 * nobody without. IndexedDB is found again by the `name` of the client.
 */
function client(project, { transport = t.transport, cache = 'memory', uid, auth, name = `client${apps++}` } = {}) {
  const app = core.initializeApp({ projectId: project, apiKey: 'none' }, name);
  if (auth) core._addComponent(app, auth.component());
  const db = fs.initializeFirestore(app, { ...TRANSPORTS[transport], localCache: CACHES[cache]() });
  fs.connectFirestoreEmulator(db, host, port, uid ? { mockUserToken: { sub: uid } } : {});
  return db;
}

/** Stands where the SDK expects its auth module: who is signed in, and whoever wants to hear of a change. */
class Session {
  constructor(project, uid = null) {
    this.project = project;
    this.uid = uid;
    this.listeners = new Set();
  }

  component() {
    const session = this;
    const auth = {
      getUid: () => session.uid,
      getToken: async () => (session.uid === null ? null : { accessToken: unsigned(session.project, session.uid) }),
      addAuthTokenListener: (heard) => { session.listeners.add(heard); queueMicrotask(() => heard()); },
      removeAuthTokenListener: (heard) => session.listeners.delete(heard),
    };
    return {
      name: 'auth-internal', type: 'PRIVATE', instanceFactory: () => auth,
      instantiationMode: 'LAZY', multipleInstances: false, serviceProps: {}, onInstanceCreated: null,
    };
  }

  /** `uid` is null when the user signs out. */
  become(uid) {
    this.uid = uid;
    for (const heard of this.listeners) heard();
  }
}

/** The token that a client library makes for an emulator: a JWT without signature. */
function unsigned(project, sub) {
  const part = (value) => btoa(JSON.stringify(value)).replaceAll('=', '');
  const now = Math.floor(Date.now() / 1000);
  return `${part({ alg: 'none', typ: 'JWT' })}.${part({
    iss: `https://securetoken.google.com/${project}`, aud: project, sub, user_id: sub, iat: now, exp: now + 3600, auth_time: now,
  })}.`;
}

/** A call of the REST interface as an administrator, so that nothing of the SDK is in the way. */
async function rest(method, path, body) {
  const answer = await fetch(`http://${server}/${path}`, {
    method, headers: { Authorization: 'Bearer owner' }, body: body && JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Puts rules in front of a project's database. */
async function replaceRules(project, matches) {
  const content = `rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { ${matches} } }`;
  const body = JSON.stringify({ rules: { files: [{ name: 'security.rules', content }] } });
  const answer = await fetch(`http://${server}/emulator/v1/projects/${project}:securityRules`, { method: 'PUT', body });
  equal(answer.status, 200, `status of the rules: ${await answer.text()}`);
}

const t = {
  core, fs, server, host, port, equal, fresh, client, Session, rest, replaceRules,
  Seen: listening(fs), transport: 'detected', synced: (now) => !now.pending && !now.cache,
  metadata: { includeMetadataChanges: true },
  names: Object.keys(checks),
  /** Runs a check of the page over one way to carry the streams. */
  async run(name, transport) {
    t.transport = transport;
    await checks[name](t);
    await Promise.all(core.getApps().map((app) => core.deleteApp(app)));
  },
};
globalThis.t = t;
