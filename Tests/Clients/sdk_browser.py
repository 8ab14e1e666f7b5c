"""A suite that was built for browsers (Mocha, one script), run in headless Chromium: every test's outcome, in order.

The folder has `mocha.js` (Mocha's own browser build) and `suite.js` (the tests with everything they use). The page around
them is js/browser_suite.html; nothing of a suite is here.

Every outermost `describe` gets a page of its own, with empty storage: some tests leave clients behind whose streams stay open
for a minute, and a browser gives one server six connections at a time over HTTP/1.1, which is what emulators speak. In one page
a server could answer as it likes: from the seventh stream on, tests wait for connections until they time out.
"""
import functools
import http.server
import os
import pathlib
import shutil
import tempfile
import threading
import time
import urllib.parse

import sdk_servers

PAGE = pathlib.Path(__file__).parent / "js" / "browser_suite.html"
TIMEOUT = 20_000    # milliseconds for a test: what the SDK's own runner gives
SILENCE = 120       # seconds without a finished test after which a page counts as stuck
STUCK = 5           # so many stuck pages end a run
FLAGS = ["--no-sandbox", "--disable-background-timer-throttling", "--disable-renderer-backgrounding"]


class Pages(http.server.SimpleHTTPRequestHandler):
    """The page at /, the prepared folder's files below /suite/."""

    def __init__(self, *arguments, folder, **keywords):
        self.folder = folder
        super().__init__(*arguments, directory=str(folder), **keywords)

    def translate_path(self, path):
        asked = urllib.parse.urlparse(path).path
        if asked == "/":
            return str(PAGE)
        name = asked.removeprefix("/suite/")
        return str(self.folder / name) if name != asked and "/" not in name else os.devnull + "/"

    def log_message(self, *arguments):
        pass


def chromium():
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if not found:
        raise SystemExit("sdk-suites: no Chromium; install it or let CHROMIUM name one")
    return found


def missing(folder):
    return [name for name in ("mocha.js", "suite.js") if not (folder / name).is_file()]


def run(folder, address, grep=None, progress=lambda test: None):
    """Runs the suite against HOST:PORT; returns (tests, what went wrong besides tests or None)."""
    from playwright.sync_api import sync_playwright
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Pages, folder=folder))
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    origin = f"http://localhost:{pages.server_port}"
    query = {"port": address.rsplit(":", 1)[1], "project": "test-emulator", "timeout": TIMEOUT}
    if grep:
        query["titled"] = grep
    try:
        with tempfile.TemporaryDirectory(prefix="sdk-suites-") as profile, sync_playwright() as playwright:
            # A profile on the disk, as that suite's own runner has it: a private window has another kind of IndexedDB.
            browser = playwright.chromium.launch_persistent_context(
                profile, executable_path=chromium(), headless=True, args=FLAGS)
            try:
                return run_parts(browser, origin, query, progress)
            finally:
                browser.close()
    finally:
        pages.shutdown()


def run_parts(browser, origin, query, progress):
    keeper, broken = browser.new_page(), []     # stays open: what clears storage is asked through it
    keeper.on("pageerror", lambda error: broken.append(str(error).split("\n")[0]))
    keeper.goto(f"{origin}/?{urllib.parse.urlencode(query)}")
    parts = keeper.evaluate("window.parts || []")
    keeper.goto("about:blank")
    storage = browser.new_cdp_session(keeper)
    tests, wrong = [], []
    for index, part in enumerate(parts):
        titles = [title for title in part["titles"] if query.get("titled", "") in title]
        if not titles:
            continue
        seen, stuck = run_page(browser, origin, {**query, "part": index}, progress)
        tests += seen
        if stuck:
            wrong.append(f"{part['title']}: {stuck} after {len(seen)} of {len(titles)} tests")
        storage.send("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"})
        if len(wrong) == STUCK or not sdk_servers.answers(query["port"]):
            break
    if not tests:
        wrong += ["no test ran", *broken]
    return tests, "; ".join(wrong) or None


def run_page(browser, origin, query, progress):
    """One outermost suite; returns (tests, what ended it early or None)."""
    from playwright.sync_api import Error
    page, tests, broken = browser.new_page(), [], []
    page.on("crash", lambda _: broken.append("the page crashed"))
    page.on("pageerror", lambda error: tests or broken.append(str(error).split("\n")[0]))
    try:
        page.goto(f"{origin}/?{urllib.parse.urlencode(query)}")
        heard = time.monotonic()
        while True:
            news = page.evaluate("window.take ? window.take() : {tests: [], done: false}")
            for test in news["tests"]:
                heard = time.monotonic()
                tests.append(test)
                progress(test)
            if any(test["state"] == "failed" for test in news["tests"]) and not sdk_servers.answers(query["port"]):
                return tests, "the server takes no connections"
            if news["done"]:
                return tests, None
            if time.monotonic() - heard > SILENCE:
                return tests, broken[0] if broken else f"no test ended for {SILENCE} seconds"
            page.wait_for_timeout(100)
    except Error as error:
        return tests, broken[0] if broken else str(error).splitlines()[0]
    finally:
        page.close()
