// Members of the Yoga Studio pack race for places, each in a transaction of the Firebase JS SDK.
//
//     FIREBASE_JS=FOLDER node pack_race.mjs [HOST:PORT]
//
// Needs a server with rules/yoga-studio.rules and seeds/yoga-studio.yaml. This SDK's transactions hold no locks: it reads, and
// commits on condition that nothing has changed. So most attempts are overtaken, and the SDK waits longer before each of its
// five; who is out of them calls again. Rules are judged before conditions, so an overtaken count that was written as read,
// plus one, is denied rather than overtaken, and the SDK does not try that again by itself: the app does, with fresh reads.
import { client, equal, fs, run } from './checks.mjs';

const PROJECT = 'demo';
const MEMBERS = Number(process.env.MEMBERS ?? 100);
// Calls of one member before the race is given up: what is denied for another reason must fail, not hang.
const CALLS_MAX = 200;
const OVERTAKEN = ['aborted', 'failed-precondition', 'already-exists', 'permission-denied'];

const counts = {
  plain: (data, field) => ({ [field]: data[field] + 1 }),
  increment: (data, field) => ({ [field]: fs.increment(1) }),
};

/** Books or joins the waiting list; `count` says how a counter is written. */
function booking(db, me, classId, count, attempts) {
  const cls = fs.doc(db, 'classes', classId);
  const mine = fs.doc(cls, 'bookings', me);
  return fs.runTransaction(db, async (transaction) => {
    attempts.push(Date.now());
    const data = (await transaction.get(cls)).data();
    if ((await transaction.get(mine)).exists()) throw new Error(`${me} is booked already`);
    const places = data.bookedCount < data.capacity && data.waitlistCount === 0;
    if (places) {
      transaction.set(mine, {
        id: me, userId: me, classId, bookingDate: fs.serverTimestamp(), status: 'confirmed', paymentId: null, period: null,
      });
    } else {
      transaction.set(fs.doc(cls, 'waitlist', me), { userId: me, joinedAt: fs.serverTimestamp() });
    }
    transaction.update(cls, count(data, places ? 'bookedCount' : 'waitlistCount'));
    return places;
  });
}

/** Calls until a call succeeds. */
async function race(db, me, classId, count) {
  const attempts = [];
  const refusals = {};
  for (let call = 1; call <= CALLS_MAX; call += 1) {
    try {
      const booked = await booking(db, me, classId, count, attempts);
      return { me, booked, attempts: attempts.length, calls: call, refusals };
    } catch (error) {
      if (!OVERTAKEN.includes(error.code)) throw error;
      refusals[error.code] = (refusals[error.code] ?? 0) + 1;
    }
  }
  throw new Error(`${me} had no luck in ${CALLS_MAX} calls: ${JSON.stringify(refusals)}`);
}

async function raceFor(classId, count) {
  const admin = client(PROJECT, 'olga', { role: 'admin' });
  const cls = fs.doc(admin, 'classes', classId);
  const like = (await fs.getDoc(fs.doc(admin, 'classes', 'race'))).data();
  await fs.setDoc(cls, { ...like, id: classId, bookedCount: 0, waitlistCount: 0 });
  const members = Array.from({ length: MEMBERS }, (_, index) => `member_${index + 1}`);
  const clients = members.map((me) => client(PROJECT, me));
  const began = Date.now();
  const outcomes = await Promise.all(members.map((me, index) => race(clients[index], me, classId, count)));
  const seconds = (Date.now() - began) / 1000;

  const total = (field) => outcomes.reduce((sum, outcome) => sum + outcome[field], 0);
  const refusals = {};
  for (const outcome of outcomes) {
    for (const [code, times] of Object.entries(outcome.refusals)) refusals[code] = (refusals[code] ?? 0) + times;
  }
  console.log(`        ${MEMBERS} members: ${seconds.toFixed(1)} s, ${total('attempts')} attempts in ${total('calls')} calls, `
    + `calls that failed: ${JSON.stringify(refusals)}`);

  const booked = (await fs.getDocs(fs.collection(cls, 'bookings'))).docs.map((entry) => entry.id);
  const waiting = (await fs.getDocs(fs.query(fs.collection(cls, 'waitlist'), fs.orderBy('joinedAt')))).docs;
  const places = Math.min(like.capacity, MEMBERS);
  const data = (await fs.getDoc(cls)).data();
  equal([data.bookedCount, booked.length], [places, places], 'places, counted and booked');
  equal([data.waitlistCount, waiting.length], [MEMBERS - places, MEMBERS - places], 'who waits, counted and stored');
  equal([...booked, ...waiting.map((entry) => entry.id)].sort(), [...members].sort(), 'everybody, once');
  equal(booked, outcomes.filter((outcome) => outcome.booked).map((outcome) => outcome.me).sort(), 'who was told of a place');
  const times = waiting.map((entry) => entry.data().joinedAt);
  equal(times.every((time, index) => index === 0 || times[index - 1].valueOf() < time.valueOf()), true, 'no two joined at once');
}

await run({
  async 'members race in transactions that add with increment'() {
    await raceFor('race_increment', counts.increment);
  },

  async 'members race in transactions that write counts as read, plus one'() {
    await raceFor('race_plain', counts.plain);
  },
});
