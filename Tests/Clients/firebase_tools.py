#!/usr/bin/env python3
"""What the Firebase command line does with its Firestore emulator, done with ours.

Source: its public source (how it finds java, starts the emulator, waits for it, replaces rules, exports, stops).
DOCSH names the binary. The last line counts.
"""
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SHIM = os.path.join(HERE, "../../Scripts/firebase-tools")
PROJECT = "demo-check"
ROOT = f"projects/{PROJECT}/databases/(default)/documents"
RULES = """rules_version = '2';
service cloud.firestore { match /databases/{d}/documents { match /c/{id} { allow read: if %s; } } }
"""
passed = failed = 0


def check(name, holds, saw=""):
    global passed, failed
    passed += bool(holds)
    failed += not holds
    print(f"{'ok    ' if holds else 'FAILED'}  {name}{'' if holds else ': ' + repr(saw)}", flush=True)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Emulator:
    def __init__(self, folder, **arguments):
        self.port = free_port()
        binary = os.environ["DOCSH"]
        words = []
        for name, value in {"host": "127.0.0.1", "port": self.port, "websocket_port": free_port(),
                            "database-edition": "standard", "project_id": PROJECT, **arguments}.items():
            words += ["--" + name, str(value)]
        environment = {**os.environ, "PATH": SHIM + ":" + os.environ["PATH"],
                       "FIRESTORE_EMULATOR_BINARY_PATH": binary}
        self.output = open(os.path.join(folder, f"firestore-debug-{self.port}.log"), "w+b")
        # A process group of its own and pipes for output, as there.
        self.process = subprocess.Popen(
            ["java", "-Dgoogle.cloud_firestore.debug_log_level=FINE", "-Duser.language=en", "-jar", binary, *words],
            env=environment, cwd=folder, stdout=self.output, stderr=subprocess.STDOUT, start_new_session=True)

    def wait(self):
        """Ready when the port takes connections."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return True
            except OSError:
                time.sleep(0.02)
        return False

    def ask(self, method, path, body=None, token=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        return answer.status, text

    def stop(self):
        """SIGINT to the process it has started; it gives up after four seconds."""
        start = time.monotonic()
        self.process.send_signal(signal.SIGINT)
        try:
            return self.process.wait(timeout=4), time.monotonic() - start
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None, time.monotonic() - start

    def says(self, text):
        """Whether a line comes; what is printed comes a little after what it tells of."""
        deadline = time.monotonic() + 10
        while text not in self.log():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def log(self):
        self.output.seek(0)
        return self.output.read().decode()


def main():
    environment = {**os.environ, "PATH": SHIM + ":" + os.environ["PATH"]}
    answer = subprocess.run(["java", "-Duser.language=en", "-Dfile.encoding=UTF-8", "-version"], env=environment,
                            capture_output=True, text=True)
    version = re.search(r'version "([1-9][0-9]*)', answer.stdout + answer.stderr)
    check("java has a version that is accepted", version and int(version[1]) >= 21, answer.stderr)

    with tempfile.TemporaryDirectory() as folder:
        rules = os.path.join(folder, "firestore.rules")
        with open(rules, "w") as file:
            file.write(RULES % "iff true")
        first = Emulator(folder, rules=rules, single_project_mode="true")
        check("it starts although its rules do not compile", first.wait(), first.log())
        check("and says that it runs", first.says("API endpoint: http://127.0.0.1")
              and first.says("Dev App Server is now running."), first.log())
        status, body = first.ask("GET", f"/v1/{ROOT}/c/a")
        check("users are told what is wrong with them", status == 400 and "Error compiling rules" in body, body)

        update = {"ignore_errors": True, "rules": {"files": [{"name": "security.rules", "content": RULES % "1 < 2"}]}}
        status, body = first.ask("PUT", f"/emulator/v1/projects/{PROJECT}:securityRules", update)
        check("changed rules are taken", status == 200 and "ERROR" not in body, body)
        check("and hold", first.ask("GET", f"/v1/{ROOT}/c/a")[0] == 404)
        update["rules"]["files"][0]["content"] = RULES % "1 <"
        status, body = first.ask("PUT", f"/emulator/v1/projects/{PROJECT}:securityRules", update)
        issues = json.loads(body).get("issues", [])
        check("mistakes in them are issues with a place", status == 200 and any(
            issue["severity"] == "ERROR" and issue["sourcePosition"]["line"] == 2 for issue in issues), body)

        fields = {"fields": {"n": {"integerValue": "7"}}}
        check("a server writes", first.ask("PATCH", f"/v1/{ROOT}/c/a", fields, "owner")[0] == 200)
        check("another project is served with a warning",
              first.ask("GET", "/v1/projects/other/databases/(default)/documents/c/a", token="owner")[0] == 404
              and first.says("Multiple projectIds are not recommended"), first.log())

        os.mkdir(os.path.join(folder, "export"))
        order = {"database": f"projects/{PROJECT}/databases/(default)", "export_directory": "export",
                 "export_name": "firestore_export"}
        status, body = first.ask("POST", f"/emulator/v1/projects/{PROJECT}:export", order)
        overall = os.path.join(folder, "export/firestore_export/firestore_export.overall_export_metadata")
        check("it exports into a folder below the working one", status == 200 and os.path.exists(overall), body)
        second = Emulator(folder, rules=rules, seed_from_export=overall)
        check("another one starts with that export", second.wait(), second.log())
        status, body = second.ask("GET", f"/v1/{ROOT}/c/a", token="owner")
        check("and has its documents", status == 200 and '"7"' in body, body)

        # Somebody listens while it stops.
        held = socket.create_connection(("127.0.0.1", first.port))
        held.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\x00\x00\x00\x04\x00\x00\x00\x00\x00")
        for name, emulator in (("one with a connection", first), ("one without", second)):
            status, seconds = emulator.stop()
            check(f"SIGINT ends {name} in time", status in (0, 130), f"{status} after {seconds:.1f} s")
        held.close()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
