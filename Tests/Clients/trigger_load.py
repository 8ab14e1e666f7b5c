"""Seeds profiles of few display names with the pack's triggers on, and waits until each has a username of its own.

Usage: trigger_load.py DOCSH PORT PROFILES SECONDS_MAX          PORT 0 is any free one
"""
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request

docsh, port, profiles, seconds_max = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4])
PATIENCE = 600
SEED = f"""version: 1
seed: 7
generate:
  - path: users/user_${{i}}
    repeat: {profiles}
    fields:
      id: user_${{i}}
      displayName: {{$name: person}}
      joinedCommunities: [area_askew]
documents:
  communities/area_askew: {{type: area, name: Askew, memberCount: 0}}
"""


def call(method, path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(base + path, data=data, method=method, headers={"Authorization": "Bearer owner"})
    with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
        return json.loads(answer.read())


def memory(process):
    with open(f"/proc/{process.pid}/status") as status:
        return next(int(line.split()[1]) // 1024 for line in status if line.startswith("VmHWM"))


with tempfile.TemporaryDirectory() as folder:
    seed = os.path.join(folder, "seed.yaml")
    with open(seed, "w") as file:
        file.write(SEED)
    began = time.monotonic()
    server = subprocess.Popen([docsh, "serve", "--open", "--port", str(port), "--seed", seed, "--triggers", "inspired"],
                              stdout=subprocess.PIPE, text=True)
    try:
        for line in server.stdout:
            if line.startswith("docsh: seeded"):
                seeded = time.monotonic()
            if line.startswith("docsh: serving http://"):
                base = line.split()[2]
                break
        assert server.poll() is None, "the server ended"
        while not call("POST", "/emulator/v1/projects/-/triggers:drain?seconds=300")["drained"]:
            assert time.monotonic() - began < PATIENCE, "not drained"
        drained = time.monotonic()
        letters = call("GET", "/emulator/v1/projects/-/triggers:deadLetters")["deadLetters"]
        assert not letters, letters[:3]
        peak = memory(server)
        owners, page = {}, ""
        while True:
            answer = call("GET", f"/v1/projects/demo/databases/(default)/documents/users?pageSize=1000"
                                 f"&mask.fieldPaths=username{page}")
            for document in answer.get("documents", []):
                name = document["fields"]["username"]["stringValue"]
                assert owners.setdefault(name, document["name"]) == document["name"], f"{name} twice"
            if "nextPageToken" not in answer:
                break
            page = "&pageToken=" + answer["nextPageToken"]
        assert len(owners) == profiles, len(owners)
        community = call("GET", "/v1/projects/demo/databases/(default)/documents/communities/area_askew")
        assert community["fields"]["memberCount"] == {"integerValue": str(profiles)}, community
    finally:
        server.terminate()
        server.wait(60)
    took = drained - began
    print(f"trigger_load: {profiles} profiles, each with a username of its own and counted, in {took:.1f} s "
          f"(seeded in {seeded - began:.1f} s), {peak} MiB at most")
    assert took < seconds_max, f"more than {seconds_max} s"
