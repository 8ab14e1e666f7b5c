#!/usr/bin/env python3
"""Clients' own test suites against our server and the official emulator, and what one passes and the other does not.

Called by Scripts/sdk-suites, which says how; docs/sdk-suites.md says what a prepared folder has. A suite is an entry of SUITES:
a module or an object with `missing(folder)`, the files that it needs and does not find, and
`run(folder, address, grep=, progress=)`, which returns every test (title, state, seconds, error) and what ended the run early;
and with `folder` where it runs another suite's files.
"""
import argparse
import contextlib
import datetime
import json
import pathlib
import re
import signal
import sys
import time

import sdk_browser
import sdk_mocha
import sdk_python
import sdk_servers

SUITES = {"js-browser": sdk_browser, **sdk_mocha.SUITES, **sdk_python.SUITES}
TIME = re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d\d \d{4} \d\d:\d\d:\d\d GMT[+-]\d{4}( \([^)]*\))?")     # JavaScript's form
STATES = ("passed", "failed", "pending")
EXPLAINED = pathlib.Path(__file__).parent / "sdk_explained.json"     # by suite: a part of a title, and why the two differ


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/sdk-suites", description=__doc__.split("\n")[0],
                                     epilog="What follows -- are arguments for our server: -- --profile emulator")
    parser.add_argument("folder", type=pathlib.Path, help="what somebody prepared: a folder per suite")
    parser.add_argument("--suite", choices=SUITES, action="append", help="this one only; may be repeated")
    parser.add_argument("--server", metavar="HOST:PORT", help="ours, already running; 'none' leaves it out")
    parser.add_argument("--official", metavar="HOST:PORT|FILE",
                        help="the official emulator, already running, or its results as --save wrote them; 'none' leaves "
                             "it out")
    parser.add_argument("--grep", metavar="TEXT", help="only the tests whose full title has this in it")
    parser.add_argument("--save", metavar="FOLDER", type=pathlib.Path,
                        help="keep the results: SUITE-ours.json, SUITE-official.json")
    parser.add_argument("--verbose", action="store_true", help="a line for every test, and the errors of the failed ones")
    given = sys.argv[1:]
    end = given.index("--") if "--" in given else len(given)
    options = parser.parse_args(given[:end])
    options.serve = given[end + 1:]
    if options.serve and options.server:
        parser.error("--server names a server that runs already: it takes no arguments")
    return options


def folder_of(name, options):
    return options.folder / getattr(SUITES[name], "folder", name)


def run(name, side, server, options):
    """One suite against one server: results in the form that docs/sdk-suites.md describes."""
    suite, folder = SUITES[name], folder_of(name, options)

    def progress(test):
        if options.verbose:
            print(f"  {side:8}  {test['state']:7}  {test['title']}", flush=True)

    with server as address:
        began, clock = datetime.datetime.now(datetime.timezone.utc), time.monotonic()
        tests, early = suite.run(folder, address, grep=options.grep, progress=progress)
        seconds = round(time.monotonic() - clock, 1)
    results = {
        "suite": name, "side": side, "server": address, "arguments": options.serve if side == "ours" else [],
        "prepared": prepared(folder), "grep": options.grep,
        "began": began.isoformat(timespec="seconds"), "seconds": seconds, "ended_early": early,
        **count(tests), "tests": numbered(tests),
    }
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
        (options.save / f"{name}-{side}.json").write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    return results


def count(tests):
    return {state: sum(test["state"] == state for test in tests) for state in STATES}


def prepared(folder):
    """What the folder says of itself: free text by name, such as the versions it was made from."""
    about = folder / "about.json"
    return json.loads(about.read_text()) if about.is_file() else {}


def numbered(tests):
    """Titles need not be unique: the second of a name is called `… (2)`. A time of day in one is of this run only."""
    seen = {}
    for test in tests:
        title = test["title"] = TIME.sub("(a time)", test["title"])
        seen[title] = seen.get(title, 0) + 1
        if seen[title] > 1:
            test["title"] = f"{title} ({seen[title]})"
    return tests


@contextlib.contextmanager
def running(address):
    host, _, port = address.rpartition(":")
    if host not in ("127.0.0.1", "localhost", "[::1]") or not port.isdigit():
        raise SystemExit(f"sdk-suites: {address} is not HOST:PORT on this machine, where the suites look for servers")
    if not sdk_servers.answers(port):
        raise SystemExit(f"sdk-suites: no server takes connections at {address}")
    yield address


def ours(name, options):
    if options.server == "none":
        return None
    return run(name, "ours", running(options.server) if options.server else sdk_servers.ours(options.serve), options)


def official(name, options):
    if options.official == "none":
        return None
    if options.official and pathlib.Path(options.official).is_file():
        results = json.loads(pathlib.Path(options.official).read_text())
        if results["suite"] != name:
            raise SystemExit(f"sdk-suites: {options.official} has results of {results['suite']}, not of {name}")
        if results["prepared"] != prepared(folder_of(name, options)):
            print(f"{name}: {options.official} is of another build than the folder's: compare titles with care")
        if options.grep:
            results["tests"] = [test for test in results["tests"] if options.grep in test["title"].replace(" > ", " ")]
            results.update(count(results["tests"]))
        return results
    if options.official:
        return run(name, "official", running(options.official), options)
    if not sdk_servers.official_jar():
        print(f"{name}: the official emulator is not installed; nothing to compare with")
        return None
    return run(name, "official", sdk_servers.official(), options)


def summary(results):
    counts = ", ".join(f"{results[state]} {state}" for state in STATES)
    print(f"{results['suite']}: {results['side']:8}  {counts}, in {results['seconds']:.0f} s")
    if results["ended_early"]:
        print(f"{results['suite']}: {results['side']:8}  ended early: {results['ended_early']}")


def listing(heading, titles, errors, verbose, reasons=None):
    print(f"{heading}: {len(titles)}")
    for title in titles:
        print(f"  {title}")
        lines = (errors.get(title) or "").splitlines()
        for line in lines if verbose else lines[:1]:
            print(f"      {line}")
        if reasons is not None:
            print("      " + next((f"why: {why}" for part, why in reasons.items() if part in title), "not explained"))


def compare(name, here, there, verbose):
    """Prints what differs; returns (kept, lost): of what the official emulator passes, what we pass and what we do not."""
    a, b = ({test["title"]: test["state"] for test in results["tests"]} for results in (here, there))
    error = lambda results: {test["title"]: test["error"] for test in results["tests"]}
    explained = json.loads(EXPLAINED.read_text())
    reasons = {**explained.get(getattr(SUITES[name], "folder", name), {}), **explained.get(name, {})}
    lost = [title for title in b if b[title] == "passed" and a.get(title) != "passed"]
    won = [title for title in a if a[title] == "passed" and b.get(title) != "passed"]
    both = [title for title in b if b[title] == "failed" and a.get(title) == "failed"]
    rest = [title for title in a if a[title] == "failed" and title not in b]
    listing(f"{name}: passes officially, not here", lost, error(here), verbose, reasons)
    listing(f"{name}: passes here, not officially", won, error(there), verbose, reasons)
    listing(f"{name}: fails in both", both, error(here), verbose)
    if rest:
        listing(f"{name}: fails here, not run officially", rest, error(here), verbose)
    return sum(b[title] == "passed" for title in b) - len(lost), len(lost)


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))     # so that servers and browsers end with us
    options = arguments()
    names = options.suite or [name for name in SUITES if folder_of(name, options).is_dir()]
    lacking = [str(folder_of(name, options) / file) for name in names
               for file in SUITES[name].missing(folder_of(name, options))]
    if lacking or not names:
        raise SystemExit(f"sdk-suites: missing: {', '.join(lacking or [f'{options.folder}/{name}' for name in SUITES])}; "
                         "docs/sdk-suites.md says what it needs")
    if not options.server:
        sdk_servers.docsh()
    passed = failed = 0
    for name in names:
        there, here = official(name, options), ours(name, options)
        for results in filter(None, (there, here)):
            summary(results)
        if not here and not there:
            continue
        if here and there:
            kept, lost = compare(name, here, there, options.verbose)
        else:
            results = here or there
            listing(f"{name}: fails", [test["title"] for test in results["tests"] if test["state"] == "failed"],
                    {test["title"]: test["error"] for test in results["tests"]}, options.verbose)
            kept, lost = results["passed"], results["failed"]
        broken = sum(bool(results["ended_early"]) for results in (here, there) if results)
        passed, failed = passed + kept, failed + lost + broken
    print(f"{passed} passed, {failed} failed")
    sys.exit(0 if failed == 0 and passed > 0 else 1)


if __name__ == "__main__":
    main()
