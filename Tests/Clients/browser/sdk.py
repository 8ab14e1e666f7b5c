#!/usr/bin/env python3
"""The Firebase JS SDK in a real browser: every way to carry streams, caches, tabs, restarts. Run by Scripts/browser.

    sdk.py [--server HOST:PORT | --serve 'COMMAND with PORT'] [--only REGEX]

Needs FIREBASE_JS. What one page can try alone is in checks.js, and is run over every transport.
"""
import functools
import os
import pathlib
import time

from browser import HERE, BrowserChecks, arguments, firebase, opened
from checks import close, fresh

PROJECT = "demo-browser"
ROOT = f"projects/{PROJECT}/databases/(default)/documents"
# Names as in harness.js. What the back channels of each may look like: CI=1 is long polling.
TRANSPORTS = {"detected": {"0", "1"}, "streaming": {"0"}, "xhr": {"0"}, "polling": {"1"}}
# What the SDK says by itself when a page has lost the server.
LOST = (r"net::ERR_", r"transport errored", r"Could not reach Cloud Firestore backend")
PAGE_CHECKS = [
    "set, get, merge, update, add, delete",
    "listener: first snapshot, local write at once, change of another client",
    "queries: where, orderBy, limit, limitToLast, cursors",
    "transactions: every increment of four clients counts",
    "a batch of 500 writes is one snapshot",
    "aggregates: count, sum, average",
    "server timestamps and increments: pending, then the server's",
    "text of every width through a listener, one by one and all at once",
    "documents of nearly 1 MB, ASCII and emoji, written and listened to",
    "two listeners and 50 quick writes: every one, in order",
    "a listener that is not allowed gets permission-denied, the others live on",
    "disableNetwork, enableNetwork: local writes wait, what others did comes",
]
# What Chromium itself writes when an answer is an error that the check asked for.
ANSWERED = {
    "set, get": (r"status of 404",), "documents of nearly": (r"status of 400",), "a listener that is not": (r"status of 403",),
    # A commit that lost is answered 409 or 400 and tried again by the SDK.
    "transactions": (r"status of (409|400)", r"RestConnection RPC 'Commit' .* failed"),
}
check = BrowserChecks()


def in_page(name, transport, session, server):
    page = session.page()
    page.evaluate("([name, transport]) => t.run(name, transport)", [name, transport])
    kinds = {parameters["CI"] for _, _, parameters in session.channels() if parameters.get("RID") == "rpc"}
    assert kinds <= TRANSPORTS[transport], f"back channels with CI in {sorted(kinds)}"


for page_check in PAGE_CHECKS:
    for transport in TRANSPORTS:
        may = next((patterns for start, patterns in ANSWERED.items() if page_check.startswith(start)), ())
        check(f"{transport}: {page_check}", may)(functools.partial(in_page, page_check, transport))


@check("the page has no check that is not run")
def every_check(session, server):
    assert sorted(session.page().evaluate("t.names")) == sorted(PAGE_CHECKS)


@check("from a page at http://localhost, the server being at another host name")
def other_origin(session, server):
    page = session.page(host="localhost")
    page.evaluate("name => t.run(name, 'detected')", PAGE_CHECKS[1])


@check("what the SDK detects by default is streaming")
def detection(session, server):
    # A page of its own each time: what one client has found out another would not ask again.
    ways = []
    for _ in range(10):
        page = session.page()
        session.requests.clear()
        page.evaluate(LISTEN_IN_CACHE, [fresh("detect"), "memory"])
        page.evaluate("() => t.seen.until('nothing', t.synced).then(() => true)")
        page.wait_for_timeout(300)
        ways.append({parameters["CI"] for _, _, parameters in session.channels() if parameters.get("RID") == "rpc"})
        page.close()
    # The SDK gives the server twice the time of the handshake; on a busy machine that is missed now and then.
    assert ways.count({"0"}) >= 8, f"back channels with CI in {ways}"
    return f"{ways.count({'0'})} of 10"


def listen_to_many(count, transport, session, server):
    name = fresh("many")
    server.fill(PROJECT, name, count, lambda n: {"n": {"integerValue": str(n)}, "text": {"stringValue": "x" * 60}})
    page = session.page()
    took = page.evaluate("""async ([name, count, transport]) => {
      const db = t.client('demo-browser', { transport });
      const began = performance.now();
      const seen = new t.Seen(t.fs.query(t.fs.collection(db, name), t.fs.orderBy('n')));
      await seen.until('all', (now) => now.ids.length === count && t.synced(now));
      const took = performance.now() - began;
      t.equal(seen.snapshots.length, 1, 'snapshots');
      await t.fs.updateDoc(t.fs.doc(db, name, 'd00007'), { n: -1 });
      await seen.until('the change', (now) => now.ids[0] === 'd00007');
      return took;
    }""", [name, count, transport])
    return f"first full snapshot after {took / 1000:.2f} s"


for transport in ("detected", "polling"):
    check(f"{transport}: a listener on 5,000 documents")(functools.partial(listen_to_many, 5_000, transport))
    check(f"{transport}: a listener on 20,000 documents", official="ends the session while it answers: 7,000 pass, 10,000 do not")(
        functools.partial(listen_to_many, 20_000, transport))


# --- caches, tabs, the network -----------------------------------------------------------------------------------

LISTEN_IN_CACHE = """async ([name, cache]) => {
  t.db = t.client('demo-browser', { cache, name: 'app' });
  t.all = t.fs.collection(t.db, name);
  t.seen = new t.Seen(t.all, t.metadata);
}"""
UNTIL = """([what, ids]) => t.seen.until(what, (now) => now.ids.join() === ids && t.synced(now)).then(() => true)"""


def written(server, name, document, fields):
    server.json("PATCH", f"v1/{ROOT}/{name}/{document}", {"fields": fields})


@check("IndexedDB: a page that is loaded again shows its documents before the server has answered", LOST)
def cached(session, server):
    name = fresh("cached")
    for document in "ab":
        written(server, name, document, {"n": {"integerValue": "1"}})
    page = session.page()
    page.evaluate(LISTEN_IN_CACHE, [name, "indexeddb"])
    page.evaluate(UNTIL, ["both", "a,b"])
    page.reload()
    page.wait_for_function("globalThis.t !== undefined")
    session.context.set_offline(True)
    page.evaluate(LISTEN_IN_CACHE, [name, "indexeddb"])
    page.evaluate("() => t.seen.until('both from the cache', (now) => now.ids.join() === 'a,b' && now.cache).then(() => true)")
    server.json("DELETE", f"v1/{ROOT}/{name}/a")
    written(server, name, "c", {"n": {"integerValue": "2"}})
    session.context.set_offline(False)
    page.evaluate("() => dispatchEvent(new Event('online'))")
    page.evaluate(UNTIL, ["what changed meanwhile", "b,c"])


@check("IndexedDB: a write that was pending when the page was loaded again arrives")
def pending_over_reload(session, server):
    name = fresh("pending")
    page = session.page()
    page.evaluate(LISTEN_IN_CACHE, [name, "indexeddb"])
    page.evaluate(UNTIL, ["nothing", ""])
    page.evaluate("""async () => {
      await t.fs.disableNetwork(t.db);
      void t.fs.setDoc(t.fs.doc(t.all, 'late'), { text: 'né 😀', at: t.fs.serverTimestamp() });
      await t.seen.until('the local write', (now) => now.ids.join() === 'late' && now.pending);
    }""")
    assert server.call("GET", f"v1/{ROOT}/{name}/late")[0] == 404
    page.reload()
    page.wait_for_function("globalThis.t !== undefined")
    page.evaluate(LISTEN_IN_CACHE, [name, "indexeddb"])
    page.evaluate("() => t.fs.waitForPendingWrites(t.db)")
    page.evaluate(UNTIL, ["the write, acknowledged", "late"])
    fields = server.json("GET", f"v1/{ROOT}/{name}/late")["fields"]
    assert fields["text"] == {"stringValue": "né 😀"} and "timestampValue" in fields["at"], fields


@check("IndexedDB: three tabs share one cache and one set of streams; another takes over", LOST)
def tabs(session, server):
    name = fresh("tabs")
    pages = [session.page() for _ in range(3)]
    for page in pages:
        page.evaluate(LISTEN_IN_CACHE, [name, "tabs"])
        page.evaluate(UNTIL, ["nothing", ""])
    opened_streams = {p["SID"] for stream, _, p in session.channels("Listen") if "SID" in p and p.get("TYPE") != "terminate"}
    for number, page in enumerate(pages):
        page.evaluate("id => t.fs.setDoc(t.fs.doc(t.all, id), { id })", f"d{number}")
    written(server, name, "d3", {"n": {"integerValue": "1"}})
    for page in pages:
        page.evaluate(UNTIL, ["the documents of all", "d0,d1,d2,d3"])
    assert len(opened_streams) == 1, f"{len(opened_streams)} Listen sessions for three tabs"
    pages[0].close(run_before_unload=False)
    written(server, name, "d4", {"n": {"integerValue": "1"}})
    for page in pages[1:]:
        page.evaluate(UNTIL, ["the document after the first tab was closed", "d0,d1,d2,d3,d4"])


@check("the browser loses its network and finds it again", LOST)
def offline(session, server):
    name = fresh("offline")
    page = session.page()
    page.evaluate(LISTEN_IN_CACHE, [name, "memory"])
    page.evaluate(UNTIL, ["nothing", ""])
    session.context.set_offline(True)
    page.evaluate("""() => {
      t.waiting = t.fs.setDoc(t.fs.doc(t.all, 'mine'), { n: 1 });
      return t.seen.until('the local write', (now) => now.ids.join() === 'mine' && now.pending).then(() => true);
    }""")
    written(server, name, "theirs", {"n": {"integerValue": "1"}})
    time.sleep(1)
    session.context.set_offline(False)
    page.evaluate("() => t.waiting")
    page.evaluate(UNTIL, ["both", "mine,theirs"])


# --- who is there ------------------------------------------------------------------------------------------------

@check("signing in, as another, and out in mid-session: each listener works or fails as the rules say")
def signing(session, server):
    project = "demo-browser-private"
    server.rules(project, (HERE / "private.rules").read_text())
    for uid in ("alice", "bob"):
        server.json("PATCH", f"v1/projects/{project}/databases/(default)/documents/private/{uid}",
                    {"fields": {"of": {"stringValue": uid}}})
    page = session.page()
    codes = page.evaluate("""async (project) => {
      const auth = new t.Session(project);
      const db = t.client(project, { auth });
      const note = (uid) => new t.Seen(t.fs.doc(db, 'private', uid), t.metadata);
      const open = new t.Seen(t.fs.collection(db, 'open'), t.metadata);
      await open.until('the open collection', t.synced);
      const codes = [];
      codes.push((await note('alice').failure()).code);
      auth.become('alice');
      const own = note('alice');
      await own.until('her own', (now) => now.data?.of === 'alice' && t.synced(now));
      codes.push((await note('bob').failure()).code);
      await t.fs.setDoc(t.fs.doc(db, 'private/alice'), { of: 'alice', n: 1 });
      await own.until('her write', (now) => now.data?.n === 1 && t.synced(now));
      auth.become('bob');
      codes.push((await own.failure()).code);
      await note('bob').until('his own', (now) => now.data?.of === 'bob' && t.synced(now));
      auth.become(null);
      codes.push((await note('bob').failure()).code);
      codes.push((await t.fs.setDoc(t.fs.doc(db, 'private/bob'), {}).catch((error) => error)).code);
      t.equal(open.error, null, 'error of the open listener');
      await t.fs.setDoc(t.fs.doc(db, 'open', t.fresh('d')), {});
      await open.until('the open write', (now) => now.ids.length > 0 && t.synced(now));
      return codes;
    }""", project)
    assert codes == ["permission-denied"] * 5, codes


@check("mockUserToken: claims reach the rules")
def claims(session, server):
    project = "demo-browser-claims"
    server.rules(project, """rules_version = '2'; service cloud.firestore { match /databases/{d}/documents {
      match /staff/{id} { allow read, write: if request.auth.token.role == 'staff' && request.auth.uid == id; } } }""")
    page = session.page()
    code = page.evaluate("""async (project) => {
      const make = (name, mockUserToken) => {
        const db = t.fs.getFirestore(t.core.initializeApp({ projectId: project, apiKey: 'none' }, name));
        t.fs.connectFirestoreEmulator(db, t.host, t.port, { mockUserToken });
        return db;
      };
      const db = make('staff', { sub: 'né', role: 'staff' });
      const seen = new t.Seen(t.fs.doc(db, 'staff/né'), t.metadata);
      await seen.until('nobody', t.synced);
      await t.fs.setDoc(t.fs.doc(db, 'staff/né'), { n: 1 });
      await seen.until('the write', (now) => now.data?.n === 1 && t.synced(now));
      const guest = make('guest', { sub: 'guest', role: 'guest' });
      return (await new t.Seen(t.fs.doc(guest, 'staff/guest')).failure()).code;
    }""", project)
    assert code == "permission-denied", code


# --- ends --------------------------------------------------------------------------------------------------------

@check("the server is killed and started again: listeners recover, waiting writes arrive", LOST + (r"status of 400",), restarts=True)
def restart(session, server):
    name = fresh("restart")
    page = session.page()
    page.evaluate(LISTEN_IN_CACHE, [name, "memory"])
    page.evaluate("() => t.fs.setDoc(t.fs.doc(t.all, 'before'), { n: 1 })")
    page.evaluate(UNTIL, ["the first write", "before"])
    server.kill()
    page.evaluate("""() => {
      t.waiting = t.fs.setDoc(t.fs.doc(t.all, 'during'), { n: 1 });
      return t.seen.until('the local write', (now) => now.ids.includes('during') && now.pending).then(() => true);
    }""")
    time.sleep(1)
    server.start()
    began = time.monotonic()
    page.evaluate("() => t.waiting")
    written(server, name, "later", {"n": {"integerValue": "1"}})
    # A server without a folder has forgotten what was before.
    left = sorted(d["name"].rsplit("/", 1)[1] for d in server.json("GET", f"v1/{ROOT}/{name}")["documents"])
    assert "during" in left and "later" in left, left
    page.evaluate(UNTIL, ["what the server has", ",".join(left)])
    return f"after {time.monotonic() - began:.1f} s"


@check("the same over long polling", LOST + (r"status of 400",), restarts=True)
def restart_polling(session, server):
    page = session.page()
    page.evaluate("() => { t.transport = 'polling'; }")
    session.page = lambda: page
    return restart(session, server)


@check("the same with IndexedDB, the page being loaded again while the server is away", LOST + (r"status of 400",), restarts=True)
def restart_cached(session, server):
    name = fresh("restart")
    page = session.page()
    page.evaluate(LISTEN_IN_CACHE, [name, "indexeddb"])
    page.evaluate("() => t.fs.setDoc(t.fs.doc(t.all, 'before'), { n: 1 })")
    page.evaluate(UNTIL, ["the first write", "before"])
    server.kill()
    page.reload()
    page.wait_for_function("globalThis.t !== undefined")
    page.evaluate(LISTEN_IN_CACHE, [name, "indexeddb"])
    page.evaluate("""async () => {
      await t.seen.until('the cached document', (now) => now.ids.join() === 'before' && now.cache);
      t.waiting = t.fs.setDoc(t.fs.doc(t.all, 'during'), { n: 1 });
      await t.seen.until('the local write', (now) => now.ids.includes('during') && now.pending);
    }""")
    server.start()
    page.evaluate("() => t.waiting")
    written(server, name, "later", {"n": {"integerValue": "1"}})
    left = sorted(d["name"].rsplit("/", 1)[1] for d in server.json("GET", f"v1/{ROOT}/{name}")["documents"])
    page.evaluate(UNTIL, ["what the server has", ",".join(left)])
    return f"{', '.join(left)} are left"


@check("terminate() ends the server's sessions and says nothing")
def terminate(session, server):
    page = session.page()
    page.evaluate("""async (name) => {
      const db = t.client('demo-browser');
      const seen = new t.Seen(t.fs.collection(db, name));
      await seen.until('nothing', t.synced);
      await t.fs.setDoc(t.fs.doc(db, name, 'a'), { n: 1 });
      await t.fs.terminate(db);
      let error;
      try { await t.fs.getDoc(t.fs.doc(db, name, 'a')); } catch (thrown) { error = thrown; }
      t.equal(error?.code, 'failed-precondition', 'code of a call afterwards');
    }""", fresh("terminate"))
    page.wait_for_timeout(500)
    sessions = {(s, p["SID"]) for s, _, p in session.channels() if "SID" in p}
    ended = {(s, p["SID"]) for s, _, p in session.channels() if p.get("TYPE") == "terminate"}
    assert len(sessions) == 2 and ended == sessions, f"{len(sessions)} sessions, {len(ended)} terminated"
    for stream, sid in sessions:
        status, _, _ = server.call("GET", back_channel(stream, sid), headers={"Origin": "http://localhost"})
        assert status == 400, f"{stream} afterwards: {status}"


def back_channel(stream, sid):
    database = f"projects%2F{PROJECT}%2Fdatabases%2F(default)"
    return (f"google.firestore.v1.Firestore/{stream}/channel?VER=8&database={database}&RID=rpc&SID={sid}"
            "&AID=0&CI=1&TYPE=xmlhttp&zx=x&t=1")


@check("pages that are closed in mid-session: their connections end, the others live on")
def closed_pages(session, server):
    name = fresh("closed")
    witness = session.page()
    witness.evaluate(LISTEN_IN_CACHE, [name, "memory"])
    witness.evaluate(UNTIL, ["nothing", ""])
    before = connections(server)
    pages = [session.page() for _ in range(3)]
    for page in pages:
        page.evaluate(LISTEN_IN_CACHE, [name, "memory"])
        page.evaluate("() => t.seen.until('the first state', t.synced).then(() => true)")
        page.evaluate("() => { void t.fs.setDoc(t.fs.doc(t.all, 'mine'), { n: Math.random() }); }")
    witness.evaluate(UNTIL, ["their write", "mine"])
    during = connections(server)
    for page in pages:
        page.close()
    for _ in range(100):
        after = connections(server)
        if after <= before + 1:
            break
        time.sleep(0.1)
    assert after <= before + 1, f"connections: {before} before, {during} with the pages, {after} after"
    written(server, name, "still", {"n": {"integerValue": "1"}})
    witness.evaluate(UNTIL, ["a later document", "mine,still"])
    return f"connections {before}, {during}, {after}"


def connections(server):
    """Established connections to the server's port, on this machine."""
    count = 0
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with open(table) as file:
            for line in list(file)[1:]:
                fields = line.split()
                count += fields[3] == "01" and fields[1].endswith(f":{server.port:04X}")
    return count


# --- the other builds --------------------------------------------------------------------------------------------

@check("firebase/firestore/lite: documents, queries, batch, transaction, aggregates", (r"status of 404", r"Commit.*not-found"))
def lite(session, server):
    page = session.page()
    page.evaluate("""async (name) => {
      const lite = await import('/sdk/firebase-firestore-lite.js');
      const db = lite.getFirestore(t.core.initializeApp({ projectId: 'demo-browser', apiKey: 'none' }, 'lite'));
      lite.connectFirestoreEmulator(db, t.host, t.port, { mockUserToken: { sub: 'alice' } });
      const all = lite.collection(db, name);
      await lite.setDoc(lite.doc(all, 'a'), { n: 1, text: 'né 😀 中' });
      t.equal((await lite.getDoc(lite.doc(all, 'a'))).data(), { n: 1, text: 'né 😀 中' }, 'a');
      const batch = lite.writeBatch(db);
      for (let n = 2; n < 6; n++) batch.set(lite.doc(all, `d${n}`), { n });
      await batch.commit();
      const found = await lite.getDocs(lite.query(all, lite.where('n', '>', 1), lite.orderBy('n', 'desc'), lite.limit(2)));
      t.equal(found.docs.map((d) => d.id), ['d5', 'd4'], 'query');
      await lite.runTransaction(db, async (transaction) => {
        const now = await transaction.get(lite.doc(all, 'a'));
        transaction.update(lite.doc(all, 'a'), { n: now.data().n + 10, at: lite.serverTimestamp() });
      });
      const sums = await lite.getAggregate(all, { sum: lite.sum('n'), count: lite.count() });
      t.equal(sums.data(), { sum: 25, count: 5 }, 'sums');
      const missing = await lite.updateDoc(lite.doc(all, 'none'), { n: 1 }).catch((error) => error);
      t.equal(missing.code, 'not-found', 'update of nothing');
      await lite.deleteDoc(lite.doc(all, 'a'));
      t.equal((await lite.getDoc(lite.doc(all, 'a'))).exists(), false, 'exists');
    }""", fresh("lite"))
    assert not session.channels(), "lite opens no streams"


@check("the compat builds as plain scripts")
def compat(session, server):
    page = session.page("compat.html", ready="globalThis.firebase?.firestore !== undefined")
    page.evaluate("""async (name) => {
      const [host, port] = new URLSearchParams(location.search).get('server').split(':');
      const db = firebase.initializeApp({ projectId: 'demo-browser', apiKey: 'none' }).firestore();
      db.useEmulator(host, Number(port), { mockUserToken: { sub: 'alice' } });
      const snapshots = [];
      let wake;
      const stop = db.collection(name).orderBy('n').onSnapshot((now) => {
        snapshots.push(now.docs.map((d) => d.id).join());
        wake?.();
      });
      const until = async (ids) => { while (snapshots.at(-1) !== ids) await new Promise((resolve) => { wake = resolve; }); };
      await until('');
      await db.collection(name).doc('a').set({ n: 2, at: firebase.firestore.FieldValue.serverTimestamp() });
      await db.collection(name).doc('b').set({ n: 1 });
      await until('b,a');
      await db.runTransaction(async (transaction) => {
        const ref = db.collection(name).doc('b');
        transaction.update(ref, { n: (await transaction.get(ref)).data().n + 5 });
      });
      await until('a,b');
      await db.collection(name).doc('a').delete();
      await until('b');
      stop();
      await db.terminate();
    }""", fresh("compat"))


def testing_rules(session, server):
    page = session.page("rules.html", ready="globalThis.testing !== undefined")
    page.evaluate("""async (rules) => {
      const { assertFails, assertSucceeds, initializeTestEnvironment } = testing;
      const [host, port] = new URLSearchParams(location.search).get('server').split(':');
      const environment = await initializeTestEnvironment({ projectId: 'demo-browser-testing', firestore: { host, port: Number(port), rules } });
      await environment.clearFirestore();
      const alice = environment.authenticatedContext('alice', { role: 'user' }).firestore();
      const bob = environment.authenticatedContext('bob').firestore();
      const nobody = environment.unauthenticatedContext().firestore();
      await assertSucceeds(alice.doc('private/alice').set({ n: 1, text: 'né 😀' }));
      await assertSucceeds(alice.doc('private/alice').get());
      await assertFails(bob.doc('private/alice').get());
      await assertFails(nobody.doc('private/alice').set({ n: 2 }));
      await assertFails(alice.collection('private').get());
      await assertFails(bob.runTransaction((transaction) => transaction.get(bob.doc('private/alice'))));
      let seen;
      await environment.withSecurityRulesDisabled(async (context) => {
        seen = (await context.firestore().collection('private').get()).docs.map((d) => `${d.id} ${d.data().n}`).join();
        await context.firestore().doc('private/carol').set({ n: 3 });
      });
      if (seen !== 'alice 1') throw new Error(`without rules: ${seen}`);
      await environment.clearFirestore();
      await environment.withSecurityRulesDisabled(async (context) => {
        const left = (await context.firestore().collection('private').get()).size;
        if (left !== 0) throw new Error(`${left} documents after clearing`);
      });
      await environment.cleanup();
    }""", (HERE / "private.rules").read_text())


def rules_unit_testing(builds):
    """The folder with rules-unit-testing: beside the SDK, or in the folder that FIREBASE_RULES_JS names; None without."""
    folders = [builds.parent] + [pathlib.Path(os.environ[name], "node_modules") for name in ("FIREBASE_RULES_JS",) if name in os.environ]
    found = [folder / "@firebase/rules-unit-testing/dist/esm" for folder in folders]
    return next((folder for folder in found if (folder / "index.esm.js").is_file()), None)


def main():
    options = arguments(__doc__.splitlines()[0]).parse_args()
    builds = firebase()
    if builds is None:
        print("FIREBASE_JS is not set: the SDK was not tried in a browser")
        return
    testing = rules_unit_testing(builds)
    if testing:
        # Denials are what it asks for; SDK and Chromium say so.
        check("rules-unit-testing in a page: rules, contexts, assertFails, clearFirestore", (
            r"status of 403", r"permission-denied", r"PERMISSION_DENIED"))(testing_rules)
    else:
        print("no @firebase/rules-unit-testing beside the SDK, nor where FIREBASE_RULES_JS says: it was not tried")
    with opened(options, {"/sdk/": builds, **({"/rules-sdk/": testing} if testing else {})}) as (browser, site, server):
        result = check.run(browser, site, server, "harness.html", options)
    close([result])


main()
