"""Receives webhooks, and verifies and reads them by LiveKit's Python SDK, unmodified. Prints its port, and then each event, as JSON. Ends with its
standard input.

Usage: livekit_hooks.py KEY SECRET
"""

import http.server
import json
import sys
import threading

from google.protobuf import json_format
from livekit import api

receiver = api.WebhookReceiver(api.TokenVerifier(*sys.argv[1:]))


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        try:
            event = receiver.receive(body, self.headers["Authorization"])
            status = 200 if self.headers["Content-Type"] == "application/webhook+json" else 415
        except Exception:
            status = 401
        if status == 200:
            print(json.dumps(json_format.MessageToDict(event)), flush=True)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(json.dumps({"port": server.server_address[1]}), flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
