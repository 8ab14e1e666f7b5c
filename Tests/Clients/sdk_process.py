"""A suite that runs in a process of its own and appends every test's outcome, a line of JSON each, to the file RESULTS."""
import json
import os
import pathlib
import subprocess
import tempfile
import time


def run(command, folder, environment, silence, progress, fine=(0,)):
    """Runs a suite until it ends or no test has ended for `silence` seconds; returns (tests, what went wrong besides tests
    or None). `fine` are the exit statuses of a run that came to its end."""
    with tempfile.TemporaryDirectory(prefix="sdk-suites-") as scratch:
        results, log = pathlib.Path(scratch, "results"), pathlib.Path(scratch, "log")
        results.touch()
        with log.open("wb") as output:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                       env={**os.environ, **environment, "RESULTS": str(results)})
        try:
            with results.open() as lines:
                tests, stuck = read(lines, process, silence, progress)
        finally:
            process.kill()
            status = process.wait()
        if not stuck and status not in fine:
            stuck = f"ended with {status}: " + " ".join(log.read_text(errors="replace")[-600:].split())
        return tests, stuck or (None if tests else "no test ran")


def read(lines, process, silence, progress):
    tests, begun, heard = [], "", time.monotonic()
    while True:
        ended = process.poll() is not None      # asked before the last reading, so that nothing is left behind it
        *whole, begun = (begun + lines.read()).split("\n")
        for test in map(json.loads, whole):
            heard = time.monotonic()
            tests.append(test)
            progress(test)
        if ended:
            return tests, None
        if time.monotonic() - heard > silence:
            return tests, f"no test ended for {silence} seconds after {len(tests)}"
        time.sleep(0.1)
