// Checks that need nothing but one page; each is run over every way to carry the streams. See sdk.py for the others.

const PROJECT = 'demo-browser';

// Everything that a decoder of bytes or a counter of characters may get wrong.
const TEXTS = {
  ascii: 'plain', two: 'é ñ ü ß \u0080\u07ff', three: '中文 \u0800\uffff €', emoji: '😀 👩‍👩‍👧 🇨🇭', mixed: 'n\u00e9 😀 中 a',
  separators: 'a\u2028b\u2029c\u0085d', control: 'a\u0000b\u0001c\u001f\u007f', escapes: '"\\/\b\f\n\r\t', marks: 'e\u0301 \ufeff \u202e',
  long: '😀é中'.repeat(3000),
};

export const checks = {
  async 'set, get, merge, update, add, delete'({ client, fs, fresh, equal }) {
    const db = client(PROJECT);
    const name = fresh('documents');
    const ref = fs.doc(db, name, 'd');
    await fs.setDoc(ref, { n: 1, map: { a: 1, b: [1, 'two', null] }, at: fs.Timestamp.fromMillis(1500), point: new fs.GeoPoint(1, 2) });
    const read = (await fs.getDoc(ref)).data();
    equal([read.n, read.map, read.at.toMillis(), read.point.longitude], [1, { a: 1, b: [1, 'two', null] }, 1500, 2], 'data');
    await fs.setDoc(ref, { map: { c: 3 } }, { merge: true });
    await fs.updateDoc(ref, { n: 2, 'map.a': fs.deleteField(), list: fs.arrayUnion('x', 'y') });
    const now = (await fs.getDocFromServer(ref)).data();
    equal([now.n, now.map, now.list], [2, { b: [1, 'two', null], c: 3 }, ['x', 'y']], 'after update');
    const added = await fs.addDoc(fs.collection(db, name), { bytes: fs.Bytes.fromUint8Array(new Uint8Array([0, 128, 255])), ref });
    const other = (await fs.getDoc(added)).data();
    equal([[...other.bytes.toUint8Array()], other.ref.path], [[0, 128, 255], ref.path], 'bytes and reference');
    await fs.deleteDoc(ref);
    equal((await fs.getDoc(ref)).exists(), false, 'exists');
    equal((await fs.getDocs(fs.collection(db, name))).size, 1, 'documents left');
    const missing = await fs.updateDoc(ref, { n: 3 }).catch((error) => error);
    equal(missing.code, 'not-found', 'update of nothing');
  },

  async 'listener: first snapshot, local write at once, change of another client'({ client, fs, fresh, equal, Seen, synced, metadata }) {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('listener');
    await fs.setDoc(fs.doc(other, name, 'a'), { n: 1 });
    const seen = new Seen(fs.collection(db, name), metadata);
    await seen.until('a', (now) => now.ids.join() === 'a' && synced(now));
    const written = fs.setDoc(fs.doc(db, name, 'b'), { n: 2 });
    const local = await seen.until('b at once', (now) => now.ids.join() === 'a,b');
    equal(local.pending, true, 'pending');
    await written;
    await seen.until('b from the server', (now) => now.ids.join() === 'a,b' && synced(now));
    await fs.updateDoc(fs.doc(other, name, 'a'), { n: 3 });
    await seen.until("the other's update", (now) => now.data.a.n === 3 && synced(now));
    await fs.deleteDoc(fs.doc(other, name, 'a'));
    await seen.until("the other's delete", (now) => now.ids.join() === 'b' && synced(now));
    seen.stop();
  },

  async 'queries: where, orderBy, limit, limitToLast, cursors'({ client, fs, fresh, equal, Seen, synced, metadata }) {
    const db = client(PROJECT);
    const all = fs.collection(db, fresh('queries'));
    const batch = fs.writeBatch(db);
    for (let n = 0; n < 12; n++) batch.set(fs.doc(all, `d${n}`), { n, even: n % 2 === 0, tags: [`t${n % 3}`] });
    await batch.commit();
    const ids = async (...parts) => (await fs.getDocs(fs.query(all, ...parts))).docs.map((d) => d.data().n);
    equal(await ids(fs.where('n', '>=', 9)), [9, 10, 11], '>=');
    equal(await ids(fs.where('even', '==', true), fs.orderBy('n', 'desc'), fs.limit(2)), [10, 8], 'desc, limit');
    equal(await ids(fs.orderBy('n'), fs.limitToLast(2)), [10, 11], 'limitToLast');
    equal(await ids(fs.where('tags', 'array-contains', 't1'), fs.orderBy('n'), fs.startAfter(4), fs.limit(1)), [7], 'startAfter');
    equal(await ids(fs.where('n', 'in', [3, 5])), [3, 5], 'in');
    equal(await ids(fs.or(fs.where('n', '==', 1), fs.where('n', '==', 11))), [1, 11], 'or');
    const seen = new Seen(fs.query(all, fs.orderBy('n'), fs.limit(3)), metadata);
    await seen.until('the first three', (now) => now.ids.join() === 'd0,d1,d2' && synced(now));
    await fs.deleteDoc(fs.doc(all, 'd1'));
    await seen.until('the window filled again', (now) => now.ids.join() === 'd0,d2,d3' && synced(now));
    seen.stop();
  },

  async 'transactions: every increment of four clients counts'({ client, fs, fresh, equal }) {
    const clients = Array.from({ length: 4 }, () => client(PROJECT));
    const name = fresh('counter');
    await fs.setDoc(fs.doc(clients[0], name, 'c'), { n: 0 });
    await Promise.all(clients.map(async (db) => {
      for (let round = 0; round < 3; round++) {
        await fs.runTransaction(db, async (transaction) => {
          const now = await transaction.get(fs.doc(db, name, 'c'));
          transaction.update(fs.doc(db, name, 'c'), { n: now.data().n + 1 });
        }, { maxAttempts: 100 });
      }
    }));
    equal((await fs.getDocFromServer(fs.doc(clients[0], name, 'c'))).data(), { n: 12 }, 'counter');
  },

  async 'a batch of 500 writes is one snapshot'({ client, fs, fresh, equal, Seen, synced }) {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('batch');
    const seen = new Seen(fs.collection(other, name));
    await seen.until('nothing', synced);
    const batch = fs.writeBatch(db);
    for (let n = 0; n < 500; n++) batch.set(fs.doc(db, name, `d${n}`), { n });
    await batch.commit();
    await seen.until('all', (now) => now.ids.length === 500);
    equal(seen.snapshots.map((s) => s.ids.length), [0, 500], 'sizes of the snapshots');
    seen.stop();
  },

  async 'aggregates: count, sum, average'({ client, fs, fresh, equal }) {
    const db = client(PROJECT);
    const all = fs.collection(db, fresh('aggregates'));
    for (const n of [1, 2, 6]) await fs.setDoc(fs.doc(all, `d${n}`), { n });
    equal((await fs.getCountFromServer(fs.query(all, fs.where('n', '>', 1)))).data(), { count: 2 }, 'count');
    const sums = await fs.getAggregateFromServer(all, { sum: fs.sum('n'), average: fs.average('n') });
    equal(sums.data(), { sum: 9, average: 3 }, 'sums');
  },

  async 'server timestamps and increments: pending, then the server\'s'({ client, fs, fresh, equal, Seen, synced, metadata }) {
    const db = client(PROJECT);
    const ref = fs.doc(db, fresh('transform'), 'd');
    const seen = new Seen(ref, metadata);
    await seen.until('no document', (now) => now.data === null && synced(now));
    await fs.setDoc(ref, { n: fs.increment(2), at: fs.serverTimestamp() });
    await fs.updateDoc(ref, { n: fs.increment(3) });
    const now = await seen.until('both', (now) => now.data?.n === 5 && synced(now));
    equal(now.data.at instanceof fs.Timestamp, true, 'at is a time');
    equal(Math.abs(now.data.at.toMillis() - Date.now()) < 60_000, true, 'at is about now');
    equal(seen.snapshots.some((s) => s.pending && s.data?.at === null), true, 'an unknown time while pending');
    seen.stop();
  },

  async 'text of every width through a listener, one by one and all at once'({ client, fs, fresh, equal, Seen, synced }) {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('text');
    const seen = new Seen(fs.collection(db, name));
    await seen.until('nothing', synced);
    for (const [kind, text] of Object.entries(TEXTS)) {
      await fs.setDoc(fs.doc(other, name, kind), { text, [`f\u00e9 😀 ${kind}`]: [text] });
      await seen.until(kind, (now) => kind in now.data);
    }
    await fs.setDoc(fs.doc(other, name, 'é 中 😀'), { text: 'its name' });
    await seen.until('the name', (now) => 'é 中 😀' in now.data);
    const again = new Seen(fs.collection(client(PROJECT), name));
    await again.until('all', (now) => now.ids.length === Object.keys(TEXTS).length + 1 && synced(now));
    for (const { last } of [seen, again]) {
      for (const [kind, text] of Object.entries(TEXTS)) {
        const { text: alone, [`f\u00e9 😀 ${kind}`]: listed, ...more } = last.data[kind];
        equal([alone, listed, more], [text, [text], {}], kind);
      }
    }
    seen.stop();
    again.stop();
  },

  async 'documents of nearly 1 MB, ASCII and emoji, written and listened to'({ client, fs, fresh, equal, Seen, synced }) {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('large');
    const seen = new Seen(fs.collection(db, name));
    await seen.until('nothing', synced);
    const large = { ascii: 'x'.repeat(1_000_000), emoji: '😀'.repeat(250_000) };
    for (const [kind, text] of Object.entries(large)) {
      await fs.setDoc(fs.doc(other, name, kind), { text });
      await seen.until(kind, (now) => kind in now.data && synced(now));
    }
    for (const [kind, text] of Object.entries(large)) equal(seen.last.data[kind].text === text, true, kind);
    const error = await fs.setDoc(fs.doc(db, name, 'larger'), { text: 'x'.repeat(1_100_000) }).catch((e) => e);
    equal(error.code, 'invalid-argument', 'more than 1 MiB');
    seen.stop();
  },

  async 'two listeners and 50 quick writes: every one, in order'({ client, fs, fresh, equal, Seen, synced }) {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('quick');
    const one = new Seen(fs.doc(db, name, 'c'));
    const all = new Seen(fs.collection(other, name));
    for (const seen of [one, all]) await seen.until('nothing', synced);
    const writes = [];
    for (let n = 0; n < 50; n++) writes.push(fs.setDoc(fs.doc(db, name, 'c'), { n }), fs.setDoc(fs.doc(db, name, `d${n}`), { n }));
    await Promise.all(writes);
    await all.until('all', (now) => now.ids.length === 51 && now.data.c.n === 49 && synced(now));
    await one.until('49', (now) => now.data?.n === 49);
    equal(one.snapshots.map((s) => s.data?.n ?? -1), [-1, ...Array(50).keys()], 'snapshots of the writer');
    const counts = all.snapshots.filter((s) => s.data.c).map((s) => s.data.c.n);
    equal(counts, [...counts].sort((a, b) => a - b), "the other's counts go up");
    const arrived = all.snapshots.flatMap((s) => s.changes).filter((c) => c.startsWith('added d')).map((c) => c.slice(7));
    equal([...arrived].sort((a, b) => a - b), [...Array(50).keys()].map(String), 'each arrived once');
    for (const s of all.snapshots.slice(1)) {
      const last = Math.max(-1, ...s.ids.filter((id) => id !== 'c').map((id) => Number(id.slice(1))));
      equal(s.ids.length <= last + 2 && (s.ids.length >= last + 1), true, `no gap: ${s.ids.length} up to ${last}`);
    }
    one.stop();
    all.stop();
  },

  async 'a listener that is not allowed gets permission-denied, the others live on'({ client, fs, fresh, equal, Seen, replaceRules }) {
    const project = 'demo-browser-denied';
    await replaceRules(project, 'match /open/{id} { allow read, write; }');
    const db = client(project, { uid: 'alice' });
    const open = new Seen(fs.collection(db, 'open'));
    const closed = [new Seen(fs.collection(db, 'closed')), new Seen(fs.doc(db, 'closed/a'))];
    for (const seen of closed) equal((await seen.failure()).code, 'permission-denied', 'code');
    const id = fresh('d');
    await fs.setDoc(fs.doc(db, 'open', id), { n: 1 });
    await open.until('the document', (now) => now.ids.includes(id));
    const refused = await fs.setDoc(fs.doc(db, 'closed/a'), { n: 1 }).catch((error) => error);
    equal([refused.code, open.error], ['permission-denied', null], 'the write, and the listener that is allowed');
    open.stop();
  },

  async 'disableNetwork, enableNetwork: local writes wait, what others did comes'({ client, fs, fresh, equal, Seen, synced, metadata }) {
    const [db, other] = [client(PROJECT), client(PROJECT)];
    const name = fresh('offline');
    for (const id of ['a', 'b', 'c']) await fs.setDoc(fs.doc(other, name, id), { n: 0 });
    const seen = new Seen(fs.collection(db, name), metadata);
    await seen.until('all', (now) => now.ids.length === 3 && synced(now));
    await fs.disableNetwork(db);
    await seen.until('the word that it is offline', (now) => now.cache);
    const waiting = fs.setDoc(fs.doc(db, name, 'd'), { n: 1 });
    await seen.until('the local write', (now) => now.ids.length === 4 && now.pending && now.cache);
    await fs.deleteDoc(fs.doc(other, name, 'a'));
    await fs.setDoc(fs.doc(other, name, 'b'), { n: 7 });
    await fs.enableNetwork(db);
    await waiting;
    await seen.until('everything', (now) => now.ids.join() === 'b,c,d' && now.data.b.n === 7 && synced(now));
    seen.stop();
  },
};
