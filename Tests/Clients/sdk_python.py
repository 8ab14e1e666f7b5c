"""The Python server client's system tests, run by the pytest of an environment that the folder has.

The folder has `venv` with the client and what its tests import, and `tests/system`. pytest_plugin/sdk_results.py tells the
outcomes; nothing of the suite is here.
"""
import pathlib

import sdk_process

PLUGIN = pathlib.Path(__file__).parent / "pytest_plugin"
SILENCE = 660       # seconds; that suite's own runner has no limit, the client gives up after at most 600
ENDED = (0, 1)      # pytest's exit statuses after all tests: none failed, or some


class Suite:
    """`environment`: what tells the plugin which tests to run."""
    folder = "python"

    def __init__(self, **environment):
        self.environment = environment

    def missing(self, folder):
        return [name for name in ("venv/bin/python", "tests/system/test_system.py") if not (folder / name).is_file()]

    def run(self, folder, address, grep=None, progress=lambda test: None):
        command = [str(folder.resolve() / "venv/bin/python"), "-m", "pytest", "-p", "sdk_results", "-p", "no:cacheprovider",
                   "--quiet", "tests/system"]
        environment = {"FIRESTORE_EMULATOR_HOST": address, "GCLOUD_PROJECT": "test-emulator", "PYTHONPATH": str(PLUGIN),
                       "TITLED": grep or "", **self.environment}
        return sdk_process.run(command, folder, environment, SILENCE, progress, fine=ENDED)


SUITES = {"python": Suite(), "python-unskipped": Suite(UNSKIPPED="yes")}
