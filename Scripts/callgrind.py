"""Reads reports of callgrind, for the scripts beside it."""
import re


def read(report):
    """Calls of each function in a run, in the order in which callgrind names them, and instructions of the whole run."""
    names, calls, callee, total = {}, {}, None, None
    for line in report.open(errors="replace"):
        match = re.match(r"c?fn=\((\d+)\)(?: (.*))?", line.rstrip("\n"))
        if match:
            # A function inside itself has a number behind its name.
            if match[2]:
                names[match[1]] = re.sub(r"'\d+$", "", match[2])
            callee = names[match[1]]
        elif line.startswith("calls="):
            calls[callee] = calls.get(callee, 0) + int(line[6:].split()[0])
        elif line.startswith("totals:"):
            total = int(line.split()[1])
    if total is None:
        raise SystemExit(f"callgrind's report {report} has no total")
    return calls, total
