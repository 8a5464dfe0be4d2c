"""mpv: its position during playback, read over its IPC socket.

usage: mpv_player.py URL SECONDS REPORT
"""

import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time

from playout import Playout, write

url, seconds, report = sys.argv[1:]
playout = Playout()
folder = tempfile.mkdtemp()
address, log = os.path.join(folder, "ipc"), os.path.join(folder, "log")
process = subprocess.Popen(
    ["mpv", "--no-config", "--vo=null", "--ao=null", "--no-terminal", f"--input-ipc-server={address}", f"--log-file={log}", url],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
end = time.monotonic() + float(seconds)
connection = None
while connection is None and time.monotonic() < end:
    try:
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address)
    except OSError:
        connection = None
        time.sleep(0.1)
file = connection.makefile("rw")
number = 0


def ask(name):
    global number
    number += 1
    print(json.dumps({"command": ["get_property", name], "request_id": number}), file=file, flush=True)
    while True:
        line = file.readline()
        if not line:
            raise ConnectionError
        answer = json.loads(line)
        if answer.get("request_id") == number:
            return answer.get("data") if answer.get("error") == "success" else None


last = None
try:
    while time.monotonic() < end:
        position = ask("estimated-frame-number")
        if position is not None and position != last:
            last = position
            parameters = ask("video-params") or {}
            playout.picture(parameters.get("w", 0), parameters.get("h", 0))
        time.sleep(0.01)
except (ConnectionError, OSError):
    playout.end = f"ended by itself, {process.wait()}"
if process.poll() is None:
    process.terminate()
    process.wait()
trouble = re.compile(r"\[(ffmpeg|lavf|vd|ad|cplayer)[^]]*\].*(error|invalid|fail|corrupt|non-existing)", re.I)
for line in open(log, errors="replace"):
    kind = re.match(r"\[[^]]*\]\[(.)\]", line)
    if kind and kind[1] in "ef" and trouble.search(line):
        playout.error(line)
write(report, playout.report(stall=round(playout.longest_pause())))
