"""Plays a broadcast that alternates between one anchor and a PK in several players concurrently, and prints a table of the results.

Used by ../players.sh, which sees to the programs.
"""

import argparse
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
# The shortest stall that a viewer notices, in milliseconds.
LIMIT = 500


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def say(text):
    print(text, file=sys.stderr, flush=True)


class Server:
    """A roomserver with one pair of anchors, whose broadcasts go to its own origin."""

    def __init__(self, options, folder):
        self.http, self.rtmp = free_port(), free_port()
        self.options, self.folder = options, folder
        self.environment = dict(os.environ, ROOMSERVER_KEY="players", ROOMSERVER_SECRET=secrets.token_hex(32))
        self.server = self.start(
            "server", options.program, "serve", "--port", self.http, "--rtmp-port", self.rtmp, "--media-port", 0,
            "--joins-per-second", 1000, "--data", os.path.join(folder, "data"))
        self.bots = None

    def start(self, name, *command):
        log = open(os.path.join(self.folder, name + ".log"), "w")
        return subprocess.Popen([str(word) for word in command], env=self.environment, stdout=log, stderr=log)

    def token(self):
        return subprocess.run(
            [self.options.program, "token", "--api", "--ttl", "3h"], env=self.environment, capture_output=True, text=True, check=True
        ).stdout.strip()

    def streams(self):
        request = urllib.request.Request(f"http://127.0.0.1:{self.http}/v1/streams", headers={"Authorization": f"Bearer {self.token()}"})
        with urllib.request.urlopen(request, timeout=5) as answer:
            return json.load(answer)

    def go_live(self, seconds):
        """Waits for an anchor's stream and returns its name."""
        width, height = self.options.size.split("x")
        pk_width, pk_height = self.options.pk_size.split("x")
        self.wait("the server", lambda: self.streams() is not None)
        self.bots = self.start(
            "bots", self.options.loadtest, "run", "pk-battle", "--url", f"ws://127.0.0.1:{self.http}/v1/signal", "--rtmp-port",
            self.rtmp, "--pairs", 1, "--audience", 0, "--sample", 0, "--width", width, "--height", height, "--pk-width", pk_width,
            "--pk-height", pk_height, "--beeps", 0, "--together", self.options.together, "--alone", self.options.alone, "--minutes",
            f"{seconds / 60:.2f}", "--report", os.path.join(self.folder, "report"))
        found = []
        self.wait("a stream", lambda: found.extend(re.findall(r"pk-0a-\w+", json.dumps(self.streams()))) or found)
        return found[0]

    def wait(self, what, condition):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                if condition():
                    return
            except (OSError, subprocess.CalledProcessError):
                pass
            time.sleep(0.2)
        raise SystemExit(f"{what} did not come; see {self.folder}")

    def stop(self):
        for process in (self.bots, self.server):
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(15)
                except subprocess.TimeoutExpired:
                    process.kill()


def players(options, protocol, url):
    """(name, command) of all players of a protocol."""
    own = [sys.executable]
    script = lambda name: os.path.join(HERE, name)  # noqa: E731
    all = [
        ("ffmpeg", own + [script("decoders.py"), "ffmpeg", url]),
        ("PyAV", own + [script("decoders.py"), "pyav", url]),
        ("mpv", own + [script("mpv_player.py"), url]),
        ("VLC", own + [script("vlc_player.py"), url]),
        # Its bindings are installed in the system's Python.
        ("GStreamer", ["/usr/bin/python3", script("gstreamer_player.py"), url]),
    ]
    if protocol == "hls":
        page = own + [script("chromium_player.py")]
        all += [
            ("Chromium", page + ["native", url]), ("hls.js", page + ["hls.js", url]),
            ("hls.js, lowLatencyMode: false", page + ["hls.js-whole", url]),
        ]
    return [player for player in all if not options.only or player[0] in options.only.split(",")]


def play(options, folder, protocol, url, seconds):
    running = []
    for name, command in players(options, protocol, url):
        report = os.path.join(folder, f"{protocol}-{re.sub(r'[^A-Za-z]', '', name)}.json")
        log = open(report[:-5] + ".log", "w")
        module = [options.hls_js] if name.startswith("hls.js") else []
        running.append((name, report, subprocess.Popen(command + [str(seconds), report] + module, stdout=log, stderr=log, cwd=HERE)))
        # Staggered, because each player needs the CPU when it starts.
        time.sleep(1)
    rows = []
    for name, report, process in running:
        try:
            process.wait(seconds + 90)
        except subprocess.TimeoutExpired:
            process.kill()
        result = json.load(open(report)) if os.path.exists(report) else {"end": "no report", "pictures": 0, "sizes": 0, "changes": 0, "errors": 0}
        rows.append((name, result))
        say(f"  {name}: {json.dumps(result)}")
    return rows


def verdict(result, changes):
    """The problems that a viewer would have noticed; empty if there are none."""
    wrong = []
    if result.get("end"):
        wrong.append(result["end"])
    if result["changes"] < changes - 2:
        wrong.append(f"{result['changes']} of {changes} changes")
    if result.get("stall", 1e9) > LIMIT:
        wrong.append("stall")
    if result["errors"]:
        wrong.append("errors")
    if (result.get("sound") or {}).get("step", 0) > 1.5:
        wrong.append("click")
    return ", ".join(wrong)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", required=True)
    parser.add_argument("--loadtest", required=True)
    parser.add_argument("--hls-js", required=True)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--together", type=float, default=4)
    parser.add_argument("--alone", type=float, default=4)
    parser.add_argument("--protocols", default="rtmp,flv,hls")
    parser.add_argument("--size", default="320x180")
    parser.add_argument("--pk-size", default="360x640")
    parser.add_argument("--only", help="names of the players to run")
    parser.add_argument("--variant", help="play a variant with one size, such as 360_640_15")
    options = parser.parse_args()
    options.hls_js = os.path.abspath(options.hls_js)
    folder = tempfile.mkdtemp(prefix="players-")
    say(f"logs and reports: {folder}")
    protocols = options.protocols.split(",")
    # Duration of a round, with a second for its calls.
    seconds = options.rounds * (options.together + options.alone + 1)
    changes = 2 * options.rounds if options.size != options.pk_size and not options.variant else 0
    server = Server(options, folder)
    good = True
    try:
        stream = server.go_live((seconds + 45) * len(protocols))
        if options.variant:
            stream += f"_{options.variant}"
        print(f"\n{options.rounds} rounds of PK, {options.size} to {options.pk_size} and back, {seconds:.0f} s per protocol\n")
        print("| protocol | player | pictures | changes of size | longest stall, ms | decode errors | largest sample step | verdict |")
        print("|---|---|---|---|---|---|---|---|")
        for protocol in protocols:
            urls = {
                "rtmp": f"rtmp://127.0.0.1:{server.rtmp}/live/{stream}", "flv": f"http://127.0.0.1:{server.http}/live/{stream}.flv",
                "hls": f"http://127.0.0.1:{server.http}/live/{stream}.m3u8",
            }
            say(f"{protocol}: {urls[protocol]}")
            for name, result in play(options, folder, protocol, urls[protocol], seconds):
                wrong = verdict(result, changes)
                good = good and not wrong
                step = (result.get("sound") or {}).get("step")
                print(
                    f"| {protocol.upper()} | {name} | {result['pictures']} | {result['changes']} | {result.get('stall', '–')} "
                    f"| {result['errors']} | {f'{step} of the tone’s' if step else '–'} | {wrong or 'plays on'} |", flush=True)
    finally:
        server.stop()
    sys.exit(0 if good else 1)


main()
