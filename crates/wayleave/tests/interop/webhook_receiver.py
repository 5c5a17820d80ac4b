"""Receives events of webhooks, verifies them by the program of our documentation and a library of others,
and writes what it got as one line of JSON each. What it answers depends on the path.

Arguments: address, port, folder. The folder has the file `service` (where the keys are) and gets `received`;
while it has a file `open`, the path /hold answers.
"""

import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../../web/assets"))

from http_message_signatures import InvalidSignature  # noqa: E402
from verify_webhook import load_keys, verify_event  # noqa: E402

ADDRESS, PORT, FOLDER = sys.argv[1], int(sys.argv[2]), sys.argv[3]
HOST = "peer.lab"
LARGE_BYTES = 256 << 20
writing = threading.Lock()


def write(entry):
    with writing, open(os.path.join(FOLDER, "received"), "a", encoding="utf-8") as file:
        file.write(json.dumps(entry) + "\n")


def refuses(url, headers, body, keys):
    """Whether what somebody changed on the way is refused."""
    try:
        verify_event(url, headers, body, keys)
    except InvalidSignature:
        return True
    return False


def judge(path, headers, body):
    with open(os.path.join(FOLDER, "service"), encoding="utf-8") as file:
        keys = load_keys(file.read().strip())
    url = f"http://{HOST}:{PORT}{path}"
    event = verify_event(url, headers, body, keys)
    other_id = {name: "x" if name.lower() == "webhook-id" else value for name, value in headers.items()}
    other_type = {name: "x" if name.lower() == "content-type" else value for name, value in headers.items()}
    changed = [
        refuses(url, headers, body + b" ", keys),
        refuses(url + "x", headers, body, keys),
        refuses(url, other_id, body, keys),
        refuses(url, other_type, body, keys),
    ]
    return {"event": event, "changed_are_refused": changed}


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        write({"path": self.path, "method": "GET"})
        self.answer(200)

    def do_POST(self):
        headers = dict(self.headers.items())
        body = self.rfile.read(int(self.headers.get("content-length", "0")))
        entry = {"path": self.path, "method": "POST", "id": self.headers.get("webhook-id")}
        entry["user_agent"] = self.headers.get("user-agent")
        entry["content_type"] = self.headers.get("content-type")
        try:
            entry.update(judge(self.path, headers, body))
        except Exception as error:  # told to the test
            entry["error"] = repr(error)
            entry["unverified"] = json.loads(body)
        write(entry)
        name = self.path.split("?")[0]
        if name == "/redirect":
            self.answer(302, self.path.split("?to=")[1])
        elif name == "/large":
            self.answer_large()
        elif name == "/silent":
            time.sleep(120)
        elif name == "/hold":
            self.hold()
        else:
            self.answer({"/gone": 410, "/fail": 500}.get(name, 204))

    def answer(self, status, location=None):
        self.send_response(status)
        if location:
            self.send_header("location", location)
        self.send_header("content-length", "0")
        self.end_headers()

    def answer_large(self):
        self.send_response(200)
        self.send_header("content-length", str(LARGE_BYTES))
        self.end_headers()
        sent = 0
        try:
            while sent < LARGE_BYTES:
                self.wfile.write(b"x" * 65536)
                sent += 65536
        except OSError:
            pass
        write({"path": "/large", "sent": sent, "size": LARGE_BYTES})

    def hold(self):
        if os.path.exists(os.path.join(FOLDER, "open")):
            self.answer(204)
        else:
            time.sleep(120)


if __name__ == "__main__":
    ThreadingHTTPServer.daemon_threads = True
    ThreadingHTTPServer((ADDRESS, PORT), Receiver).serve_forever()
