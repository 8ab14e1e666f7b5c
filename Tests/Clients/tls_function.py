"""A function behind HTTPS, with certificates of an authority of its own."""
import os
import ssl
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def openssl(*words):
    result = subprocess.run(["openssl", *words], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, f"openssl {' '.join(words)}: {result.stderr}"


def authority(folder):
    """Makes an authority, and a certificate of it for `localhost` alone. Returns the paths: authority, certificate, key."""
    root, root_key, own, own_key, request, extensions = (
        os.path.join(folder, name) for name in ("ca.pem", "ca.key", "own.pem", "own.key", "own.csr", "own.ext"))
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=Test Authority",
            "-addext", "basicConstraints=critical,CA:TRUE", "-keyout", root_key, "-out", root)
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-keyout", own_key, "-out", request)
    with open(extensions, "w") as file:
        file.write("subjectAltName=DNS:localhost\n")
    openssl("x509", "-req", "-in", request, "-CA", root, "-CAkey", root_key, "-CAcreateserial", "-days", "2",
            "-extfile", extensions, "-out", own)
    return root, own, own_key


class TLSFunction:
    """Notes (path, name asked for in the handshake, headers, body) of each POST and answers `status`."""

    def __init__(self, certificate, key):
        self.seen, self.status, self.lock = [], 200, threading.Lock()
        function = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["content-length"]))
                with function.lock:
                    function.seen.append((self.path, getattr(self.connection, "asked_for", None), self.headers, body))
                self.send_response(function.status)
                self.send_header("content-length", "2")
                self.end_headers()
                self.wfile.write(b"ok")

            def log_message(self, *_):
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # Who does not trust us hangs up in the handshake, which is what is tested.

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)

        def note_name(connection, name, _):
            connection.asked_for = name
        context.sni_callback = note_name
        self.server = Server(("127.0.0.1", 0), Handler)
        # The handshake belongs to the connection's thread, not to the one that accepts.
        self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def of(self, path):
        with self.lock:
            return [entry for entry in self.seen if entry[0] == path]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
