"""Real Python functions, behind functions-framework and firebase-functions, driven by our triggers.

Usage: functions.py DOCSH FIRST_PORT [SECONDS_DOWN]

Ports FIRST_PORT to FIRST_PORT+10 are used. SECONDS_DOWN is how long a function is away in the check about that.
"""
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from checks import Checks, close, unsigned_token  # noqa: E402
from tls_function import TLSFunction, authority  # noqa: E402

check = Checks()
HERE = os.path.dirname(os.path.abspath(__file__))
PROJECT = "demo-functions"
PATIENCE = 60


def eventually(what, condition):
    """Waits for a state; what it was at last is in the message."""
    end = time.monotonic() + PATIENCE
    while True:
        seen = condition()
        if seen:
            return seen
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.02)


class Server:
    def __init__(self, docsh, port, options):
        self.base = f"http://127.0.0.1:{port}"
        self.docsh, self.port = docsh, port
        self.process = subprocess.Popen(
            [docsh, "serve", "--open", "--port", str(port), "--project", PROJECT, *options])
        eventually("the server answers", self.answers)

    def answers(self):
        assert self.process.poll() is None, "the server ended"
        try:
            return self.call("GET", "/").strip() == b"Ok"
        except OSError:
            return False

    def call(self, method, path, body=None, token="owner"):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        request = urllib.request.Request(self.base + path, data=data, method=method, headers=headers)
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return answer.read()

    def admin(self, method, path, body=None):
        return json.loads(self.call(method, f"/emulator/v1/projects/-/triggers{path}", body) or b"{}")

    def set(self, path, token="owner", **fields):
        body = {"fields": {name: {"integerValue": str(value)} if isinstance(value, int) else {"stringValue": value}
                           for name, value in fields.items()}}
        self.call("PATCH", f"/v1/projects/{PROJECT}/databases/(default)/documents/{path}", body, token)

    def delete(self, path):
        self.call("DELETE", f"/v1/projects/{PROJECT}/databases/(default)/documents/{path}")

    def register(self, name, event, document, port, **more):
        self.admin("PUT", f"/{name}", {
            "event": event, "document": document, "endpoint": f"http://127.0.0.1:{port}/", **more})

    def drain(self, seconds=PATIENCE):
        return self.admin("POST", f":drain?seconds={seconds}")["drained"]

    def command(self, *words):
        """`docsh triggers …`: (status, standard output)."""
        result = subprocess.run([self.docsh, "triggers", *words, "--server", f"127.0.0.1:{self.port}"],
                                capture_output=True, text=True, timeout=PATIENCE)
        return result.returncode, result.stdout + result.stderr

    def shell(self, statement):
        """One statement of the shell on this server: (status, standard output and error)."""
        result = subprocess.run([self.docsh, "-q", "--project", PROJECT, "-c", statement], text=True, timeout=PATIENCE,
                                capture_output=True, env={**os.environ, "FIRESTORE_EMULATOR_HOST": f"127.0.0.1:{self.port}"})
        return result.returncode, result.stdout + result.stderr

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE)


class Function:
    """One functions-framework process."""

    def __init__(self, target, port, folder, signature="cloudevent"):
        self.target, self.port, self.signature = target, port, signature
        self.seen_path = os.path.join(folder, f"{target}.lines")
        self.process = None

    def start(self):
        environment = {**os.environ, "SEEN": self.seen_path, "FUNCTION_SIGNATURE_TYPE": self.signature,
                       "GCLOUD_PROJECT": PROJECT, "GOOGLE_CLOUD_PROJECT": PROJECT,
                       "FIRESTORE_EMULATOR_HOST": "127.0.0.1:1", "PYTHONDONTWRITEBYTECODE": "1"}
        command = [os.path.join(os.path.dirname(sys.executable), "functions-framework"),
                   "--source", os.path.join(HERE, "function_sources.py"), "--target", self.target,
                   "--host", "127.0.0.1", "--port", str(self.port)]
        # A session of its own: the server has workers, which must go with it.
        self.process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                        start_new_session=True)
        eventually(f"{self.target} answers", self.answers)
        return self

    def answers(self):
        assert self.process.poll() is None, f"{self.target} ended"
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{self.port}/", timeout=5)
        except urllib.error.HTTPError:
            return True  # it takes no GET, but it is there
        except OSError:
            return False
        return True

    def stop(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(PATIENCE)

    @property
    def seen(self):
        if not os.path.exists(self.seen_path):
            return []
        with open(self.seen_path) as file:
            return [json.loads(line) for line in file]


@check("each kind of function gets its events, with parameters and the document before and after")
def kinds(server, functions, seconds_down):
    server.set("users/ann", name="Ann", n=1)
    server.set("users/ann", name="Ann", n=2)
    server.delete("users/ann")
    assert server.drain()
    created, = functions["created"].seen
    assert created["params"] == {"uid": "ann"} and created["after"] == {"name": "Ann", "n": 1}, created
    assert created["document"] == "users/ann"
    updated, = functions["updated"].seen
    assert updated["before"] == {"name": "Ann", "n": 1} and updated["after"] == {"name": "Ann", "n": 2}, updated
    written = functions["written"].seen
    assert [line["before"] and line["before"]["n"] for line in written] == [None, 1, 2], written
    assert [line["after"] and line["after"]["n"] for line in written] == [1, 2, None], written
    assert written[0]["params"] == {"collection": "users", "id": "ann"}
    deleted, = functions["deleted"].seen
    assert deleted["before"] == {"name": "Ann", "n": 2}, deleted
    assert len({line["id"] for line in written}) == 3


@check("functions with an auth context get one, plain ones get JSON")
def contexts(server, functions, seconds_down):
    def authors():
        return [(line["auth_type"], line["auth_id"]) for line in functions["with_author"].seen]

    assert authors() == [("service_account", "owner")] * 3, authors()
    server.set("users/dora", token=None, n=1)
    server.set("users/dora", token=unsigned_token("dora", PROJECT), n=2)
    assert server.drain()
    assert authors()[3:] == [("unauthenticated", ""), ("unknown", "dora")], authors()
    plain = functions["plain"].seen
    assert plain[0]["type"] == "google.cloud.firestore.document.v1.written", plain
    assert plain[0]["data"]["value"]["fields"]["n"] == {"integerValue": "1"}, plain
    assert plain[2]["subject"] == "documents/users/ann"


@check("a function that is away gets everything when it is back, in order per document")
def away(server, functions, seconds_down):
    function = functions["written"]
    function.stop()
    before = len(function.seen)
    began = time.monotonic()
    for number in range(60):
        server.set(f"away/d{number % 4}", n=number)
    eventually("attempts fail", lambda: server.admin("GET", "/written")["triggers"][0]["failedAttempts"] >= 4)
    # The others went on meanwhile.
    server.set("users/bob", n=1)
    eventually("created", lambda: [line for line in functions["created"].seen if line["params"]["uid"] == "bob"])
    while time.monotonic() - began < seconds_down:
        time.sleep(0.1)
    assert len(function.seen) == before
    function.start()
    assert server.drain(), "not drained"
    lines = [line for line in function.seen[before:] if line["params"]["collection"] == "away"]
    assert len({line["id"] for line in lines}) == 60, len(lines)
    for document in range(4):
        order = []
        for line in lines:
            if line["params"]["id"] == f"d{document}" and line["id"] not in order:
                order.append(line["id"])
        numbers = [next(line["after"]["n"] for line in lines if line["id"] == id) for id in order]
        assert numbers == list(range(document, 60, 4)), numbers
    assert not server.admin("GET", ":deadLetters?trigger=written")["deadLetters"]


@check("an event that a function cannot digest becomes a dead letter, which the command shows and tries again")
def dead_letters(server, functions, seconds_down):
    server.set("poison/p", n=1)
    server.set("poison/q", n=1)
    assert server.drain()
    letters = server.admin("GET", ":deadLetters")["deadLetters"]
    assert len(letters) == 2 and all(letter["attempts"] == 2 for letter in letters), letters
    assert "answered 500" in letters[0]["reason"], letters
    status, text = server.command("dead-letters", "--trigger", "poisoned")
    assert status == 0 and letters[0]["id"] in text and "poison/" in text, text
    before = len(functions["poisoned"].seen)
    status, text = server.command("retry", "--all")
    assert (status, text) == (0, "2 tried again\n"), text
    assert server.drain()
    seen = functions["poisoned"].seen
    assert (before, len(seen)) == (4, 8), (before, seen)
    again = server.admin("GET", ":deadLetters")["deadLetters"]
    assert {letter["id"] for letter in again} == {letter["id"] for letter in letters}, again
    status, text = server.command("dead-letters", "--discard")
    assert (status, text) == (0, "2 discarded\n"), text


@check("the shell shows dead letters, tries them again and forgets them")
def shell(server, functions, seconds_down):
    server.set("poison/r", n=1)
    server.set("poison/s", n=1)
    assert server.drain()
    ids = sorted(letter["id"] for letter in server.admin("GET", ":deadLetters")["deadLetters"])
    assert len(ids) == 2, ids
    for name, shown in [("", ids), (" poisoned", ids), (" created", [])]:
        status, text = server.shell(":triggers dead-letters" + name)
        assert status == 0 and [id for id in ids if id in text] == shown, text
    before = len(functions["poisoned"].seen)
    assert server.shell(f":triggers retry {ids[0]}")[0] == 0 and server.drain()
    assert len(functions["poisoned"].seen) == before + 2
    assert server.shell(":triggers retry all")[0] == 0 and server.drain()
    assert len(functions["poisoned"].seen) == before + 6
    for bad in ["retry nobody", "discard nobody"]:
        status, text = server.shell(":triggers " + bad)
        assert status == 1 and "nobody" in text, (bad, text)
    assert server.shell(f":triggers discard {ids[0]}")[0] == 0
    assert [letter["id"] for letter in server.admin("GET", ":deadLetters")["deadLetters"]] == ids[1:]
    assert server.shell(":triggers discard all")[0] == 0
    assert server.admin("GET", ":deadLetters")["deadLetters"] == []


@check("an https function is called when its certificate is that of its name and of a trusted authority, and not else")
def https(server, functions, seconds_down):
    with tempfile.TemporaryDirectory() as folder:
        _, certificate, key = authority(folder)
        function = TLSFunction(certificate, key)
        rows = [  # name, host, keys of its own
            ("trusted", "localhost", "ca_file: ca.pem"), ("careless", "127.0.0.1", "insecure: true"),
            ("wrong-host", "127.0.0.1", "ca_file: ca.pem"), ("stranger", "localhost", "timeout: 20"),
        ]
        path = os.path.join(folder, "triggers.yaml")
        with open(path, "w") as file:
            file.write("triggers:\n")
            for name, host, own in rows:
                file.write(f"  - name: {name}\n    event: created\n    document: tls/{{id}}\n    attempts: 2\n"
                           f"    endpoint: https://{host}:{function.port}/{name}?x=1\n    authContext: true\n    {own}\n")
        secure = Server(server.docsh, server.port + 8, ["--triggers", path])
        try:
            large = "x" * 900_000
            secure.set("tls/a", token=None, text=large)
            assert secure.drain(), "not drained"
            (_, asked_for, headers, body), = function.of("/trusted?x=1")
            assert asked_for == "localhost", asked_for
            assert headers["host"] == f"localhost:{function.port}" and headers["ce-document"] == "tls/a", headers.items()
            assert (headers["ce-authtype"], headers["ce-authid"]) == ("unauthenticated", ""), headers.items()
            assert len(body) == int(headers["content-length"]) and large.encode() in body
            assert len(function.of("/careless?x=1")) == 1
            assert len(function.seen) == 2, [entry[0] for entry in function.seen]
            letters = secure.admin("GET", ":deadLetters")["deadLetters"]
            reasons = {letter["trigger"]: (letter["attempts"], letter["reason"]) for letter in letters}
            assert set(reasons) == {"wrong-host", "stranger"}, reasons
            for name, words in [("wrong-host", ["is not trusted", "127.0.0.1"]), ("stranger", ["is not trusted", "ca_file"])]:
                assert reasons[name][0] == 2 and all(word in reasons[name][1] for word in words), reasons[name]
            # An answer that refuses is told as it is over http.
            function.status = 503
            secure.set("tls/b", n=1)
            assert secure.drain(), "not drained"
            letters = secure.admin("GET", ":deadLetters?trigger=trusted")["deadLetters"]
            assert [letter["reason"].split(" answered ")[1] for letter in letters] == ["503: ok"], letters
            # Whom to trust cannot be said over the network.
            body = {"event": "created", "document": "x/{y}", "endpoint": "https://localhost/", "insecure": True}
            try:
                secure.admin("PUT", "/careless2", body)
                raise AssertionError("registered")
            except urllib.error.HTTPError as error:
                assert error.code == 400 and b"triggers.yaml" in error.read(), error
        finally:
            secure.stop()
            function.stop()


@check("pause, drain, resume, replay and list from the command line")
def command_line(server, functions, seconds_down):
    assert server.command("pause", "created")[0] == 0
    server.set("users/carl", n=1)
    status, text = server.command("drain", "created", "--seconds", "0")
    assert status == 1 and "still waiting" in text, (status, text)
    status, text = server.command("list")
    row, = [line for line in text.splitlines() if line.startswith("created ")]
    assert "paused" in row and "users/{uid}" in row, text
    assert server.command("resume", "created")[0] == 0
    assert server.command("drain")[0] == 0
    count = len(functions["created"].seen)
    status, text = server.command("replay", "created", "--from", "earliest")
    assert status == 0, text
    assert server.command("drain")[0] == 0
    assert len(functions["created"].seen) == 2 * count, (count, len(functions["created"].seen))
    assert server.command("pause", "none") == (1, 'docsh: no trigger is called "none"\n')
    for words in [["--help"], ["list", "--help"], ["pause", "--help"], ["resume", "--help"], ["drain", "--help"],
                  ["dead-letters", "--help"], ["retry", "--help"], ["replay", "--help"]]:
        result = subprocess.run([server.docsh, "triggers", *words], capture_output=True, text=True)
        assert result.returncode == 0 and "docsh triggers" in result.stdout, words


@check("a scheduled function runs at its times, as a standing clock passes them, and when it is asked for")
def schedules(server, functions, seconds_down):
    with tempfile.TemporaryDirectory() as folder:
        function = Function("scheduled", server.port + 9, folder, signature="http")
        path = os.path.join(folder, "triggers.yaml")
        with open(path, "w") as file:
            file.write("schedules:\n  - name: renew\n    schedule: every day 00:00\n    timeZone: Europe/Berlin\n"
                       f"    endpoint: http://127.0.0.1:{function.port}/\n")
        standing = None
        try:
            function.start()
            # Asking whether it is there has run it.
            before = len(function.seen)
            standing = Server(server.docsh, server.port + 10, ["--triggers", path, "--clock", "2026-03-27T12:00:00Z"])
            assert len(function.seen) == before
            standing.call("PUT", "/emulator/v1/clock", {"time": "+3d"})
            # The clocks of Berlin go forward on the 29th.
            times = [line["time"] for line in function.seen[before:]]
            assert times == ["2026-03-27T23:00:00+00:00", "2026-03-28T23:00:00+00:00", "2026-03-29T22:00:00+00:00"], times
            assert all(line["job"] == "renew" for line in function.seen[before:]), function.seen
            status, text = standing.command("run", "renew")
            assert (status, text) == (0, "renew has run\n"), (status, text)
            assert function.seen[-1]["time"] == "2026-03-30T12:00:00+00:00", function.seen
            status, text = standing.command("list")
            assert "every day 00:00" in text and "2026-03-30T22:00:00Z" in text, text
            function.stop()
            status, text = standing.command("run", "renew")
            assert status == 1 and "renew failed" in text, (status, text)
            count = len(function.seen)
            function.start()
            eventually("the run is repeated", lambda: any(
                line["job"] == "renew" for line in function.seen[count:]))
        finally:
            function.stop()
            if standing:
                standing.stop()


@check("a trigger that is removed gets nothing more")
def removal(server, functions, seconds_down):
    server.admin("DELETE", "/deleted")
    before = len(functions["deleted"].seen)
    server.delete("users/bob")
    assert server.drain()
    assert len(functions["deleted"].seen) == before


def main():
    docsh, first = sys.argv[1], int(sys.argv[2])
    seconds_down = float(sys.argv[3]) if len(sys.argv) > 3 else 1.0
    # What ends this script early must not leave functions behind.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as folder:
        targets = ["created", "updated", "written", "deleted", "with_author", "poisoned", "plain"]
        functions = {target: Function(target, first + 1 + index, folder) for index, target in enumerate(targets)}
        server = None
        try:
            server = Server(docsh, first, [])
            for function in functions.values():
                function.start()
            port = {target: function.port for target, function in functions.items()}
            for event in ("created", "updated", "deleted"):
                server.register(event, event, "users/{uid}", port[event])
            server.register("written", "written", "{collection}/{id}", port["written"], attempts=100000)
            server.register("with_author", "written", "users/{uid}", port["with_author"], authContext=True)
            server.register("poisoned", "written", "poison/{id}", port["poisoned"], attempts=2)
            server.register("plain", "written", "users/{uid}", port["plain"], format="json")
            result = check.run(server, functions, seconds_down)
        finally:
            for function in functions.values():
                function.stop()
            if server:
                server.stop()
    close([result])


if __name__ == "__main__":
    main()
