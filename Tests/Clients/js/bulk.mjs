// Bulk writers and recursive deletes of the Node server SDK against a running server.
//
//     FIRESTORE_NODE=FOLDER node bulk.mjs [HOST:PORT]
//
// FOLDER has node_modules/@google-cloud/firestore in it. Skips with a word without FIRESTORE_NODE.
import { createRequire } from 'node:module';
import path from 'node:path';
import { equal, fresh, runAll } from './seen.mjs';

if (!process.env.FIRESTORE_NODE) {
  console.log('FIRESTORE_NODE is not set: the Node server SDK was not tried');
  process.exit(0);
}
if (process.argv[2]) process.env.FIRESTORE_EMULATOR_HOST = process.argv[2];
const require = createRequire(path.resolve(process.env.FIRESTORE_NODE, 'node_modules', 'x.js'));
const { Firestore } = require('@google-cloud/firestore');
const db = new Firestore({ projectId: 'demo-bulk' });

const size = async (query) => (await query.count().get()).data().count;

/** Documents at three depths, one of them below a document that is none. */
async function tree(root) {
  const references = [root];
  for (let child = 0; child < 5; child += 1) {
    const reference = root.collection('children').doc(`c${child}`);
    references.push(reference);
    for (let grand = 0; grand < 20; grand += 1) references.push(reference.collection('grand').doc(`g${grand}`));
  }
  references.push(root.collection('orphans').doc('absent').collection('deep').doc('d'));
  const writer = db.bulkWriter();
  for (const reference of references) writer.create(reference, { at: reference.path });
  await writer.close();
  return references;
}

const left = async (references) => (await db.getAll(...references)).filter((each) => each.exists).length;

const checks = {
  async 'a bulk writer creates, sets, updates and deletes hundreds of documents'() {
    const collection = db.collection(fresh('bulk'));
    for (let number = 0; number < 9; number += 1) await collection.doc(`old${number}`).set({ n: number, keep: true });
    const writer = db.bulkWriter();
    for (let number = 0; number < 500; number += 1) writer.create(collection.doc(`new${number}`), { n: number });
    for (let number = 0; number < 3; number += 1) writer.set(collection.doc(`old${number}`), { n: -1 }, { merge: true });
    for (let number = 3; number < 6; number += 1) writer.update(collection.doc(`old${number}`), { n: -2 });
    for (let number = 6; number < 9; number += 1) writer.delete(collection.doc(`old${number}`));
    await writer.close();
    equal(await size(collection), 506, 'documents');
    equal((await collection.doc('old0').get()).data(), { keep: true, n: -1 }, 'merged');
    equal((await collection.doc('old5').get()).data(), { keep: true, n: -2 }, 'updated');
  },

  async 'one failure among many is told for its own document, and the others stand'() {
    const collection = db.collection(fresh('bulk'));
    await collection.doc('d7').set({ taken: true });
    const failed = [];
    let written = 0;
    const writer = db.bulkWriter();
    writer.onWriteResult(() => { written += 1; });
    writer.onWriteError((error) => { failed.push([error.documentRef.id, error.code]); return false; });
    for (let number = 0; number < 40; number += 1) {
      writer.create(collection.doc(`d${number}`), { n: number }).catch(() => {});
    }
    await writer.close();
    equal([failed, written], [[['d7', 6]], 39], 'failures and writes');
    equal((await collection.doc('d7').get()).data(), { taken: true }, 'the one that was there');
  },

  async 'several writes of one document keep their order'() {
    const reference = db.collection(fresh('bulk')).doc('one');
    const writer = db.bulkWriter();
    writer.set(reference, { n: 0 });
    for (let number = 1; number <= 30; number += 1) writer.update(reference, { n: number });
    await writer.close();
    equal((await reference.get()).data(), { n: 30 }, 'the last one');
  },

  async 'a failure is tried again as often as the app says'() {
    const reference = db.collection(fresh('bulk')).doc('late');
    const attempts = [];
    const writer = db.bulkWriter();
    writer.onWriteError((error) => { attempts.push(error.failedAttempts); return error.failedAttempts < 3; });
    const end = writer.update(reference, { n: 1 }).then(() => 0, (error) => error.code);
    await writer.close();
    equal([attempts, await end], [[1, 2, 3], 5], 'attempts, and what came of it');
  },

  async 'a recursive delete takes a document and everything below it, and nothing beside'() {
    const collection = db.collection(fresh('tree'));
    const [mine, beside] = [await tree(collection.doc('a')), await tree(collection.doc('a1'))];
    await db.recursiveDelete(collection.doc('a'));
    equal([await left(mine), await left(beside)], [0, beside.length], 'documents that are left');
    equal((await collection.doc('a').listCollections()).length, 0, 'collections');
  },

  async 'a recursive delete takes a collection, with a writer of the app'() {
    const collection = db.collection(fresh('tree'));
    const references = [];
    for (const name of ['x', 'y', 'z']) references.push(...await tree(collection.doc(name)));
    let deleted = 0;
    const writer = db.bulkWriter();
    writer.onWriteResult(() => { deleted += 1; });
    await db.recursiveDelete(collection, writer);
    equal([await left(references), deleted], [0, references.length], 'left and deleted');
    // The writer is the app's and takes more.
    writer.create(collection.doc('again'), {});
    await writer.close();
    equal(await size(collection), 1, 'what was written afterwards');
  },

  async 'a recursive delete of nothing deletes nothing'() {
    await db.recursiveDelete(db.collection(fresh('tree')));
  },
};

await runAll(checks);
