// Listeners, local writes, offline spells and transactions of the Firebase JS SDK against a running server.
//
//     FIREBASE_JS=FOLDER node listen.mjs [HOST:PORT]
//
// Needs a server that lets users do everything (`docsh serve --open`). Skips with a word without FIREBASE_JS.
import { client, equal, fresh, fs, host, port, run, Seen } from './checks.mjs';

const PROJECT = 'demo-listen-js';
const metadata = { includeMetadataChanges: true };
const synced = (now) => !now.pending && !now.cache;

const checks = {
  async 'a local write is seen at once, pending, and then acknowledged'() {
    const db = client(PROJECT);
    const ref = fs.doc(db, fresh('local'), 'd');
    const seen = new Seen(ref, metadata);
    await seen.until('no document', (now) => now.data === null && synced(now));
    const written = fs.setDoc(ref, { n: 1 });
    const pending = await seen.until('the pending write', (now) => now.data?.n === 1);
    equal([pending.pending, pending.cache], [true, false], 'flags of the local write');
    await written;
    await seen.until('the acknowledged write', (now) => now.data?.n === 1 && synced(now));
    equal(seen.snapshots.map((s) => [s.data?.n ?? null, s.pending]), [[null, false], [1, true], [1, false]], 'snapshots');
    seen.stop();
  },

  async 'without includeMetadataChanges only documents raise snapshots'() {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('plain');
    const seen = new Seen(fs.collection(db, name));
    await seen.until('nothing', (now) => now.ids.length === 0 && !now.cache);
    await fs.setDoc(fs.doc(db, name, 'a'), { n: 1 });
    await fs.setDoc(fs.doc(other, name, 'b'), { n: 2 });
    await seen.until('both', (now) => now.ids.length === 2);
    equal(seen.snapshots.map((s) => s.changes), [[], ['added a'], ['added b']], 'changes');
    seen.stop();
  },

  async 'a query: documents of another client enter, change, leave and are deleted'() {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('query');
    const at = (id) => fs.doc(other, name, id);
    await fs.setDoc(at('a'), { open: true, n: 1 });
    const seen = new Seen(fs.query(fs.collection(db, name), fs.where('open', '==', true)));
    await seen.until('a', (now) => now.ids.join() === 'a' && !now.cache);
    await fs.setDoc(at('b'), { open: true, n: 2 });
    await seen.until('b', (now) => now.ids.join() === 'a,b');
    await fs.updateDoc(at('a'), { n: 9 });
    await seen.until("a's new state", (now) => now.data.a.n === 9);
    await fs.updateDoc(at('a'), { open: false });
    await seen.until('a gone', (now) => now.ids.join() === 'b');
    await fs.deleteDoc(at('b'));
    await seen.until('b gone', (now) => now.ids.length === 0);
    equal(seen.snapshots.flatMap((s) => s.changes),
      ['added a', 'added b', 'modified a', 'removed a', 'removed b'], 'changes');
    equal(seen.snapshots.some((s) => s.cache), false, 'a snapshot from the cache');
    seen.stop();
  },

  async 'limit and limitToLast refill in the snapshot in which somebody leaves'() {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('limit');
    const at = (n) => fs.doc(other, name, `d${n}`);
    for (let n = 0; n < 9; n++) await fs.setDoc(at(n), { n });
    const ordered = (...more) => fs.query(fs.collection(db, name), fs.orderBy('n'), ...more);
    const first = new Seen(ordered(fs.limit(3)));
    const last = new Seen(ordered(fs.limitToLast(3)));
    await first.until('the first three', (now) => now.ids.join() === 'd0,d1,d2' && !now.cache);
    await last.until('the last three', (now) => now.ids.join() === 'd6,d7,d8' && !now.cache);
    await fs.deleteDoc(at(1));
    await first.until('d3 for d1', (now) => now.ids.join() === 'd0,d2,d3' && !now.cache);
    await fs.updateDoc(at(7), { n: -5 });
    await first.until('d7 first', (now) => now.ids.join() === 'd7,d0,d2' && !now.cache);
    await last.until('d5 for d7', (now) => now.ids.join() === 'd5,d6,d8' && !now.cache);
    for (const [seen, kind] of [[first, 'limit'], [last, 'limitToLast']]) {
      const sizes = seen.snapshots.filter((s) => !s.cache).map((s) => s.ids.length);
      equal(sizes, sizes.map(() => 3), `sizes of the snapshots of ${kind}`);
      seen.stop();
    }
  },

  async 'a batch is one snapshot of every query, of the one who wrote it and of others'() {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('batch');
    const mine = new Seen(fs.collection(other, name));
    const theirs = [new Seen(fs.collection(db, name)),
      new Seen(fs.query(fs.collection(db, name), fs.where('even', '==', true)))];
    for (const seen of [mine, ...theirs]) await seen.until('nothing', (now) => !now.cache);
    const batch = fs.writeBatch(other);
    for (let n = 0; n < 40; n++) batch.set(fs.doc(other, name, `d${n}`), { even: n % 2 === 0 });
    await batch.commit();
    await mine.until('all', (now) => now.ids.length === 40);
    await theirs[0].until('all', (now) => now.ids.length === 40);
    await theirs[1].until('half', (now) => now.ids.length === 20);
    for (const seen of [mine, ...theirs]) {
      equal(seen.snapshots.length, 2, 'snapshots');
      seen.stop();
    }
  },

  async 'offline and online again: local writes wait, what others did comes, nobody looks twice'() {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('offline');
    for (const id of ['a', 'b', 'c', 'd']) await fs.setDoc(fs.doc(other, name, id), { by: 'other', n: 0 });
    const seen = new Seen(fs.collection(db, name), metadata);
    await seen.until('all four', (now) => now.ids.length === 4 && synced(now));
    await fs.disableNetwork(db);
    await seen.until('the word that it is offline', (now) => now.cache);
    const waiting = fs.setDoc(fs.doc(db, name, 'e'), { by: 'me', n: 1 });
    await seen.until('the local write', (now) => now.ids.length === 5 && now.pending && now.cache);
    await fs.deleteDoc(fs.doc(other, name, 'a'));
    await fs.setDoc(fs.doc(other, name, 'b'), { by: 'other', n: 7 });
    await fs.setDoc(fs.doc(other, name, 'f'), { by: 'other', n: 8 });
    const before = seen.snapshots.length;
    await fs.enableNetwork(db);
    await waiting;
    await seen.until('everything', (now) => now.ids.join() === 'b,c,d,e,f' && now.data.b.n === 7 && synced(now));
    const changes = seen.snapshots.slice(before).flatMap((s) => s.changes).filter((c) => !c.endsWith(' e'));
    equal(changes.sort(), ['added f', 'modified b', 'removed a'], 'what was told after coming back');
    seen.stop();
  },

  async 'a document listener offline and online again'() {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('offline');
    const seen = new Seen(fs.doc(db, name, 'd'), metadata);
    await seen.until('no document', (now) => now.data === null && synced(now));
    for (const n of [1, 2]) {
      await fs.disableNetwork(db);
      await seen.until('offline', (now) => now.cache);
      await fs.setDoc(fs.doc(other, name, 'd'), { n });
      await fs.enableNetwork(db);
      await seen.until(`n ${n}`, (now) => now.data?.n === n && synced(now));
    }
    seen.stop();
  },

  async 'server timestamps and increments: estimated while pending, then the server\'s'() {
    const db = client(PROJECT);
    const ref = fs.doc(db, fresh('transform'), 'd');
    const seen = new Seen(ref, metadata);
    await seen.until('no document', (now) => now.data === null && !now.cache);
    await fs.setDoc(ref, { n: fs.increment(2), at: fs.serverTimestamp() });
    await fs.updateDoc(ref, { n: fs.increment(3) });
    await fs.waitForPendingWrites(db);
    const now = await seen.until('both', (now) => now.data?.n === 5 && synced(now));
    if (!(now.data.at instanceof fs.Timestamp)) throw new Error(`at is ${now.data.at}`);
    equal(seen.snapshots.some((s) => s.pending && s.data?.at === null), true, 'an unknown time while pending');
    seen.stop();
  },

  async 'runTransaction under contention: every increment counts'() {
    const clients = Array.from({ length: 8 }, () => client(PROJECT));
    const name = fresh('counter');
    await fs.setDoc(fs.doc(clients[0], name, 'c'), { n: 0 });
    const seen = new Seen(fs.doc(clients[0], name, 'c'));
    await Promise.all(clients.map(async (db) => {
      for (let round = 0; round < 3; round++) {
        await fs.runTransaction(db, async (transaction) => {
          const now = await transaction.get(fs.doc(db, name, 'c'));
          transaction.update(fs.doc(db, name, 'c'), { n: now.data().n + 1 });
        }, { maxAttempts: 100 });
      }
    }));
    await seen.until('24', (now) => now.data?.n === 24);
    const counts = seen.snapshots.map((s) => s.data.n);
    equal(counts, [...counts].sort((a, b) => a - b), 'counts go up');
    seen.stop();
  },

  async 'a transaction whose document is missing makes it, and one that is refused says so'() {
    const db = client(PROJECT);
    const ref = fs.doc(db, fresh('transaction'), 'd');
    await fs.runTransaction(db, async (transaction) => {
      equal((await transaction.get(ref)).exists(), false, 'exists');
      transaction.set(ref, { n: 1 });
    });
    equal((await fs.getDoc(ref)).data(), { n: 1 }, 'data');
    const missing = fs.doc(db, fresh('transaction'), 'none');
    const error = await fs.runTransaction(db, async (transaction) => transaction.update(missing, { n: 1 })).catch((e) => e);
    equal(error.code, 'not-found', 'code');
  },

  async 'a listener that is not allowed ends with permission-denied, others live on'() {
    const project = 'demo-listen-js-denied';
    await replaceRules(project, 'match /open/{id} { allow read, write; }');
    const db = client(project, 'alice');
    const open = new Seen(fs.collection(db, 'open'));
    const closed = [new Seen(fs.collection(db, 'closed')), new Seen(fs.doc(db, 'closed/a'))];
    for (const seen of closed) equal((await seen.failure()).code, 'permission-denied', 'code');
    await fs.setDoc(fs.doc(db, 'open', fresh('d')), { n: 1 });
    await open.until('the document', (now) => now.ids.length > 0);
    equal(open.error, null, 'error of the listener that is allowed');
    open.stop();
  },

  async 'rules replaced under live listeners: what is no longer allowed ends at once'() {
    const project = 'demo-listen-js-rules';
    const own = 'match /own/{id} { allow read, write: if request.auth.uid == "alice"; }';
    await replaceRules(project, `${own} match /shared/{id} { allow read, write; }`);
    const db = client(project, 'alice');
    const [query, single] = [new Seen(fs.collection(db, 'shared')), new Seen(fs.doc(db, 'shared/d'))];
    const kept = new Seen(fs.collection(db, 'own'));
    for (const seen of [query, single, kept]) await seen.until('the first state', (now) => !now.cache);
    await replaceRules(project, own);
    for (const seen of [query, single]) equal((await seen.failure()).code, 'permission-denied', 'code');
    const id = fresh('d');
    await fs.setDoc(fs.doc(db, 'own', id), { n: 1 });
    await kept.until('the write', (now) => now.ids.includes(id));
    equal(kept.error, null, 'error of the listener that is still allowed');
    kept.stop();
  },

  async 'a permission that hangs on a document ends when that document says so'() {
    const project = 'demo-listen-js-guard';
    await replaceRules(project,
      'match /members/{id} { allow read, write; } match /club/{id} { allow read, write: '
      + 'if get(/databases/$(database)/documents/members/$(request.auth.uid)).data.active == true; }');
    const [db, admin] = [client(project, 'bob'), client(project, 'admin')];
    await fs.setDoc(fs.doc(admin, 'members/bob'), { active: true });
    const seen = new Seen(fs.collection(db, 'club'));
    await seen.until('the first state', (now) => !now.cache);
    await fs.updateDoc(fs.doc(admin, 'members/bob'), { active: false });
    equal((await seen.failure()).code, 'permission-denied', 'code');
  },

  async 'a cleared database is one snapshot without documents, and listeners live on'() {
    const project = 'demo-listen-js-clear';
    const [db, other] = [client(project), client(project)];
    for (const id of ['a', 'b', 'c']) await fs.setDoc(fs.doc(other, 'clear', id), { id });
    const seen = new Seen(fs.collection(db, 'clear'), metadata);
    await seen.until('three', (now) => now.ids.length === 3 && synced(now));
    const before = seen.snapshots.length;
    const answer = await fetch(
      `http://${host}:${port}/emulator/v1/projects/${project}/databases/(default)/documents`, { method: 'DELETE' });
    equal(answer.status, 200, 'status');
    await seen.until('nothing', (now) => now.ids.length === 0 && synced(now));
    equal(seen.snapshots.slice(before).map((s) => [s.ids.length, s.cache]), [[0, false]], 'snapshots of the clearing');
    await fs.setDoc(fs.doc(other, 'clear/a'), { id: 'again' });
    await seen.until('the new document', (now) => now.ids.join() === 'a' && synced(now));
    seen.stop();
  },
};

/** Puts rules in front of a project's database. */
async function replaceRules(project, matches) {
  const content = `rules_version = '2'; service cloud.firestore { match /databases/{database}/documents { ${matches} } }`;
  const answer = await fetch(`http://${host}:${port}/emulator/v1/projects/${project}:securityRules`, {
    method: 'PUT', body: JSON.stringify({ rules: { files: [{ name: 'security.rules', content }] } }),
  });
  equal(answer.status, 200, `status of the rules: ${await answer.text()}`);
}

await run(checks);
