# Functions of the testcases beside this file: call_function calls them by name.
#
# They run in one process that stays open for a case, so that a function may as well start a little server for it.
import base64
import hashlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

users = {}


def add(a, b):
    return a + b


def sign(user, secret="none"):
    return hashlib.sha256((user + secret).encode()).hexdigest()


class Api(BaseHTTPRequestHandler):
    """Keeps users (POST and GET /users/NAME), asks for a login, and echoes what is PUT or comes over a WebSocket."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        users[self.path] = body
        self.answer(201, {"name": body["name"], "by": self.headers.get("X-Team")}, ("Set-Cookie", "login=yes"))

    def do_PUT(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(200, {"json": body, "version": self.headers.get("X-Version")})

    def do_GET(self):
        if self.headers.get("Upgrade", "").lower() == "websocket":
            return self.echo()
        if "login=" not in self.headers.get("Cookie", ""):
            return self.answer(401, {"error": "log in first"})
        known = users.get(self.path)
        self.answer(200 if known else 404, known or {"error": "nobody"})

    def answer(self, status, body, *headers):
        text = json.dumps(body).encode()
        self.send_response(status)
        for name, value in headers + (("Content-Type", "application/json"), ("Content-Length", str(len(text)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    def echo(self):
        key = self.headers["Sec-WebSocket-Key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        self.send_response(101)
        for name, value in ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", accept):
            self.send_header(name, value)
        self.end_headers()
        kind = 0
        while kind != 8:
            # Short messages only: a byte for their kind, one for their length, four that hide the rest.
            kind, length = self.rfile.read(1)[0] & 15, self.rfile.read(1)[0] & 127
            mask = self.rfile.read(4)
            data = bytes(byte ^ mask[at % 4] for at, byte in enumerate(self.rfile.read(length)))
            self.wfile.write(bytes([128 | (10 if kind == 9 else kind), length]) + data)
        self.close_connection = True


def serve():
    """Starts the server and returns its address, without `http://`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "127.0.0.1:%d" % server.server_port
