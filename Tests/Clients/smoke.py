#!/usr/bin/env python3
"""The Python SDK against a running server: every call an application makes, with its effect checked.

    smoke.py [HOST:PORT] [PROJECT]        without arguments FIRESTORE_EMULATOR_HOST says where

Needs the packages of requirements.txt. Writes into collections of its own and may be run again and again.
"""
import os
import sys

if len(sys.argv) > 1:
    os.environ["FIRESTORE_EMULATOR_HOST"] = sys.argv[1]
if "FIRESTORE_EMULATOR_HOST" not in os.environ:
    sys.exit(__doc__)

from google.cloud import firestore  # noqa: E402  (reads the variable that was set above)

from checks import close  # noqa: E402
import smoke_async  # noqa: E402
import smoke_bulk  # noqa: E402
import smoke_documents  # noqa: E402
import smoke_queries  # noqa: E402
import smoke_transactions  # noqa: E402
import smoke_values  # noqa: E402


def main():
    project = sys.argv[2] if len(sys.argv) > 2 else "demo-smoke"
    client = firestore.Client(project=project)
    results = [module.checks.run(client) for module in (
        smoke_documents, smoke_values, smoke_queries, smoke_transactions, smoke_bulk)]
    results.append(smoke_async.checks.run(project))
    close(results)


if __name__ == "__main__":
    main()
