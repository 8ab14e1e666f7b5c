"""Suites that Node runs: Mocha and one script that loads the tests. js/node_suite.cjs is the runner; nothing of a suite is
here.

The folder has `suite.js`, which calls Mocha's `describe` and `it` when it is loaded, and `node_modules` with what it needs.
"""
import pathlib
import shutil

import sdk_process

RUNNER = pathlib.Path(__file__).parent / "js" / "node_suite.cjs"
PROJECT = "test-emulator"


class Suite:
    """`folder`: whose files it runs; `timeout`: seconds for a test, as that SDK's own runner gives them; `environment`: what
    the suite reads of its surroundings, from (host, port)."""

    def __init__(self, folder, timeout, environment):
        self.folder, self.timeout, self.environment = folder, timeout, environment

    def missing(self, folder):
        return [name for name in ("suite.js", "node_modules/mocha/package.json") if not (folder / name).is_file()]

    def run(self, folder, address, grep=None, progress=lambda test: None):
        node = shutil.which("node")
        if not node:
            raise SystemExit("sdk-suites: no Node.js; install it")
        command = [node, str(RUNNER), str(folder.resolve()), str(self.timeout * 1000), *([grep] if grep else [])]
        environment = self.environment(*address.rsplit(":", 1))
        return sdk_process.run(command, folder, environment, self.timeout + 60, progress)


def web(host, port):
    """The web SDK's own names; it always asks localhost."""
    return {"FIRESTORE_TARGET_BACKEND": "emulator", "FIRESTORE_EMULATOR_PORT": port, "FIRESTORE_EMULATOR_PROJECT_ID": PROJECT}


def server(host, port):
    return {"FIRESTORE_EMULATOR_HOST": f"{host}:{port}", "GCLOUD_PROJECT": PROJECT}


def server_rest(host, port):
    return {**server(host, port), "FIRESTORE_PREFER_REST": "true"}


SUITES = {
    "js-node": Suite("js-node", 5, web),
    "js-lite": Suite("js-lite", 5, web),
    "node-server": Suite("node-server", 1200, server),
    "node-server-rest": Suite("node-server", 1200, server_rest),
}
