"""What the browser tests share: Chromium, the pages' site, the server and its restarts, checks that watch the console.

Where the server is: `--server HOST:PORT` one that runs; `--serve 'COMMAND with PORT'` one that is started here, and
restarted on the same port; without either, FIRESTORE_EMULATOR_HOST, else `docsh serve --open` of this clone or of DOCSH.
"""
import argparse
import contextlib
import http.client
import http.server
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from playwright.sync_api import sync_playwright

HERE = pathlib.Path(__file__).resolve().parent
CLONE = HERE.parents[2]
sys.path.insert(0, str(HERE.parent))
from checks import describe  # noqa: E402

# LIMIT: milliseconds for whatever a page is asked to do; for a state, not for a speed.
PATIENCE = 120_000
MODULES = re.compile(rb"https://www\.gstatic\.com/firebasejs/[0-9.]+/")


def arguments(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--server", metavar="HOST:PORT", help="a server that runs, and lets users do everything")
    parser.add_argument("--serve", metavar="COMMAND", help="starts a server; the word PORT in it is replaced")
    parser.add_argument("--pid", type=int, help="the process of --server, for its processor time")
    parser.add_argument("--official", action="store_true", help="it is the official emulator: what is known of it does not count")
    parser.add_argument("--only", default="", metavar="REGEX", help="the checks whose names hold this")
    return parser


def firebase():
    """The folder with the SDK's published builds, or None."""
    folder = os.environ.get("FIREBASE_JS")
    if not folder:
        return None
    builds = pathlib.Path(folder, "node_modules", "firebase")
    if not (builds / "firebase-firestore.js").is_file():
        sys.exit(f"no node_modules/firebase with browser builds in {folder}")
    return builds


# --- the server --------------------------------------------------------------------------------------------------

def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The server that the pages talk to; restarted only when it was started here."""

    def __init__(self, options):
        address = options.server or (None if options.serve else os.environ.get("FIRESTORE_EMULATOR_HOST"))
        self.process = None
        self.pid = options.pid
        if address:
            self.command = None
        else:
            docsh = os.environ.get("DOCSH", str(CLONE / ".build/release/docsh"))
            if not options.serve and not os.access(docsh, os.X_OK):
                sys.exit(f"{docsh} is missing; run 'make build' first, or say --server or --serve")
            port = str(free_port())
            command = shlex.split(options.serve or f"{shlex.quote(docsh)} serve --open --exit-with-parent --port PORT")
            self.command = [word.replace("PORT", port) for word in command]
            address = f"127.0.0.1:{port}"
        self.address = address
        self.host, port = address.rsplit(":", 1)
        self.port = int(port)

    def start(self):
        if not self.command:
            return
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.pid = self.process.pid
        for _ in range(600):
            with contextlib.suppress(OSError, http.client.HTTPException):
                self.call("GET", "")
                return
            if self.process.poll() is not None:
                sys.exit(f"the server ended with {self.process.returncode}: {shlex.join(self.command)}")
            time.sleep(0.05)
        sys.exit("the server did not answer within 30 seconds")

    def kill(self):
        """Ends the server as a crash would."""
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def call(self, method, path, body=None, headers=None):
        """(status, headers, body) of one request."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=120)
        try:
            connection.request(method, "/" + path, body, headers or {"Authorization": "Bearer owner"})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()

    def json(self, method, path, body=None):
        status, _, answer = self.call(method, path, json.dumps(body) if body is not None else None)
        assert status == 200, f"{method} {path}: {status} {answer[:300]!r}"
        return json.loads(answer or "{}")

    def fill(self, project, collection, count, fields, width=5):
        """Writes documents `d00000` … over REST, 500 at a time. `fields`: number → fields as JSON."""
        root = f"projects/{project}/databases/(default)/documents"
        for start in range(0, count, 500):
            self.json("POST", f"v1/{root}:commit", {"writes": [
                {"update": {"name": f"{root}/{collection}/d{n:0{width}}", "fields": fields(n)}}
                for n in range(start, min(start + 500, count))]})

    def rules(self, project, content):
        self.json("PUT", f"emulator/v1/projects/{project}:securityRules",
                  {"rules": {"files": [{"name": "security.rules", "content": content}]}})

    def processor_seconds(self):
        """Processor time that the server has used, user and system."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# --- the pages' site ---------------------------------------------------------------------------------------------

class Site:
    """Serves the pages, our scripts and, under /sdk/, the SDK, whose modules then find each other here."""

    TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8"}

    def __init__(self, folders):
        folders = {"/js/": HERE.parent / "js", **folders, "/": HERE}
        types = self.TYPES

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                path = self.path.split("?")[0]
                prefix = next(prefix for prefix in folders if path.startswith(prefix))
                file = pathlib.Path(folders[prefix], path[len(prefix):])
                if path == "/favicon.ico" or path.endswith(".map"):
                    return self.answer(204, b"", "text/plain")
                if ".." in path or file.suffix not in types or not file.is_file():
                    return self.answer(404, b"", "text/plain")
                self.answer(200, MODULES.sub(b"/sdk/", file.read_bytes()), types[file.suffix])

            def answer(self, status, body, kind):
                self.send_response(status)
                self.send_header("Content-Type", kind)
                if status != 204:
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        threading.Thread(target=self.http.serve_forever, daemon=True).start()
        self.port = self.http.server_address[1]

    def url(self, page, server, host="127.0.0.1"):
        return f"http://{host}:{self.port}/{page}?server={server.address}"


# --- Chromium and checks -----------------------------------------------------------------------------------------

def chromium():
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and shutil.which(name):
            return shutil.which(name)
    sys.exit("no Chromium; install it (Debian: apt-get install chromium) or let CHROMIUM name one")


class Session:
    """One browser profile of one check: its pages, what their consoles said and what they asked of the server."""

    def __init__(self, browser, site, server, page):
        self.site, self.server, self.start_page = site, server, page
        self.context = browser.new_context()
        self.context.set_default_timeout(PATIENCE)
        self.console = []
        self.requests = []
        self.context.on("console", self.heard)
        self.context.on("weberror", lambda error: self.console.append(f"uncaught: {error.error}"))
        self.context.on("request", lambda request: self.requests.append((request.method, request.url)))

    def heard(self, message):
        if message.type in ("error", "warning"):
            self.console.append(f"{message.type}: {message.text}")

    def page(self, name=None, host="127.0.0.1", ready="globalThis.t !== undefined"):
        page = self.context.new_page()
        page.goto(self.site.url(name or self.start_page, self.server, host))
        page.wait_for_function(ready)
        return page

    def channels(self, stream=None):
        """The WebChannel requests so far, as (stream, method, parameters)."""
        found = []
        for method, url in self.requests:
            match = re.search(r"/google\.firestore\.v1\.Firestore/(Listen|Write)/channel\?(.*)", url)
            if match and stream in (None, match[1]):
                found.append((match[1], method, dict(pair.partition("=")[::2] for pair in match[2].split("&"))))
        return found

    def close(self):
        self.context.close()


class BrowserChecks:
    """Checks of (session, server), each with a profile of its own. What the console says beside `allowed` fails a check."""

    def __init__(self):
        self.entries = []

    def __call__(self, name, allowed=(), restarts=False, official=None):
        """`allowed`: patterns of the console; `restarts`: the server; `official`: why the official emulator fails."""
        def register(function):
            self.entries.append((name, function, tuple(allowed), restarts, official))
            return function
        return register

    def run(self, browser, site, server, page, options):
        passed = failed = 0
        for name, function, allowed, restarts, official in self.entries:
            if not re.search(options.only, name):
                continue
            if restarts and not server.command:
                print(f"skipped {name}: the server was not started here (--serve)", flush=True)
                continue
            began = time.monotonic()
            note, problem = self.attempt(Session(browser, site, server, page), function, server, allowed)
            if problem and options.official and not official:
                # On a busy machine it ends a response early now and then, or leaves documents out of it.
                official = f"failed once: {problem.splitlines()[0][:200]}"
                note, problem = self.attempt(Session(browser, site, server, page), function, server, allowed)
                if not problem:
                    print(f"known   {name}: {official}", flush=True)
                    continue
            elif problem and options.official:
                print(f"known   {name}: {official}", flush=True)
                continue
            if problem:
                failed += 1
                print(f"FAILED  {name}: {problem}", flush=True)
            else:
                passed += 1
                print(f"ok      {name}{f': {note}' if note else ''} ({time.monotonic() - began:.1f} s)", flush=True)
            if server.process and server.process.poll() is not None:
                print(f"the server ended with {server.process.returncode} during '{name}'", flush=True)
                server.start()
        return passed, failed

    @staticmethod
    def attempt(session, function, server, allowed):
        """(what the check says, None), or (None, what was wrong)."""
        try:
            note = function(session, server)
            unexpected = [line for line in session.console if not any(re.search(a, line) for a in allowed)]
            assert not unexpected, f"the console said {len(unexpected)}: {unexpected[0][:400]}"
            return note, None
        except Exception as error:  # whatever a page throws is a failed check, and the next one still runs
            return None, describe(error) + "".join(f"\n        console: {line[:500]}" for line in session.console[:10])
        finally:
            with contextlib.suppress(Exception):
                session.close()


@contextlib.contextmanager
def opened(options, folders):
    """(browser, site, server), all running."""
    # Whoever ends us with SIGTERM wants the server ended too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    server = Server(options)
    site = Site(folders)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        try:
            server.start()
            yield browser, site, server
        finally:
            server.stop()
            browser.close()
