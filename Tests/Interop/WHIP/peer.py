"""Shared code of the tests' WHIP and WHEP peers: HTTP, and the communication with the test that started them.

A peer prints a JSON object a line: what happened, and what it counted. A line on its standard input ends it, and so does the end
of it, so that no peer outlives its test.
"""

import json
import sys
import threading
import urllib.error
import urllib.parse
import urllib.request


_speaking = threading.Lock()


def say(**what):
    # Several threads print, and each line is one object.
    with _speaking:
        print(json.dumps(what), flush=True)


class Session:
    """A WHIP or WHEP session, from the offer to DELETE."""

    def __init__(self, url, token):
        self.url = url
        self.token = token

    def _request(self, method, url, body=None, content_type=None):
        headers = {"Authorization": f"Bearer {self.token}"}
        if content_type:
            headers["Content-Type"] = content_type
        request = urllib.request.Request(url, method=method, headers=headers, data=body)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return response.status, response.headers, response.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read().decode()

    def offer(self, sdp):
        """Posts the offer and returns the answer."""
        status, headers, body = self._request("POST", self.url, sdp.encode(), "application/sdp")
        say(event="offered", status=status, type=headers["Content-Type"], tag=headers["ETag"])
        if status != 201:
            sys.exit(f"{status}: {body}")
        self.session = urllib.parse.urljoin(self.url, headers["Location"])
        return body

    def end(self):
        status, _, _ = self._request("DELETE", self.session)
        say(event="ended", status=status)


def when_told_to_end(action):
    """Calls `action` on a thread of its own when the test requests it or has exited."""

    def wait():
        sys.stdin.readline()
        action()

    threading.Thread(target=wait, daemon=True).start()
