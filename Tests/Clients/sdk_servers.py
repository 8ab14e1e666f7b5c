"""The two servers of sdk_suites.py: ours and the official emulator, started on free ports and ended by their ids."""
import contextlib
import os
import pathlib
import re
import shutil
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
EMULATOR = "com.google.cloud.datastore.emulator.firestore.CloudFirestore"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def official_jar():
    """The official emulator's jar where Debian's package of it and Java are installed, else None."""
    if not shutil.which("java") or not shutil.which("dpkg"):
        return None
    listed = subprocess.run(["dpkg", "-L", "google-cloud-cli-firestore-emulator"], capture_output=True, text=True)
    return next((line for line in listed.stdout.split("\n") if line.endswith(".jar")), None)


@contextlib.contextmanager
def official():
    """A fresh official emulator; gives its HOST:PORT."""
    port = free_port()
    command = ["java", "-Xmx2g", "-Duser.language=en", "-cp", official_jar(), EMULATOR, "start", "--host=127.0.0.1",
               f"--port={port}"]
    with started(command, "the official emulator") as (process, log):
        until(process, log, lambda: answers(port), "the official emulator")
        yield f"127.0.0.1:{port}"


def docsh():
    path = os.environ.get("DOCSH") or str(ROOT / ".build/release/docsh")
    if not os.access(path, os.X_OK):
        raise SystemExit(f"sdk-suites: {path} is missing; run 'make build' first")
    return path


@contextlib.contextmanager
def ours(arguments=()):
    """A fresh server of ours in which everything is allowed; gives its HOST:PORT."""
    with started([docsh(), "serve", "--port", "0", "--open", *arguments], "docsh") as (process, log):
        said = until(process, log, lambda: re.search(r"^docsh: serving http://(\S+)", text(log), re.M), "docsh")
        yield said[1].rstrip("/")
        if process.poll() is not None:
            raise SystemExit(f"sdk-suites: docsh ended during the suite\n{text(log)[-2000:]}")


@contextlib.contextmanager
def started(command, name):
    with tempfile.NamedTemporaryFile(prefix="sdk-suites-", suffix=".log") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        try:
            yield process, log.name
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def until(process, log, ready, name):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and process.poll() is None:
        found = ready()
        if found:
            return found
        time.sleep(0.05)
    raise SystemExit(f"sdk-suites: {name} did not start\n{text(log)[-2000:]}")


def answers(port):
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1).close()
        return True
    except OSError:
        return False


def text(log):
    with open(log, errors="replace") as file:
        return file.read()
