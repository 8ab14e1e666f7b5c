"""The pytest plugin of sdk_python.py: appends every test's outcome, a line of JSON, to the file RESULTS.

TITLED: only tests with this in their title. UNSKIPPED: tests that the suite leaves out on emulators run as well.
"""
import importlib.util
import inspect
import json
import os
import pathlib
import unittest.mock

SEEDS = "util/bootstrap_vector_index.py"
STATES = {"passed": "passed", "failed": "failed", "skipped": "pending"}
reports = {}


def title(nodeid):
    return nodeid.removeprefix("tests/system/").replace("::", " > ")


def pytest_collection_modifyitems(config, items):
    wanted = os.environ.get("TITLED", "")
    config.hook.pytest_deselected(items=[item for item in items if wanted not in title(item.nodeid)])
    items[:] = [item for item in items if wanted in title(item.nodeid)]
    if os.environ.get("UNSKIPPED"):
        unskip(items)


def unskip(items):
    """Takes out what leaves tests out on emulators (all `skipif` of this suite), except for pipelines: they are for databases
    of the Enterprise edition, and so is the repetition of queries as pipelines. Writes the documents with vectors, as the
    suite's own script for them does."""
    for node in {node for item in items for node in item.listchain() if "pipeline" not in item.nodeid}:
        node.own_markers[:] = [mark for mark in node.own_markers if mark.name != "skipif"]
    modules = {item.module for item in items if hasattr(item.module, "verify_pipeline")}
    for module in modules:
        waited = inspect.iscoroutinefunction(module.verify_pipeline)
        module.verify_pipeline = unittest.mock.AsyncMock() if waited else unittest.mock.Mock()
    for tests in list(modules)[:1]:
        spec = importlib.util.spec_from_file_location("seeds", pathlib.Path(tests.__file__).parent / SEEDS)
        seeds = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(seeds)
        credentials, project = tests._get_credentials_and_project()
        for database in tests.TEST_DATABASES:
            client = tests.firestore.Client(project=project, credentials=credentials, database=database)
            seeds.create_vector_documents(client, seeds.COLLECTION_ID)


def pytest_runtest_logreport(report):
    reports.setdefault(report.nodeid, []).append(report)


def pytest_runtest_logfinish(nodeid):
    phases = reports.pop(nodeid)
    outcomes = [report.outcome for report in phases]
    outcome = next((outcome for outcome in ("failed", "skipped") if outcome in outcomes), "passed")
    error = next((report.longreprtext for report in phases if report.outcome == "failed"), None)
    test = {"title": title(nodeid), "state": STATES[outcome], "seconds": round(sum(report.duration for report in phases), 3),
            "error": error and error[-4000:]}
    with open(os.environ["RESULTS"], "a") as results:
        results.write(json.dumps(test) + "\n")
