"""Kills a server with kill -9 while it delivers, again and again: no event of its durable store may be lost.

Usage: trigger_crashes.py DOCSH PORT ROUNDS

The servers listen at PORT, 0 is any free one. STORES has two addresses of PostgreSQL, for stores that are in no folder. A function of our own notes every event and fails now and then. Each round commits documents, kills the
server in the middle, and starts it again on the same folder. At the end every commit that was acknowledged must have
been delivered, in order per document, and repetitions must be few. Then servers are killed while a scheduled function runs: the
next one must run the same time again, and after it only the latest of those that have passed.
"""
import http.server
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

PROJECT = "demo-crash"
PATIENCE = 120
docsh, port, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
stores = os.environ.get("STORES", "").split()
base = None  # of the server that runs
draw = random.Random(7)

lock = threading.Lock()
seen = []  # (document, n, id), in the order of arrival
answers = 0


class Function(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        global answers
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        fields = body["value"]["fields"]
        with lock:
            answers += 1
            fails = answers % 7 == 0
            if not fails:
                seen.append((self.headers["ce-document"], int(fields["n"]["integerValue"]), self.headers["ce-id"]))
        self.send_response(503 if fails else 200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, method=method, headers={"Authorization": "Bearer owner"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return answer.read()


def eventually(what, condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"never: {what}"
        time.sleep(0.01)


class Scheduled(http.server.BaseHTTPRequestHandler):
    runs = []  # the times of runs, as they began
    isStuck = threading.Event()
    isOver = threading.Event()

    def do_POST(self):
        Scheduled.runs.append(self.headers["X-CloudScheduler-ScheduleTime"])
        if Scheduled.isStuck.is_set():
            Scheduled.isOver.wait(PATIENCE)
        try:
            self.send_response(200)
            self.end_headers()
        except OSError:
            pass  # the server was killed

    def log_message(self, *arguments):
        pass


def start(place, function, *options):
    """A server on a folder, or on an address; `function` is the port of one that it does not know yet."""
    global base
    server = subprocess.Popen([docsh, "serve", "--open", "--port", str(port), "--project", PROJECT,
                               "--store" if "://" in place else "--data-dir", place, *options], stdout=subprocess.PIPE, text=True)
    base = next((line.split()[2] for line in server.stdout if line.startswith("docsh: serving http://")), None)
    assert base, f"the server ended with {server.wait()}"
    assert call("GET", "/").strip() == b"Ok"
    if function:
        call("PUT", "/emulator/v1/projects/-/triggers/note", {
            "event": "written", "document": "c/{d}", "endpoint": f"http://127.0.0.1:{function}/", "format": "json"})
    return server


def main():
    function = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Function)
    threading.Thread(target=function.serve_forever, daemon=True).start()
    committed = {}  # document: numbers, in order
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        place = stores[0] if stores else folder
        for round in range(rounds):
            server = start(place, function.server_port if round == 0 else None)
            for _ in range(draw.randint(20, 60)):
                document = f"c/{draw.randint(0, 9)}"
                body = {"fields": {"n": {"integerValue": str(number)}}}
                call("PATCH", f"/v1/projects/{PROJECT}/databases/(default)/documents/{document}", body)
                committed.setdefault(document, []).append(number)
                number += 1
            # In the middle: some of the round's events are delivered, some are not.
            goal = len(seen) + draw.randint(0, 20)
            eventually("a few more deliveries", lambda: len(seen) >= min(goal, number))
            server.send_signal(signal.SIGKILL)
            server.wait()
        server = start(place, None)
        drained = json.loads(call("POST", f"/emulator/v1/projects/-/triggers:drain?seconds={PATIENCE}"))["drained"]
        letters = json.loads(call("GET", "/emulator/v1/projects/-/triggers:deadLetters"))["deadLetters"]
        server.send_signal(signal.SIGTERM)
        server.wait()
        assert drained and not letters, (drained, letters)
    for document, numbers in committed.items():
        firsts = []
        for name, n, _ in seen:
            if name == document and n not in firsts:
                firsts.append(n)
        missing = set(numbers) - set(firsts)
        assert not missing, f"{document}: lost {sorted(missing)}"
        # A document overwritten before the crash was seen is still delivered, each version in its turn.
        assert firsts == numbers, f"{document}: {firsts} instead of {numbers}"
    repeated = len(seen) - len({id for _, _, id in seen})
    # A group of acknowledgements and what was under way, a round.
    assert repeated <= rounds * (64 + 32), f"{repeated} repetitions in {rounds} rounds"
    print(f"trigger_crashes: {rounds} kills, {number} commits, all delivered in order, {repeated} delivered again")


def pass_time(time):
    call("PUT", "/emulator/v1/clock", {"time": time})


def schedules():
    function = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Scheduled)
    threading.Thread(target=function.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "triggers.yaml")
        with open(path, "w") as file:
            file.write("schedules:\n  - name: tick\n    schedule: every 1 minutes\n"
                       f"    endpoint: http://127.0.0.1:{function.server_port}/\n")
        wanted = []
        for hour in range(3):
            place = stores[1] if stores else os.path.join(folder, "data")
            server = start(place, None, "--triggers", path, "--clock", f"2026-03-01T0{hour}:00:00Z")
            if wanted:
                # What was cut off, then the latest of an hour in which nothing ran.
                wanted += [wanted[-1], f"2026-03-01T0{hour}:00:00Z"]
                eventually("the cut run again", lambda: Scheduled.runs[len(wanted) - 1:])
            pass_time("+2m")
            wanted += [f"2026-03-01T0{hour}:0{minute}:00Z" for minute in (1, 2, 3)]
            Scheduled.isStuck.set()
            mover = threading.Thread(target=lambda: suppressed(pass_time, "+1m"), daemon=True)
            mover.start()
            eventually("a run begins", lambda: Scheduled.runs[len(wanted) - 1:])
            server.send_signal(signal.SIGKILL)
            server.wait()
            Scheduled.isStuck.clear()
            Scheduled.isOver.set()
            mover.join()
            Scheduled.isOver.clear()
        assert Scheduled.runs == wanted, (Scheduled.runs, wanted)
    print(f"trigger_crashes: 3 kills while a function ran, each run repeated, {len(wanted)} runs as they should be")


def suppressed(body, *arguments):
    try:
        body(*arguments)
    except OSError:
        pass  # the server is killed meanwhile


main()
schedules()
