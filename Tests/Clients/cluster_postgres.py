"""The two PostgreSQLs of a cluster: a primary, and a standby that it waits for with each commit."""
import os
import signal
import subprocess
import sys
import time


class Postgres:
    """Whichever of the two is the primary. Scripts/postgres does what an operator does."""

    # A standby that has lost its primary asks for it again soon, and a test has no ten seconds for a copy.
    SETTINGS = ["wal_retrieve_retry_interval=500ms"]
    NOT_INSTALLED = 3

    def __init__(self, script, folder, links):
        self.script, self.folder, self.links = script, folder, links
        self.primary = 0

    def start(self, parent):
        """Both end with the process `parent`. Ends this one where PostgreSQL is not installed."""
        trust = ["--trust", self.links.network] if self.links.network else []
        status = self.run(0, "start", str(parent), *trust, "--", *self.SETTINGS, *self.links.postgres_settings(0))
        if status == self.NOT_INSTALLED:
            print(f"skipped: {self.said()}")
            sys.exit(0)
        self.check("start", status)
        self.follow(1, str(parent))
        self.check("create", self.run(0, "create", "app"))

    def run(self, number, command, *words):
        """Runs a command of the script on a host: its status."""
        with open(f"{self.folder}/said", "w") as said:
            return subprocess.run(
                [*self.links.postgres_words(number), self.script, command, self.directory(number), *words],
                stdin=subprocess.DEVNULL, stdout=said, stderr=said).returncode

    def said(self):
        with open(f"{self.folder}/said") as file:
            return file.read().strip()

    def check(self, command, status):
        if status != 0:
            raise SystemExit(f"PostgreSQL, {command}: status {status}: {self.said()}")

    def follow(self, number, *parent):
        """Makes one of them the standby of the other. Returns when each commit waits for it."""
        primary = self.links.place(1 - number, self.folder)
        settings = self.links.postgres_settings(number)
        self.check("standby", self.run(number, "standby", primary, *parent, "--", *settings))

    def directory(self, number):
        return f"{self.folder}/pg-{number}"

    def ask(self, statement):
        """What the primary answers; nothing where it does not."""
        return subprocess.run(
            ["psql", "-qXAt", "-h", self.directory(self.primary), "-U", "docstore", "-d", "app", "-c", statement],
            capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout.strip()

    def wait(self, what, statement, answer, seconds=60):
        deadline = time.monotonic() + seconds
        while self.ask(statement) != answer:
            if time.monotonic() > deadline:
                raise SystemExit(f"PostgreSQL, {what}: not within {seconds} s: {statement}")
            time.sleep(0.05)

    def wait_for_standby(self):
        """Returns when the standby has what the primary has shown, and each commit waits for it."""
        self.wait("the primary answers", "select 1", "1")
        place = self.ask("select pg_current_wal_flush_lsn()")
        self.wait("the standby follows", "select count(*) from pg_stat_replication where sync_state = 'sync' "
                  f"and flush_lsn >= '{place}'", "1")

    # A session that has got the beginning of what a server sends it, and waits for the rest.
    PART = ("exists (select from pg_stat_activity where state = 'active' and wait_event = 'ClientRead' "
            "and xact_start < clock_timestamp() - interval '20 ms')")

    def waits_for_rest(self):
        return self.ask(f"select {self.PART}") == "t"

    def wait_for_part(self):
        """Returns in the middle of what a server sends, or after a few seconds."""
        self.ask(f"do $$ begin for n in 1..3000 loop perform pg_stat_clear_snapshot(); exit when {self.PART}; "
                 "perform pg_sleep(0.001); end loop; end $$")

    def end_sessions(self):
        """About half of the servers' sessions are ended in order."""
        self.ask("select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() "
                 "and backend_type = 'client backend' and random() < 0.5")

    def kill_backend(self):
        """One process of a session is killed: PostgreSQL then ends them all, and reads its log anew."""
        process = self.ask("select pid from pg_stat_activity where pid <> pg_backend_pid() "
                           "and backend_type = 'client backend' order by random() limit 1")
        if process:
            try:
                os.kill(int(process), signal.SIGKILL)
            except ProcessLookupError:
                pass
        self.wait("the primary answers", "select 1", "1")

    def fail_over(self, isHidden):
        """The primary is killed, the standby takes over, and what was the primary is made anew as its standby.

        Between the two nobody waits for a standby, as there is none: what is committed then is on one machine, which the
        test leaves alone for so long.
        """
        self.wait_for_standby()
        before, self.primary = self.primary, 1 - self.primary
        if isHidden:
            self.links.hide(before, True)
        self.check("stop", self.run(before, "stop", "immediate"))
        self.check("promote", self.run(self.primary, "promote"))
        self.check("remove", self.run(before, "remove"))
        self.links.hide(before, False)
        self.follow(before)
