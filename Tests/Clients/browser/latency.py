#!/usr/bin/env python3
"""Time from onSnapshot() to the first snapshot: a page in Chromium beside Node's gRPC SDK, same server, same query.

    latency.py [--server HOST:PORT | --serve 'COMMAND with PORT'] [--rounds 20]

`new`: a client of its own for each round, so its connection is opened too. `warm`: another query of a client that is
already listening. Medians in milliseconds; the ratio is the page's to Node's. Needs FIREBASE_JS.
"""
import json
import statistics
import subprocess

from browser import HERE, Session, arguments, firebase, opened
from checks import fresh

PROJECT = "demo-latency"


def main():
    parser = arguments(__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    options = parser.parse_args()
    builds = firebase()
    if builds is None:
        print("FIREBASE_JS is not set: nothing was measured")
        return
    with opened(options, {"/sdk/": builds}) as (browser, site, server):
        name = fresh("small")
        server.fill(PROJECT, name, 10, lambda n: {"n": {"integerValue": str(n)}, "text": {"stringValue": "x" * 100}})
        # Both in turn, so that neither has the quieter machine.
        times = {}
        for kind in ("new", "warm"):
            times["node", kind] = node("latency", server, name, options.rounds, kind)
            for transport in ("detected", "streaming", "polling"):
                session = Session(browser, site, server, "harness.html")
                times[transport, kind] = session.page().evaluate(
                    "async ([...values]) => (await import('/js/measure.mjs')).latency(t, ...values)",
                    [name, options.rounds, kind, transport])
                session.close()
    print(f"{'':24}{'new':>9}{'ratio':>8}{'warm':>9}{'ratio':>8}")
    for who in ("node", "detected", "streaming", "polling"):
        row = [statistics.median(times[who, kind]) for kind in ("new", "warm")]
        ratios = [value / statistics.median(times["node", kind]) for value, kind in zip(row, ("new", "warm"))]
        label = "Node, gRPC" if who == "node" else f"page, {who}"
        print(f"{label:24}{row[0]:9.1f}{ratios[0]:8.2f}{row[1]:9.1f}{ratios[1]:8.2f}")


def node(what, server, *values):
    """What measure-node.mjs prints: JSON."""
    script = HERE.parent / "js" / "measure-node.mjs"
    answer = subprocess.run(["node", script, server.address, what, *map(str, values)], stdout=subprocess.PIPE, check=True, timeout=600)
    return json.loads(answer.stdout.splitlines()[-1])


if __name__ == "__main__":
    main()
