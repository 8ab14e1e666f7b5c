"""Full disks, folders that vanish, files that are cut under a server, folders of earlier versions: attack_store.py."""
import contextlib
import json
import os
import shutil
import subprocess
import tarfile
import tempfile
import time

from store_server import BASE, DAMAGED, Refused, Server, read_all

OLD_FOLDERS = os.path.join(os.path.dirname(__file__), "old_folders")
NOTICED_SECONDS = 1.0


class NoMount(Exception):
    pass


@contextlib.contextmanager
def small_disk(megabytes):
    """A file system of that size, which only root may mount."""
    place = tempfile.mkdtemp(prefix="attack-disk-")
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", place],
                             capture_output=True, text=True)
    try:
        if mounted.returncode != 0:
            raise NoMount(mounted.stderr.strip())
        yield place
    finally:
        if mounted.returncode == 0:
            subprocess.run(["umount", "-l", place], check=True)
        os.rmdir(place)


def fill_disk(place, leave=0):
    """Takes all room but `leave` bytes; the path of the file that has it."""
    path = os.path.join(place, "filler")
    room = os.statvfs(place)
    with open(path, "wb") as file, contextlib.suppress(OSError):
        left = max(0, room.f_bavail * room.f_frsize - leave)
        while left > 0:
            left -= file.write(bytes(min(left, 1 << 16)))
            file.flush()
    return path


def within(seconds, what, condition):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def refusal(server, number=0):
    """The refusal of a commit; None when it is taken."""
    try:
        server.commit([server.write(f"full/{number}", {"text": "x" * 200_000})])
    except Refused as refused:
        return refused


def ready(server):
    status, text = server.ask("GET", "/readyz")
    return status == 200, text.decode()


def skippable(check):
    def run(setting):
        try:
            check(setting)
        except NoMount as error:
            print(f"        skipped: no small disk can be mounted ({error})")
    return run


def full_disk(setting):
    with small_disk(16) as disk, Server(setting.docsh, os.path.join(disk, "data")) as server:
        assert refusal(server) is None
        filler = fill_disk(disk, leave=600_000)
        refused = [refused for refused in (refusal(server, number) for number in range(1, 40)) if refused]
        assert refused, "40 large commits fit into 600 kB"
        for one in refused:
            assert one.status == "RESOURCE_EXHAUSTED", one
            assert server.folder in one.message and "missing" in one.message, one
        assert server.errors().count("is full") == 1, "said once: " + server.errors()
        is_ready, text = ready(server)
        assert not is_ready and server.folder in text, text
        documents = server.call("GET", BASE + "/full?pageSize=100&mask.fieldPaths=none")["documents"]
        assert len(documents) == 40 - len(refused), (len(documents), len(refused))
        os.remove(filler)
        within(2, "ready again", lambda: ready(server)[0])
        assert refusal(server, 100) is None
        assert "has room again" in server.errors(), server.errors()


def new_on_full_disk(setting):
    for leave in (0, 4_096, 16_384, 90_000):
        with small_disk(1) as disk:
            fill_disk(disk, leave=leave)
            folder = os.path.join(disk, "data")
            try:
                with Server(setting.docsh, folder):
                    continue  # so much is enough
            except Server.DidNotStart as ended:
                assert ended.status == 74 and folder in ended.text, ended
                assert "No space left" in ended.text or "full" in ended.text, ended
            os.remove(os.path.join(disk, "filler"))
            with Server(setting.docsh, folder) as server:
                assert refusal(server) is None or True


def vanish(setting, remove, word):
    with tempfile.TemporaryDirectory() as parent:
        folder = os.path.join(parent, "data")
        with Server(setting.docsh, folder) as server:
            server.commit([server.write("a/1", {"n": 1})])
            assert ready(server)[0]
            put_back = remove(folder)
            within(NOTICED_SECONDS, "not ready", lambda: not ready(server)[0])
            assert folder in ready(server)[1] and word in ready(server)[1], ready(server)[1]
            assert server.errors().count(word) == 1, server.errors()
            for number in range(3):
                refused = refusal(server, number)
                assert refused and refused.status == "UNAVAILABLE" and folder in refused.message, refused
            if put_back:
                put_back()
                within(NOTICED_SECONDS, "ready again", lambda: ready(server)[0])
                assert refusal(server) is None


def removed(setting):
    def remove(folder):
        shutil.rmtree(folder)
    vanish(setting, remove, "was removed")


def moved(setting):
    def remove(folder):
        os.rename(folder, folder + ".away")
        return lambda: os.rename(folder + ".away", folder)
    vanish(setting, remove, "was removed")


def replaced(setting):
    def remove(folder):
        os.rename(folder, folder + ".away")
        shutil.copytree(folder + ".away", folder)
    vanish(setting, remove, "was replaced")


def cut_while_running(setting):
    with tempfile.TemporaryDirectory() as parent:
        folder = os.path.join(parent, "data")
        os.mkdir(folder)
        path = os.path.join(folder, "data.mdb")
        with open(path, "wb") as file:
            file.write(setting.data)
        with Server(setting.docsh, folder) as server:
            assert read_all(server, {}) == setting.expected
            os.truncate(path, len(setting.data) // 4)
            try:
                found = read_all(server, setting.expected)
                raise AssertionError(f"{len(found)} documents of a file that was cut")
            except Refused as refused:
                assert refused.status == "DATA_LOSS", refused
            except OSError:
                status = server.process.wait(20)
                text = server.errors()
                assert status == DAMAGED and folder in text and "page" in text, f"{status}: {text}"


def old_folders(setting):
    names = sorted(name for name in os.listdir(OLD_FOLDERS) if name.endswith(".tar.xz"))
    assert len(names) >= 2, names
    for name in names:
        with tempfile.TemporaryDirectory() as parent:
            with tarfile.open(os.path.join(OLD_FOLDERS, name)) as archive:
                archive.extractall(parent, filter="data")
            with open(os.path.join(parent, "expected.json")) as file:
                expected = json.load(file)
            folder = os.path.join(parent, "data")
            for _ in range(2):
                with Server(setting.docsh, folder, *["--project", expected["project"]]) as server:
                    base = f"/v1/projects/{expected['project']}/databases/(default)/documents"
                    for collection, documents in expected["collections"].items():
                        rows = server.call("POST", base + ":runQuery", {
                            "structuredQuery": {"from": [{"collectionId": collection}]}})
                        found = {row["document"]["name"].rsplit("/", 1)[1]: row["document"]["fields"]
                                 for row in rows if "document" in row}
                        assert found == documents, f"{name}: {collection}: {len(found)} of {len(documents)}"
                    # The next commit makes it a folder of this version.
                    server.call("PATCH", base + "/upgrade/u", {"fields": {"n": {"integerValue": "1"}}})
        print(f"        {name}")


def drains(setting):
    with tempfile.TemporaryDirectory() as parent, Server(setting.docsh, os.path.join(parent, "data")) as server:
        place = "/emulator/v1/projects/-/triggers:drain"
        for seconds in ("abc", "-5", "1e400", "1.5", "", "3601", "99999999999999999999"):
            try:
                server.call("POST", f"{place}?seconds={seconds}")
                raise AssertionError(f"drained for '{seconds}' seconds")
            except Refused as refused:
                assert refused.code == 400 and "seconds" in refused.message, refused
        assert server.call("POST", f"{place}?seconds=5") == {"drained": True}


def register(checks):
    """Adds the checks in the order in which they are said."""
    checks("a full disk: refused with path and room, said once, not ready, recovers")(skippable(full_disk))
    checks("a new folder on a full disk")(skippable(new_on_full_disk))
    checks("a removed folder is noticed within a second")(removed)
    checks("a moved folder is noticed within a second, and when it is back")(moved)
    checks("a replaced folder is noticed within a second")(replaced)
    checks("a file that is cut under a running server")(cut_while_running)
    checks("folders of earlier versions are read and upgraded")(old_folders)
    checks("drains are asked for with a number of seconds")(drains)
