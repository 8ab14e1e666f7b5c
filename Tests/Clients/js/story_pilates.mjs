// A story of the Pilates pack, told with the snippets of its page.
//
//     FIREBASE_JS=FOLDER node story_pilates.mjs [HOST:PORT]
//
// Needs a server with rules, seed and triggers of the pack (Scripts/pack-stories).
import { client, equal, fresh, fs, run } from './checks.mjs';
import { denied, eventually, snippets } from './snippets.mjs';

const PROJECT = process.env.GCLOUD_PROJECT ?? 'demo';
const page = snippets('pilates');
const data = async (db, path) => (await fs.getDoc(fs.doc(db, path))).data();
const friendsOf = async (user) => (await data(user.db, `users/${user.me}`)).friends;

/** Somebody who has just signed up. */
async function newcomer() {
  const me = fresh('student');
  const user = { me, db: client(PROJECT, me) };
  await page.run('Sign up.', user);
  return user;
}

/** Runs a snippet that listens, until what it shows is as wanted. */
async function shown(words, user, show, wanted) {
  let last;
  await page.run(words, { ...user, [show]: (snapshot) => { last = snapshot; } });
  return eventually(words, () => last && wanted(last) && last);
}

async function befriend(first, second) {
  await page.run('Ask somebody', { ...first, to: second.me, myName: 'Alex' });
  await shown('Requests to me.', second, 'show', (snapshot) => snapshot.docs.some((one) => one.get('from') === first.me));
  await page.run('Accept.', { ...second, from: first.me });
}

const checks = {
  async 'sign up, and change the settings'() {
    const maya = await newcomer();
    await page.run('Settings.', maya);
    const profile = await data(maya.db, `users/${maya.me}`);
    equal([profile.settings.darkMode, profile.avatarRing, profile.friends], [true, '#3B82F6', []], 'profile');
  },

  async 'the library has what was asked for'() {
    const { cards } = await page.run('The library', await newcomer());
    equal(cards.docs.some((one) => one.id === 'core_blaster_l1'), true, 'cards');
    equal(cards.docs.every((one) => one.get('level') === 'Beginner' && one.get('tags').includes('Core')), true, 'all');
  },

  async 'two become friends, train, see each other, and part'() {
    const [maya, alex] = [await newcomer(), await newcomer()];
    await denied(fs.getDoc(fs.doc(alex.db, 'users', maya.me)));
    await befriend(maya, alex);
    equal([await friendsOf(maya), await friendsOf(alex)], [[alex.me], [maya.me]], 'friends');

    const start = new Date(Date.now() - 3_600_000);
    await page.run('A finished session.', { ...maya, workoutId: 'morning_flow', start, seconds: 605 });
    const feed = await shown('The feed.', { ...alex, friends: [maya.me] }, 'showFeed', (snapshot) => snapshot.size === 1);
    equal(feed.docs[0].get('workoutTitle'), 'Morning Flow', 'activity');
    const { given } = await page.run('A high five', { ...alex, activityId: feed.docs[0].id });
    equal(given, true, 'given');

    // Made by the server's function, in whichever week this is.
    const weeks = await eventually('a week', async () => {
      const found = await fs.getDocs(fs.collection(alex.db, 'users', maya.me, 'progress'));
      return found.size > 0 && found;
    });
    equal(weeks.docs.map((one) => [one.get('bars').reduce((a, b) => a + b), one.get('streak'), one.get('totalWorkouts')]),
      [[10, 1, 1]], 'weeks');
    const { wall } = await page.run("A friend's week", { ...alex, friend: maya.me });
    equal(wall.docs.every((one) => one.id === 'early_bird'), true, 'badges');

    await page.run('End a friendship.', { ...alex, friend: maya.me });
    equal([await friendsOf(maya), await friendsOf(alex)], [[], []], 'friends');
    await denied(fs.getDocs(fs.query(fs.collection(alex.db, 'activity'), fs.where('uid', 'in', [maya.me]))));
  },

  async 'who leaves is forgotten by friends'() {
    const [maya, alex] = [await newcomer(), await newcomer()];
    await befriend(maya, alex);
    await page.run('Delete the account.', maya);
    await eventually('forgotten', async () => (await friendsOf(alex)).length === 0);
  },

  async 'no snippet of the page was left out'() { equal(page.unused(), [], 'snippets'); },
};

await run(checks);
