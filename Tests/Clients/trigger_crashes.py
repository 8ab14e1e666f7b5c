"""Kills a server with kill -9 while it delivers, again and again: no event of its durable store may be lost.

Usage: trigger_crashes.py DOCSH PORT ROUNDS

The servers listen at PORT, 0 is any free one. A function of our own notes every event and fails now and then. Each round commits documents, kills the
server in the middle, and starts it again on the same folder. At the end every commit that was acknowledged must have
been delivered, in order per document, and repetitions must be few.
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


def start(folder, function):
    """A server on the folder; `function` is the port of one that it does not know yet."""
    global base
    server = subprocess.Popen([docsh, "serve", "--open", "--port", str(port), "--project", PROJECT,
                               "--data-dir", folder], stdout=subprocess.PIPE, text=True)
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
        for round in range(rounds):
            server = start(folder, function.server_port if round == 0 else None)
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
        server = start(folder, None)
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


main()
