"""How the hosts of a cluster are joined, and how what one of them sends to another one vanishes.

`Namespaces` needs what root may do: each host is a network namespace of its own, all of them are joined by a bridge. `Relays`
needs nothing: everything is on this machine, and a server reaches PostgreSQL through a process that can hold bytes up.

Both are asked for the same: the words that run something on a host, where it listens, and to `cut` and `mend` the links of a
server. A direction is "up" to PostgreSQL or "down" to the server.
"""
import asyncio
import os
import subprocess
import threading


class Namespaces:
    """Hosts that share nothing but disks. This process is on a host of its own, too, at the bridge.

    A host's packets to another one vanish where its table of neighbours has a wrong address, which nobody has. Everything is
    in namespaces that Scripts/cluster-test has made for itself, and ends with the last process there.
    """

    name = "network namespaces"
    own = "10.77.0.1"
    network = "10.77.0.0/24"
    BECOME = 'mount --bind "$0" /proc/sys/kernel/random/boot_id && echo "$1" >/proc/sys/kernel/hostname && shift && exec "$@"'

    def __init__(self, folder, postgres, nodes):
        self.folder = folder
        self.databases = {f"pg-{number}": 11 + number for number in range(postgres)}
        self.servers = {f"server-{number}": 21 + number for number in range(nodes)}
        os.makedirs("/run/netns", exist_ok=True)
        self.run("mount", "-t", "tmpfs", "none", "/run/netns")
        self.ip("link set lo up")
        self.ip("link add bridge type bridge")
        self.ip(f"addr add {self.own}/24 dev bridge")
        self.ip("link set bridge up")
        for name, number in (self.databases | self.servers).items():
            self.add(name, number)

    def add(self, name, number):
        self.ip(f"netns add {name}")
        self.ip(f"link add {name} type veth peer name eth0 address {self.wire(number)} netns {name}")
        self.ip(f"link set {name} master bridge up")
        self.ip(f"-n {name} addr add {self.address(number)}/24 dev eth0")
        self.ip(f"-n {name} link set eth0 up")
        self.ip(f"-n {name} link set lo up")
        # What a machine is known by.
        with open(f"{self.folder}/boot-{name}", "w") as file:
            file.write(f"{number:08}-0000-4000-8000-{os.getpid():012}\n")

    @staticmethod
    def run(*words):
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)

    def ip(self, text):
        self.run("ip", *text.split())

    @staticmethod
    def address(number):
        return f"10.77.0.{number}"

    @staticmethod
    def wire(number):
        return f"02:00:00:00:00:{number:02x}"

    # Where things run.

    def postgres_words(self, number):
        return ["nsenter", f"--net=/run/netns/pg-{number}", "--"]

    def postgres_settings(self, number):
        return [f"listen_addresses={self.place(number)}"]

    def place(self, number, _=None):
        """Where others reach a PostgreSQL."""
        return self.address(self.databases[f"pg-{number}"])

    def server_words(self, number):
        name = f"server-{number}"
        return ["nsenter", f"--net=/run/netns/{name}", "--", "unshare", "--mount", "--uts", "sh", "-c", self.BECOME,
                f"{self.folder}/boot-{name}", name]

    def server_options(self, number):
        return ["--host", self.address(self.servers[f"server-{number}"]), "--allow-owner"]

    def store(self, _):
        hosts = ",".join(self.address(number) for number in self.databases.values())
        return f"postgres:///app?host={hosts}&port=5432,5432&user=docstore"

    # What is lost between them.

    def send(self, name, other, isLost):
        """Whether what one host sends to another one is lost."""
        number = (self.databases | self.servers)[other]
        self.ip(f"-n {name} neigh replace {self.address(number)} lladdr {self.wire(0xff if isLost else number)} "
                "dev eth0 nud permanent")

    def cut(self, number, direction):
        for database in self.databases:
            hosts = (f"server-{number}", database)
            self.send(*(hosts if direction == "up" else reversed(hosts)), isLost=True)

    def mend(self, number):
        for database in self.databases:
            self.send(f"server-{number}", database, isLost=False)
            self.send(database, f"server-{number}", isLost=False)

    def split(self, number, isLost):
        """What a PostgreSQL sends to the other one."""
        self.send(f"pg-{number}", f"pg-{1 - number}", isLost)

    def hide(self, number, isLost):
        """A PostgreSQL whose machine is gone says nothing to anybody, not even that nobody listens."""
        for name in self.servers | self.databases:
            if name != f"pg-{number}":
                self.send(f"pg-{number}", name, isLost)


class Relays:
    """One machine, where each server reaches each PostgreSQL through a relay of its own."""

    name = "relays"
    own = "127.0.0.1"
    network = None

    def __init__(self, folder, postgres, nodes):
        loop = asyncio.new_event_loop()
        threading.Thread(target=loop.run_forever, daemon=True).start()
        self.relays = [[Relay(loop, f"{self.place(number, folder)}/.s.PGSQL.5432") for number in range(postgres)]
                       for _ in range(nodes)]

    def postgres_words(self, _):
        return []

    def postgres_settings(self, _):
        return []

    def place(self, number, folder):
        return f"{folder}/pg-{number}"

    def server_words(self, _):
        return []

    def server_options(self, _):
        return []

    def store(self, number):
        ports = ",".join(str(relay.port) for relay in self.relays[number])
        return f"postgres:///app?host=127.0.0.1,127.0.0.1&port={ports}&user=docstore"

    def cut(self, number, direction):
        for relay in self.relays[number]:
            relay.cut(direction)

    def mend(self, number):
        for relay in self.relays[number]:
            relay.mend()

    def hide(self, number, isLost):
        """What has ended here is refused."""


class Relay:
    """Passes bytes between a port of its own and a socket of PostgreSQL; either direction can be held up.

    The port is closed while nobody listens at the socket, as that of a machine is on which PostgreSQL has ended.
    """

    def __init__(self, loop, target):
        self.loop, self.target = loop, target
        self.open = {"up": asyncio.Event(), "down": asyncio.Event()}
        for event in self.open.values():
            event.set()
        self.port = 0
        self.server = None
        asyncio.run_coroutine_threadsafe(self._listen(), loop).result()
        asyncio.run_coroutine_threadsafe(self._watch(), loop)

    async def _listen(self):
        self.server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self.server.sockets[0].getsockname()[1]

    async def _watch(self):
        while True:
            try:
                _, writer = await asyncio.open_unix_connection(self.target)
                writer.close()
                if self.server is None:
                    await self._listen()
            except OSError:
                if self.server is not None:
                    self.server.close()
                    self.server = None
            await asyncio.sleep(0.05)

    async def _serve(self, reader, writer):
        try:
            up_reader, up_writer = await asyncio.open_unix_connection(self.target)
        except OSError:
            writer.close()
            return
        await asyncio.gather(self._pass(reader, up_writer, "up"), self._pass(up_reader, writer, "down"))

    async def _pass(self, reader, writer, direction):
        try:
            while data := await reader.read(65536):
                await self.open[direction].wait()
                writer.write(data)
                await writer.drain()
        except (OSError, ConnectionError):
            pass
        finally:
            writer.close()

    def cut(self, direction):
        self.loop.call_soon_threadsafe(self.open[direction].clear)

    def mend(self):
        for event in self.open.values():
            self.loop.call_soon_threadsafe(event.set)
