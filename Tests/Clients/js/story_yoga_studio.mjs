// A story of the Yoga Studio pack, told with the snippets of its page.
//
//     FIREBASE_JS=FOLDER node story_yoga_studio.mjs [HOST:PORT]
//
// Needs a server with rules, seed and triggers of the pack (Scripts/pack-stories).
import { client, equal, fresh, fs, run } from './checks.mjs';
import { denied, eventually, snippets, writeAsServer } from './snippets.mjs';

const PROJECT = process.env.GCLOUD_PROJECT ?? 'demo';
const page = snippets('yoga-studio');
const data = async (db, path) => (await fs.getDoc(fs.doc(db, path))).data();

const admin = client.bind(null, PROJECT, 'olga', { role: 'admin' });

/** A member with a plan of four classes a month, which the studio's server has made. */
async function member() {
  const me = fresh('member');
  await writeAsServer(PROJECT, `users/${me}/subscription/current`, {
    id: { stringValue: `sub_${me}` }, userId: { stringValue: me }, plan: { stringValue: 'basic' },
    startDate: { timestampValue: '2026-02-15T00:00:00Z' }, endDate: { timestampValue: '2099-12-31T00:00:00Z' },
    isActive: { booleanValue: true }, classesUsed: { integerValue: '0' }, classesLimit: { integerValue: '4' },
    lastClassId: { nullValue: null }, autoRenew: { booleanValue: true }, pendingPlan: { nullValue: null },
  });
  const user = { me, db: client(PROJECT, me) };
  return { ...user, ...await page.run('What a member does with a class', user) };
}

const uses = async (user) => (await data(user.db, `users/${user.me}/subscription/current`)).classesUsed;

/** A class of two that begins in some years, or at another time. */
async function newClass(start = new Date('2099-04-01T18:00:00Z')) {
  const db = admin();
  const [id, uid] = [fresh('class'), 'nobody'];
  const words = { db, id, uid, start, title: 'Yin', description: '', instructorName: 'Mei' };
  // The page's class holds twelve, and nobody has come to it yet.
  await page.run('Admins, with the claim', words).catch((error) => {
    if (error.code !== 'not-found' && error.code !== 'permission-denied') throw error;
  });
  await fs.updateDoc(fs.doc(db, 'classes', id), { capacity: 2 });
  return id;
}

const checks = {
  async 'a member registers, and sees the timetable and the own bookings'() {
    const me = fresh('member');
    const db = client(PROJECT, me);
    const names = { me, db, user: { email: `${me}@example.com` }, firstName: 'Mia', lastName: 'Berg' };
    // The address of a profile is that of the token.
    const own = client(PROJECT, me, { email: names.user.email, email_verified: true });
    const { classes, mine } = await page.run('Registering', { ...names, db: own });
    equal((await data(own, `users/${me}`)).role, 'member', 'role');
    const found = await fs.getDocs(classes);
    equal(found.docs.every((one) => one.get('category') === 'yin' && one.get('isActive')), true, 'timetable');
    equal((await fs.getDocs(mine)).size, 0, 'bookings');
  },

  async 'book, wait, cancel and be promoted'() {
    const id = await newClass();
    const [first, second, third] = [await member(), await member(), await member()];
    await first.book(id);
    await second.book(id);
    await denied(third.book(id));
    await third.wait(id);
    await first.cancel(id);
    await eventually('the one who waited has the place', async () =>
      (await data(third.db, `classes/${id}/bookings/${third.me}`))?.status === 'confirmed');
    const state = await data(third.db, `classes/${id}`);
    equal([state.bookedCount, state.waitlistCount], [2, 0], 'counts');
    equal([await uses(first), await uses(second), await uses(third)], [0, 1, 1], 'uses of the plans');
    const told = await fs.getDocs(fs.collection(third.db, 'users', third.me, 'notifications'));
    equal(told.docs.map((one) => one.get('classId')), [id], 'notification');
  },

  async 'who leaves the waiting list is passed over'() {
    const id = await newClass();
    const [first, second, third, fourth] = [await member(), await member(), await member(), await member()];
    await first.book(id);
    await second.book(id);
    await third.wait(id);
    await fourth.wait(id);
    await third.leave(id);
    await second.cancel(id);
    await eventually('the next one has the place', async () =>
      (await data(fourth.db, `classes/${id}/bookings/${fourth.me}`))?.status === 'confirmed');
    equal(await data(third.db, `classes/${id}/bookings/${third.me}`), undefined, 'the one who left');
  },

  async 'the plan changes at the end of the period, and not by the member'() {
    const user = await member();
    await page.run('The plan: the change', user);
    const plan = await data(user.db, `users/${user.me}/subscription/current`);
    equal([plan.plan, plan.pendingPlan], ['basic', 'premium'], 'plan and the one that is asked for');
    await denied(fs.updateDoc(fs.doc(user.db, `users/${user.me}/subscription/current`), { classesLimit: 99 }));
  },

  async 'no snippet of the page was left out'() {
    equal(page.unused(), [], 'snippets that were not run');
  },
};

await run(checks);
