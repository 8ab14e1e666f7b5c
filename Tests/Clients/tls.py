#!/usr/bin/env python3
"""TLS on the port, and REST over HTTP/2 with and without it, as curl and the gRPC library see them.

    tls.py DOCSH

Starts two servers, one with TLS and one without; makes the certificate with openssl. Needs a curl that speaks HTTP/2.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

import grpc
from google.cloud.firestore_v1.services.firestore import FirestoreClient
from google.cloud.firestore_v1.services.firestore.transports import FirestoreGrpcTransport
from google.cloud.firestore_v1.types import Document, ListenRequest, Target, Value

from checks import Checks, close, fresh
from tls_function import authority

DOCSH = sys.argv[1]
DATABASE = "projects/demo/databases/(default)"
ROOT = f"/v1/{DATABASE}/documents"
OWNER = ("-H", "Authorization: Bearer owner")
VERSIONS = (("--http1.1", "1.1"), ("--http2", "2"))
# What a machine may have in its openssl.cnf, and our servers do not look at.
CONFIGURATION = """openssl_conf = all
[all]
providers = providers
ssl_conf = tls
[providers]
missing = missing
[missing]
module = /nothing/there.so
activate = 1
[tls]
system_default = limits
[limits]
MaxProtocol = TLSv1.2
"""
checks = Checks()


class Server:
    """A server, and curl and gRPC pointed at it. Its certificate is for `localhost`."""

    def __init__(self, folder, *options):
        self.root = None
        configuration = os.path.join(folder, "openssl.cnf")
        with open(configuration, "w") as file:
            file.write(CONFIGURATION)
        self.log = tempfile.TemporaryFile(mode="w+")
        self.process = subprocess.Popen(
            [DOCSH, "serve", "--open", "--host", "127.0.0.1", "--port", "0", *options], stdout=subprocess.PIPE,
            stderr=self.log, text=True, env={**os.environ, "OPENSSL_CONF": configuration})
        self.lines = []
        for line in self.process.stdout:
            self.lines.append(line)
            found = re.match(r"docsh: serving (https?)://127\.0\.0\.1:(\d+) ", line)
            if found:
                self.scheme, self.port = found[1], int(found[2])
                break
        else:
            sys.exit(f"tls: the server ended with {self.process.wait()}")
        self.base = f"{self.scheme}://localhost:{self.port}"
        threading.Thread(target=lambda: self.lines.extend(self.process.stdout), daemon=True).start()
        if self.scheme == "https":
            self.root = os.path.join(folder, "ca.pem")

    def curl(self, target, *options, base=None, trusts=True):
        """Status, version of HTTP, headers and body; or curl's exit code alone."""
        trust = ["--cacert", self.root] if self.root and trusts else []
        result = subprocess.run(
            ["curl", "-sS", "--globoff", "--max-time", "60", "--resolve", f"localhost:{self.port}:127.0.0.1", *trust,
             "-D", "-", "-w", "\n%{http_code} %{http_version}", *options, (base or self.base) + target],
            capture_output=True, timeout=90)
        if result.returncode:
            return result.returncode
        text, _, last = result.stdout.decode().rpartition("\n")
        text = re.sub(r"^HTTP/1.1 (100|200 Connection)[^\n]*\n\r?\n", "", text)
        head, _, body = text.partition("\r\n\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        status, version = last.split()
        return int(status), version, headers, body

    def logged(self):
        self.log.flush()
        self.log.seek(0)
        return self.log.read()

    def stop(self):
        self.process.terminate()
        return self.process.wait(20)


def each_way(secure, plain):
    """Every way of asking: the two versions over TLS, and both in plain text."""
    for option, version in VERSIONS:
        yield secure, option, version
    yield plain, "--http1.1", "1.1"
    yield plain, "--http2-prior-knowledge", "2"


@checks("the server says https, and does not offer itself to who speaks plain text")
def announcement(secure, plain):
    time.sleep(0.2)
    assert not any("export FIRESTORE_EMULATOR_HOST" in line for line in secure.lines), secure.lines
    assert any("TLS only" in line for line in secure.lines), secure.lines
    assert any("export FIRESTORE_EMULATOR_HOST" in line for line in plain.lines), plain.lines


@checks("health, preflight, HEAD and what is not there, over both versions, with TLS and without")
def pages(secure, plain):
    for server, option, version in each_way(secure, plain):
        assert server.curl("/", option)[:2] == (200, version)
        assert server.curl("/", option)[3] == "Ok\n"
        status, _, headers, body = server.curl(
            ROOT + "/c", option, "-X", "OPTIONS", "-H", "Origin: https://app.test", "-H",
            "Access-Control-Request-Method: PATCH", "-H", "Access-Control-Request-Headers: authorization")
        assert (status, body) == (200, ""), (status, body)
        assert headers["access-control-allow-origin"] == "https://app.test", headers
        assert headers["access-control-allow-headers"] == "authorization", headers
        status, _, headers, body = server.curl("/", option, "--head")
        assert (status, headers["content-length"], body.strip()) == (200, "3", ""), (status, headers, body)
        assert server.curl("/nothing", option)[0] == 404
        assert "docstore_" in server.curl("/metrics", option)[3]


@checks("documents are written and read, and errors told, the same way over both versions")
def documents(secure, plain):
    for server, option, version in each_way(secure, plain):
        collection = fresh("tls")
        made = server.curl(f"{ROOT}/{collection}?documentId=a", option, *OWNER, "-d",
                           json.dumps({"fields": {"n": {"integerValue": "1"}}}))
        assert made[:2] == (200, version), made
        assert json.loads(server.curl(f"{ROOT}/{collection}/a", option)[3])["fields"]["n"]["integerValue"] == "1"
        missing = server.curl(f"{ROOT}/{collection}/b", option)
        assert missing[0] == 404 and json.loads(missing[3])["error"]["status"] == "NOT_FOUND", missing
        broken = server.curl(f"{ROOT}/{collection}", option, "-d", "{")
        assert broken[0] == 400 and json.loads(broken[3])["error"]["status"] == "INVALID_ARGUMENT", broken


@checks("a list of several megabytes comes whole, also to a reader that takes its time")
def large(secure, plain):
    collection = fresh("tls")
    text = "x" * 900_000
    with tempfile.NamedTemporaryFile("w") as file:
        json.dump({"fields": {"t": {"stringValue": text}}}, file)
        file.flush()
        for server in (secure, plain):
            for number in range(6):
                assert server.curl(f"{ROOT}/{collection}?documentId=d{number}", *OWNER, "-d", "@" + file.name)[0] == 200
    for server, option, _ in each_way(secure, plain):
        for slowly in ([], ["--limit-rate", "4M"]):
            answer = server.curl(f"{ROOT}/{collection}", option, *slowly)
            found = json.loads(answer[3])["documents"]
            assert [d["fields"]["t"]["stringValue"] == text for d in found] == [True] * 6, len(answer[3])


@checks("a body over the limit is refused with words, although curl is still sending")
def body_limit(secure, plain):
    with tempfile.NamedTemporaryFile("wb") as file:
        file.truncate(20_000_000)
        for server, option, _ in each_way(secure, plain):
            answer = server.curl(f"/v1/{DATABASE}/documents:commit", option, *OWNER, "--data-binary", "@" + file.name)
            assert answer[0] == 400 and "exceeds the limit" in answer[3], answer


@checks("forty requests at once on one connection")
def concurrent(secure, plain):
    # Not in plain text: curl 7.88 fails by itself when it shares a connection of --http2-prior-knowledge.
    result = subprocess.run(
        ["curl", "-sS", "--http2", "--parallel", "--parallel-max", "40", "--max-time", "60", "--resolve",
         f"localhost:{secure.port}:127.0.0.1", "--cacert", secure.root, "-w", "%{http_version} %{num_connects}\n",
         f"{secure.base}/?n=[1-40]"], capture_output=True, text=True, timeout=90)
    connects = [int(line.split()[1]) for line in result.stdout.splitlines() if line.startswith("2 ")]
    assert result.stdout.count("Ok\n") == 40 and len(connects) == 40, (result.stdout, result.stderr)
    assert sum(connects) == 1, connects


@checks("gRPC over TLS: calls and listeners, while REST goes on")
def calls(secure, plain):
    with open(secure.root, "rb") as file:
        credentials = grpc.ssl_channel_credentials(file.read())
    channel = grpc.secure_channel(
        f"127.0.0.1:{secure.port}", credentials, options=[("grpc.ssl_target_name_override", "localhost")])
    client = FirestoreClient(transport=FirestoreGrpcTransport(channel=channel))
    metadata = [("authorization", "Bearer owner"), ("google-cloud-resource-prefix", DATABASE)]
    collection = fresh("tls")
    name = f"{DATABASE}/documents/{collection}/a"
    request = ListenRequest(database=DATABASE, add_target=Target(documents={"documents": [name]}, target_id=1))
    done = threading.Event()

    def requests():
        yield request
        done.wait(60)

    answers = client.listen(requests(), metadata=metadata)
    seen = []
    for answer in answers:
        seen.append(answer)
        if answer.target_change.target_change_type.name == "CURRENT":
            break
    for number in range(20):
        document = Document(name=name, fields={"n": Value(integer_value=number)})
        client.update_document(request={"document": document}, metadata=metadata)
        read = json.loads(secure.curl(f"{ROOT}/{collection}/a", "--http2")[3])
        assert read["fields"]["n"]["integerValue"] == str(number), read
    for answer in answers:
        if answer.document_change and answer.document_change.document.fields["n"].integer_value == 19:
            break
    done.set()
    answers.cancel()
    channel.close()


@checks("the Python SDK, as docs/tls.md has it")
def sdk(secure, plain):
    code = f"""
from google.auth.credentials import AnonymousCredentials
from google.cloud import firestore
db = firestore.Client(project="demo", credentials=AnonymousCredentials(),
                      client_options={{"api_endpoint": "localhost:{secure.port}"}})
document = db.document("{fresh('tls')}/a")
document.set({{"n": 1}})
print(document.get().to_dict())
"""
    environment = {**os.environ, "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH": secure.root}
    environment.pop("FIRESTORE_EMULATOR_HOST", None)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, env=environment)
    assert result.stdout == "{'n': 1}\n", result.stderr


@checks("clients without ALPN, and with TLS 1.2, are served; with TLS 1.1 not")
def versions(secure, plain):
    assert secure.curl("/", "--no-alpn")[:2] == (200, "1.1")
    assert secure.curl("/", "--tls-max", "1.2", "--http2")[:2] == (200, "2")
    assert secure.curl("/", "--tlsv1.3", "--http2")[:2] == (200, "2")
    assert secure.curl("/", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0") == 35


@checks("plain text is told to use TLS, and who trusts no such certificate is logged")
def hints(secure, plain):
    answer = secure.curl("/", base=f"http://localhost:{secure.port}")
    assert answer[0] == 400 and answer[3].startswith("This port speaks TLS only"), answer
    channel = grpc.insecure_channel(f"127.0.0.1:{secure.port}")
    client = FirestoreClient(transport=FirestoreGrpcTransport(channel=channel))
    try:
        client.get_document(request={"name": f"{DATABASE}/documents/c/a"}, timeout=5, retry=None)
        raise AssertionError("answered")
    except Exception as error:
        assert "503" in str(error) and "HTTP status 400" in str(error), error
    channel.close()
    assert secure.curl("/", trusts=False) == 60
    time.sleep(0.3)
    for hint in ("speaks plain text to a port with TLS", "broke off the TLS handshake"):
        assert hint in secure.logged(), secure.logged()


@checks("commands that speak plain text say so")
def commands(secure, plain):
    address = f"127.0.0.1:{secure.port}"
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as seed:
        seed.write("version: 1\ndocuments:\n  users/a: {name: x}\n")
        seed.flush()
        for words in (["shell", "--host", address, "-c", "ls"], ["seed", seed.name, "--host", address],
                      ["indexes", "suggest", "--server", address]):
            result = subprocess.run([DOCSH, *words], capture_output=True, text=True, timeout=60)
            assert result.returncode and "speaks TLS" in result.stderr, (words, result.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        _, certificate, key = authority(folder)
        secure = Server(folder, "--tls-cert", certificate, "--tls-key", key)
        plain = Server(folder)
        try:
            results = [checks.run(secure, plain)]
        finally:
            statuses = (secure.stop(), plain.stop())
    assert statuses == (143, 143), statuses
    close(results)


if __name__ == "__main__":
    main()
