#!/usr/bin/env python3
"""Many documents loaded by one listener: a page in Chromium beside Node's gRPC SDK, and what each costs the server.

    load.py [--server HOST:PORT --pid PID | --serve 'COMMAND with PORT'] [--documents 100000]

Prints seconds until the listener holds all, and the server's processor time meanwhile (of --pid, or of the server that
was started here); the ratio is the page's to Node's. Needs FIREBASE_JS.
"""
import sys

from browser import Session, arguments, firebase, opened
from checks import fresh
from latency import PROJECT, node


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=1)
    options = parser.parse_args()
    builds = firebase()
    if builds is None:
        print("FIREBASE_JS is not set: nothing was measured")
        return
    with opened(options, {"/sdk/": builds}) as (browser, site, server):
        name = fresh("many")
        server.fill(PROJECT, name, options.documents, lambda n: {
            "n": {"integerValue": str(n)}, "text": {"stringValue": f"{n:06}" + "x" * 80}}, width=6)

        def page(transport):
            session = Session(browser, site, server, "harness.html")
            took = session.page().evaluate(
                "async ([...values]) => (await import('/js/measure.mjs')).load(t, ...values)", [name, options.documents, transport])
            session.close()
            return took

        rows = {}
        for _ in range(options.rounds):
            for who, run in (("Node, gRPC", lambda: node("load", server, name, options.documents)),
                             ("page, streaming", lambda: page("streaming")), ("page, polling", lambda: page("polling"))):
                before = server.processor_seconds() if server.pid else None
                try:
                    took = run() / 1000
                except Exception as error:  # a server that cannot do it is a figure too
                    print(f"{who}: failed: {str(error).splitlines()[0][:200]}", file=sys.stderr)
                    continue
                used = server.processor_seconds() - before if server.pid else float("nan")
                best = rows.get(who, (took, used))
                rows[who] = (min(took, best[0]), min(used, best[1]))
    print(f"{options.documents} documents{'':12}{'s':>9}{'ratio':>8}{'server s':>10}{'ratio':>8}")
    for who, (took, used) in rows.items():
        base = rows.get("Node, gRPC", (float("nan"), float("nan")))
        print(f"{who:28}{took:9.2f}{took / base[0]:8.2f}{used:10.2f}{used / (base[1] or float('nan')):8.2f}")


if __name__ == "__main__":
    main()
