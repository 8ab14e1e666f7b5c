// A story of the Shaolin pack, told with the snippets of its page.
//
//     FIREBASE_JS=FOLDER node story_shaolin.mjs [HOST:PORT]
//
// Needs a server with rules, seed and triggers of the pack.
import { createHash } from 'node:crypto';
import { client, equal, fresh, fs, run } from './checks.mjs';
import { denied, eventually, snippets, writeAsServer } from './snippets.mjs';

const PROJECT = process.env.GCLOUD_PROJECT ?? 'demo';
const page = snippets('shaolin');
const provider = (name) => ({ firebase: { sign_in_provider: name, identities: {} } });
const account = (uid, email) => client(PROJECT, uid, {
  ...(email ? { email, email_verified: true } : {}), ...provider('password'),
});
const data = async (db, path) => (await fs.getDoc(fs.doc(db, path))).data();

/** What `firebase/auth` has of the caller; tokens are the client's. */
const signedIn = (uid, email) => ({
  uid, email, emailVerified: email !== undefined, reload: async () => {}, getIdToken: async () => '',
});

const checks = {
  async 'a visitor looks around, and sees previews'() {
    const db = client(PROJECT, 'visitor', provider('anonymous'));
    const { previews } = await page.run('A visitor looks around', { db, auth: {}, signInAnonymously: async () => {} });
    equal([previews.docs.some((one) => one.id === 'horse_stance'), previews.docs.every((one) => one.get('isFreePreview'))],
      [true, true], 'previews');
    await denied(fs.getDocs(fs.collection(db, 'programs')));
  },

  async 'an account whose address the CRM knows is enrolled, told so, and sees what the rank opens'() {
    const uid = fresh('student');
    const email = `${uid}@example.org`;
    const db = account(uid, email);
    await writeAsServer(PROJECT, `crmStudents/${createHash('sha256').update(email).digest('hex')}`, {
      email: { stringValue: email }, programs: { arrayValue: { values: [{ stringValue: 'kungfu' }] } },
      ranks: { mapValue: { fields: { kungfu: { integerValue: '3' } } } },
    });
    await page.run('First start with an account', { db, auth: { currentUser: signedIn(uid, email) } });
    await eventually('enrolled', async () => (await data(db, `users/${uid}`)).userType === 'enrolled');
    const told = await fs.getDocs(fs.collection(db, 'users', uid, 'notifications'));
    equal(told.docs.map((one) => one.get('change')), ['enrolled'], 'notifications');
    await fs.deleteDoc(told.docs[0].ref);
    const course = fs.query(fs.collectionGroup(db, 'techniques'), fs.where('courseId', '==', 'sword_basics'));
    await denied(fs.getDocs(course));
    await writeAsServer(PROJECT, `purchases/${uid}/courses/sword_basics`, { courseId: { stringValue: 'sword_basics' } });
    const { mine, sword } = await page.run("A student's techniques", { db, me: signedIn(uid, email) });
    equal([mine.docs.some((one) => one.id === 'tornado_kick'), mine.docs.every((one) => one.get('minRank') <= 3)],
      [true, true], 'techniques of the rank');
    equal(sword.docs.some((one) => one.id === 'sword_draw'), true, 'the course');
  },

  async 'practice is counted, and the journal is kept'() {
    const uid = fresh('student');
    const [db, me] = [account(uid), signedIn(uid)];
    await page.run('Practice: start, rate, end', { db, me });
    const review = await eventually('a review', () => data(db, `users/${uid}/achievements/review_horse_stance`));
    equal(review.interval, 2, 'days');
    const { sessions, seconds, repetitions } = await data(db, `users/${uid}/achievements/statistics`);
    equal([sessions, seconds, repetitions], [1, 1726, 10], 'statistics');
    const { kicks } = await page.run('The journal, and its entries', { db, me });
    equal(kicks.docs.map((one) => one.get('text')), ['Look first, then turn.'], 'entries');
  },

  async 'child and parent name each other, and the parent sees how the child gets on'() {
    await page.run('The child agrees', { db: account('eli'), me: signedIn('eli') });
    const { history } = await page.run('The parent adds the child', { db: account('mum'), me: signedIn('mum') });
    equal(history.docs.some((one) => one.id === 'first'), true, 'sessions');
    await denied(fs.getDocs(fs.collection(account('dad'), 'users/eli/practiceSessions')));
  },

  async 'no snippet of the page was left out'() {
    equal(page.unused(), [], 'snippets');
  },
};

await run(checks);
