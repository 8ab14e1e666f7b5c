// A story of the FitCoach pack, told with the snippets of its page.
//
//     FIREBASE_JS=FOLDER node story_fitcoach.mjs [HOST:PORT]
//
// Needs a server with rules, seed and triggers of the pack (Scripts/pack-stories).
import { client, equal, fresh, fs, run } from './checks.mjs';
import { denied, eventually, snippets, writeAsServer } from './snippets.mjs';

const PROJECT = process.env.GCLOUD_PROJECT ?? 'demo';
const page = snippets('fitcoach');
const user = (uid) => client(PROJECT, uid, { role: 'user' });
const data = async (db, path) => (await fs.getDoc(fs.doc(db, path))).data();

/** A user with a coach; returns the month's usage document, which a trigger makes. */
async function signUp(db, me) {
  await fs.setDoc(fs.doc(db, 'users', me), {
    language: 'en', onboardingSeen: true, coachId: null, timeZone: 'Europe/Berlin', tutorialsSeen: {},
  });
  const usage = await eventually('counters', async () => (await fs.getDocs(fs.collection(db, 'users', me, 'usage'))).docs[0]);
  await fs.updateDoc(fs.doc(client(PROJECT, 'ada', { role: 'admin' }), 'users', me), { coachId: 'sara' });
  return usage;
}

const checks = {
  async 'a new user gets counters; messages are counted until the quota is used up'() {
    const me = fresh('user');
    const db = user(me);
    const usage = await signUp(db, me);
    equal([usage.get('chatUsed'), usage.get('sessionsUsed')], [0, 0], 'counters');
    const names = { db, me, coachId: 'sara', month: usage.id, text: 'Hello' };
    await page.run('The first message of a pair', names);
    for (let sent = 0; sent < 5; sent += 1) await page.run('A message, counted', names);
    await denied(page.run('A message, counted', names));
    equal((await data(db, `users/${me}/usage/${usage.id}`)).chatUsed, 5, 'messages');
  },

  async 'a slot is booked and approved, and is free no more'() {
    const me = fresh('user');
    const [db, coach] = [user(me), client(PROJECT, 'sara', { role: 'coach' })];
    const usage = await signUp(db, me);
    await writeAsServer(PROJECT, `subscriptions/${me}`, { planId: { stringValue: 'premium' } });
    const start = 4102444800000 + Math.floor(Math.random() * 1e6) * 1_800_000;
    const time = (millis) => fs.Timestamp.fromMillis(millis);
    await fs.setDoc(fs.doc(coach, `coaches/sara/slots/sara_${start}`), {
      startsAt: time(start), endsAt: time(start + 1_800_000), isAvailable: true,
    });
    const names = { db, me, coachId: 'sara', month: usage.id, e: { categoryId: 'legs_barbell' }, today: '2026-03-01' };
    const { similar, slots, mine } = await page.run('Queries of a user', names);
    if ((await fs.getDocs(similar)).size < 3) throw new Error('too few exercises');
    const slot = (await fs.getDocs(slots)).docs.find((one) => one.id === `sara_${start}`);
    await page.run('A session, counted', { ...names, slot });
    equal((await fs.getDocs(mine)).docs.map((one) => one.id), [slot.id], 'bookings');
    await eventually('taken', async () => !(await fs.getDocs(slots)).docs.some((one) => one.id === slot.id));
    await page.run('The coach answers', { db: coach, slot });
    equal((await data(db, `bookings/${slot.id}`)).status, 'approved', 'status');
  },

  async 'a coach sees clients and what waits'() {
    const db = client(PROJECT, 'sara', { role: 'coach' });
    const { waiting, clients } = await page.run('Queries of a coach', { db, me: 'sara' });
    await fs.getDocs(waiting);
    const ids = (await fs.getDocs(clients)).docs.map((one) => one.id);
    equal(['mina', 'omar'].every((id) => ids.includes(id)), true, 'clients');
  },

  async 'an exercise is swapped and taken back; a log and an order are written'() {
    const db = user('mina');
    const before = await data(db, 'users/mina/plan/2026-03-03');
    const e = before.exercises.e1;
    const { plan, similar } = await page.run('Queries of a user', { db, me: 'mina', coachId: 'sara', e, today: '2026-03-01' });
    equal((await fs.getDocs(plan)).size, 14, 'days');
    const other = (await fs.getDocs(similar)).docs.find((one) => one.id !== e.exerciseId);
    await page.run('A swap, and back', { db, me: 'mina', e, key: 'e1', other });
    equal(await data(db, 'users/mina/plan/2026-03-03'), before, 'the day');
    const now = fs.Timestamp.now();
    const log = { exerciseId: 'squat', sets: [{ reps: 5, weight: 20.5 }], weight: 20.5, reps: 5, duration: 60,
      caloriesEstimate: 9, startedAt: now, finishedAt: now };
    await page.run('A log.', { db, me: 'mina', log });
    const stock = (await data(db, 'products/whey')).stock;
    await page.run('An order', { db, me: 'mina' });
    equal((await data(db, 'products/whey')).stock, stock - 2, 'stock');
  },

  async 'an account is deleted on request'() {
    const me = fresh('user');
    const db = user(me);
    await fs.setDoc(fs.doc(db, 'users', me), {
      language: 'en', onboardingSeen: true, coachId: null, timeZone: 'UTC', tutorialsSeen: {},
    });
    await page.run('The account is to be deleted', { db, me });
    await eventually('deleted', async () => !(await data(db, `deletionRequests/${me}`)));
    equal(await data(db, `users/${me}`), undefined, 'the profile');
  },

  async 'no snippet of the page was left out'() { equal(page.unused(), [], 'snippets'); },
};

await run(checks);
