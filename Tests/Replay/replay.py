#!/usr/bin/env python3
"""The same requests to our server and to the official emulator: same status, same body up to times and made-up ids.

    replay.py OURS OFFICIAL [--production OURS2] [--show N] [--area NAME]

Every request of the areas is sent over REST and over gRPC, each way in a project of its own. What differs must be a row
of differences.py. OURS runs with --profile emulator; OURS2, with --profile production, is asked the same over REST, and
must differ from OURS in rows of the table alone. Ends with `N requests, M explained, K differ`.
"""
import argparse
import collections
import json
import re
import sys

import areas_errors
import areas_queries
import areas_reads
import areas_rest
import areas_rules
import areas_writes
import differences
from case import Raw
from ways import GRPC, REST

AREAS = [*areas_reads.AREAS, *areas_writes.AREAS, *areas_queries.AREAS, *areas_errors.AREAS, *areas_rules.AREAS,
         *areas_rest.AREAS,
         areas_rules.denied([*areas_reads.AREAS, *areas_writes.AREAS, *areas_queries.AREAS, *areas_errors.AREAS])]
TIMES = {"createTime", "updateTime", "readTime", "commitTime"}


def filled(value, known):
    """The request with {names} replaced by what earlier answers gave."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: known.get(found[1], found[0]), value)
    if isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        return {filled(key, known): filled(element, known) for key, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [filled(element, known) for element in value]
    return value


def plain(value, key="", without=()):
    """The body without what differs from run to run, and without some members."""
    if isinstance(value, dict):
        if key == "transformResults" or key == "updateTime":
            return value
        shown = {name: plain(element, name, without) for name, element in value.items() if name not in without}
        if "createTime" in value and "updateTime" in value:
            shown["updateTime"] = "as created" if value["createTime"] == value["updateTime"] else "later"
        return shown
    if isinstance(value, list):
        found = [plain(element, key, without) for element in value]
        # The mark of a stream's end may come alone.
        return [element for element in found if element != {} or key]
    if key in TIMES:
        return "time"
    if key == "transaction":
        return "transaction"
    if key == "nextPageToken":
        return "token"
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if key in ("name", "message", "referenceValue") and isinstance(value, str):
        value = re.sub(r"/[A-Za-z0-9]{20}(?=[\"' )]|$)", "/ID", value)
        return re.sub(r"\d{16}", "VERSION", value)
    return value


def judged(answer, without):
    """What is compared: the status and the body without some members, errors as one object."""
    body = answer.body
    if isinstance(body, list) and len(body) == 1 and isinstance(body[0], dict) and "error" in body[0]:
        body = body[0]
    if isinstance(body, dict) and "error" in body:
        error = body["error"]
        body = {"status": error.get("status"), "message": plain(error.get("message", ""), "message")}
    else:
        body = plain(body, without=without)
    return answer.status, body


def sorted_stream(answer):
    status, body = answer
    return status, sorted(body, key=json.dumps) if isinstance(body, list) else body


class Replay:
    """One server, asked one way, in one project."""

    def __init__(self, address, way, project):
        self.rest = REST(address)
        self.way = self.rest if way == "rest" else GRPC(address)
        self.known = {"project": project, **areas_rules.tokens(project)}

    def send(self, request):
        auth = filled(request.auth, self.known)
        auth = auth if " " in auth or not auth else "Bearer " + auth
        if isinstance(request, Raw):
            headers = {**({"Authorization": auth} if auth else {}), **filled(request.headers, self.known)}
            body = filled(request.body, self.known)
            if body is not None and not isinstance(body, (str, bytes)):
                body = json.dumps(body)
            answer = self.rest.send(
                request.method, filled(request.path, self.known), body, headers, request.wants_headers)
        else:
            answer = self.way.call(request.rpc, filled(request.body, self.known), auth)
        for name, read in request.save.items():
            try:
                self.known[name] = read(answer.body)
            except (KeyError, IndexError, TypeError):
                self.known[name] = "missing"
        return answer


def described(request):
    if isinstance(request, Raw):
        return f"{request.method} {request.path} {str(request.body)[:200]}"
    return f"{request.rpc} {json.dumps(request.body)[:400]}"


def compare(areas, way, ours, official, table, rows, report, without=("done",)):
    """Asks both servers; returns how many requests there were and how many of them differ without a reason."""
    count = unexplained = 0
    for area in areas:
        for request in area.requests:
            if request.only and request.only != way:
                continue
            first = ours.send(request)
            count += 1
            if getattr(request, "hangs", False):
                rows["the official emulator never answers"] += 1
                if not isinstance(first.status, int):
                    unexplained += 1
                    report(f"[{way}] {area.name}: {described(request)}\n    ours  {first.status}")
                continue
            second = official.send(request)
            mine, theirs = judged(first, without), judged(second, without)
            if getattr(request, "unordered", False):
                mine, theirs = sorted_stream(mine), sorted_stream(theirs)
            if mine == theirs and first.headers == second.headers:
                continue
            row = table(request, way, mine, theirs)
            if row:
                rows[row] += 1
                continue
            unexplained += 1
            report(f"[{way}] {area.name}: {described(request)}\n    ours  {mine} {first.headers or ''}\n"
                   f"    other {theirs} {second.headers or ''}")
    return count, unexplained


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("ours")
    parser.add_argument("official")
    parser.add_argument("--production")
    parser.add_argument("--show", type=int, default=20)
    parser.add_argument("--area")
    arguments = parser.parse_args()

    areas = [area for area in AREAS if not arguments.area or arguments.area in area.name]
    rows = collections.Counter()
    shown = []

    def report(text):
        if len(shown) < arguments.show:
            print(text[:1500])
        shown.append(text)

    # The official emulator needs a moment for its first write.
    for address in (arguments.ours, arguments.official, arguments.production or arguments.ours):
        REST(address).send("PATCH", "/v1/projects/warm/databases/(default)/documents/a/a", "{}",
                           {"Authorization": "Bearer owner"}, timeout=60)
    count = unexplained = 0
    for way in ("rest", "grpc"):
        project = "replay-" + way
        found = compare(
            areas, way, Replay(arguments.ours, way, project), Replay(arguments.official, way, project),
            differences.official, rows, report,
            # The mark of a stream's end: Q1 is about REST.
            without=() if way == "rest" else ("done",))
        count, unexplained = count + found[0], unexplained + found[1]
    if arguments.production:
        found = compare(
            areas, "rest", Replay(arguments.production, "rest", "replay-second"),
            Replay(arguments.ours, "rest", "replay-second"), differences.profiles, rows, report)
        count, unexplained = count + found[0], unexplained + found[1]
    for row, times in sorted(rows.items()):
        print(f"{times:5} {row}")
    print(f"{count} requests, {sum(rows.values())} explained, {unexplained} differ")
    sys.exit(1 if unexplained or not count else 0)


if __name__ == "__main__":
    main()
