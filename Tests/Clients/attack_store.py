#!/usr/bin/env python3
"""Attacks on data folders: damaged files, kills, full disks, folders that vanish, folders of earlier versions.

    attack_store.py --docsh DOCSH [--scale N] [--seed S] [--crasher STORAGE-CRASHER] [--only WORD]

Needs nothing but Python. Every damaged copy of a folder must give the right data, or an error, or an end that names
the folder and the page with an exit code of its own: never silence, never other data, never an unexplained signal.
`--scale 1` is small, for CI; `--scale 20` makes 2,000 corruptions and 2,000 kills.
"""
import argparse
import collections
import http.client
import os
import random
import shutil
import subprocess
import sys
import tempfile

from checks import Checks, close
from lmdb_pages import PAGE, Pages
from store_server import DAMAGED, Refused, Server, fill, read_all
import store_troubles

options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--docsh", default=".build/release/docsh")
options.add_argument("--crasher", default=".build/debug/storage-crasher")
options.add_argument("--scale", type=int, default=1)
options.add_argument("--seed", type=int, default=1)
options.add_argument("--only", default="")

CORRUPTIONS, KILLS = 100, 100  # of scale 1; kills are divided by five there
checks = Checks()


class Corruption:
    """One way to damage a file; `apply` changes the bytes and says what it did."""

    def __init__(self, name, apply):
        self.name, self.apply = name, apply


def flip(data, offset, draw):
    data[offset] ^= 1 << draw.randrange(8)
    return f"byte {offset} of page {offset // PAGE}"


def in_page(kind):
    def apply(data, pages, draw):
        return flip(data, draw.choice(pages.kinds[kind]) * PAGE + draw.randrange(PAGE), draw)
    return apply


def in_meta(data, pages, draw):
    return flip(data, draw.randrange(2) * PAGE + draw.randrange(16 + 152), draw)


def in_head(data, pages, draw):
    kind = draw.choice(["branch", "leaf", "free list", "value"])
    return flip(data, draw.choice(pages.kinds[kind]) * PAGE + draw.randrange(16), draw)


def in_span(spans):
    def apply(data, pages, draw):
        start, length = draw.choice(getattr(pages, spans))
        return flip(data, start + draw.randrange(length), draw)
    return apply


def zeroed(data, pages, draw):
    page = draw.choice([page for kind in pages.kinds.values() for page in kind])
    data[page * PAGE:(page + 1) * PAGE] = bytes(PAGE)
    return f"page {page}"


def cut(data, pages, draw):
    length = draw.choice([0, 1, PAGE, 2 * PAGE, draw.randrange(len(data)), len(data) - draw.randrange(1, 20 * PAGE)])
    del data[length:]
    return f"at byte {length}"


def swapped(data, pages, draw):
    used = [page for kind in pages.kinds.values() for page in kind]
    a, b = draw.sample(used, 2)
    first, second = data[a * PAGE:(a + 1) * PAGE], data[b * PAGE:(b + 1) * PAGE]
    data[a * PAGE:(a + 1) * PAGE], data[b * PAGE:(b + 1) * PAGE] = second, first
    return f"pages {a} and {b}"


CORRUPTIONS_OF_KIND = [
    Corruption("a bit of the first two pages", in_meta),
    Corruption("a bit of a branch page", in_page("branch")),
    Corruption("a bit of a leaf page", in_page("leaf")),
    Corruption("a bit of a key", in_span("keys")),
    Corruption("a bit of a value", in_span("values")),
    Corruption("a bit of a large value", in_page("value")),
    Corruption("a bit of the free list", in_page("free list")),
    Corruption("a bit of a page's head", in_head),
    Corruption("a page of zeros", zeroed),
    Corruption("a file that was cut", cut),
    Corruption("two pages that were swapped", swapped),
]


def judge(docsh, folder, expected):
    """What became of a damaged folder: 'right', 'error' or 'end'. Anything else is an AssertionError."""
    try:
        with Server(docsh, folder) as server:
            try:
                for _ in range(2):
                    found = read_all(server, expected)
                    assert found == expected, difference(found, expected)
                    # A commit takes pages from the free list; nothing may be written over.
                    server.commit([server.write("after/x", {"n": 1}), server.write("after/y", {"t": "y" * 9000})])
                return "right"
            except Refused as refused:
                assert refused.status in ("DATA_LOSS", "INTERNAL"), f"answered {refused}"
                return "error"
            except (ConnectionError, OSError, http.client.HTTPException):
                status = server.process.wait(20)
                text = server.errors()
                assert status == DAMAGED and folder in text and "page" in text, f"ended with {status}: {text[-300:]}"
                return "end"
    except Server.DidNotStart as ended:
        assert ended.status == DAMAGED and folder in ended.text, f"ended with {ended.status}: {ended.text[-300:]}"
        return "end"


def difference(found, expected):
    lost = [name for name in expected if name not in found]
    more = [name for name in found if name not in expected]
    other = [name for name in expected if name in found and found[name] != expected[name]]
    return f"silently: {len(lost)} lost {lost[:2]}, {len(more)} more {more[:2]}, {len(other)} others {other[:2]}"


def corruption_check(corruption):
    def check(setting):
        draw = random.Random(f"{setting.seed} {corruption.name}")
        tally = collections.Counter()
        count = -(-CORRUPTIONS * setting.scale // len(CORRUPTIONS_OF_KIND))
        for number in range(count):
            data = bytearray(setting.data)
            what = corruption.apply(data, setting.pages, draw)
            with tempfile.TemporaryDirectory() as parent:
                folder = os.path.join(parent, "data")
                os.mkdir(folder)
                for name, content in (("data.mdb", data), ("head.sum", setting.sums)):
                    with open(os.path.join(folder, name), "wb") as file:
                        file.write(content)
                try:
                    tally[judge(setting.docsh, folder, setting.expected)] += 1
                except AssertionError as error:
                    raise AssertionError(f"{number}: {what}: {error}") from error
        setting.tally.update(tally)
        print(f"        {count} x {corruption.name}: {dict(tally)}", flush=True)
    return check


for corruption in CORRUPTIONS_OF_KIND:
    checks(f"damage: {corruption.name}")(corruption_check(corruption))


@checks("kills: nothing acknowledged is lost, nothing is there by half")
def kills(setting):
    if not os.access(setting.crasher, os.X_OK):
        print(f"        skipped: {setting.crasher} is missing (swift build --product storage-crasher)")
        return
    rounds = KILLS * setting.scale // (5 if setting.scale == 1 else 1)
    script = os.path.join(os.path.dirname(__file__), "../../Scripts/kill-test")
    ended = subprocess.run([script, str(rounds), os.path.abspath(setting.crasher)], capture_output=True, text=True)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    print(f"        {ended.stdout.strip()}")


store_troubles.register(checks)


class Setting:
    """What the checks share: a folder with documents of all sizes, with history and free pages."""

    def __init__(self, arguments):
        self.docsh, self.crasher = os.path.abspath(arguments.docsh), arguments.crasher
        self.scale, self.seed = arguments.scale, arguments.seed
        self.tally = collections.Counter()
        self.parent = tempfile.mkdtemp(prefix="attack-store-")
        folder = os.path.join(self.parent, "data")
        with Server(self.docsh, folder) as server:
            fill(server)
            self.expected = read_all(server, {})
        with open(os.path.join(folder, "data.mdb"), "rb") as file:
            self.data = file.read()
        with open(os.path.join(folder, "head.sum"), "rb") as file:
            self.sums = file.read()
        self.pages = Pages(self.data)
        empty = [kind for kind, pages in self.pages.kinds.items() if not pages]
        assert not empty, f"the folder has no pages of {empty}"

    def close(self):
        shutil.rmtree(self.parent)


def main():
    arguments = options.parse_args()
    checks.entries = [entry for entry in checks.entries if arguments.only in entry[0]]
    setting = Setting(arguments)
    try:
        results = checks.run(setting)
    finally:
        setting.close()
    print(f"        corruptions: {sum(setting.tally.values())} {dict(setting.tally)}")
    close([results])


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(__file__))
    main()
