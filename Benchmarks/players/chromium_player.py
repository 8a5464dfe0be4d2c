"""Chromium: with its native HLS, or with hls.js. Ends with the stream, or after SECONDS.

usage: chromium_player.py native|hls.js|hls.js-whole URL SECONDS REPORT [HLS_MODULE]
"""

import http.server
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

from hls_module import hls_module
from playout import Playout, write

kind, url, seconds, report, *module = sys.argv[1:]
playout = Playout()
figures = {}
done = threading.Event()
PAGE = """<!doctype html><video id=v muted autoplay playsinline></video><script type=module>
const video = document.getElementById('v'), pictures = [], errors = []
const began = performance.now()
function seen() {
  pictures.push([performance.now(), video.videoWidth, video.videoHeight])
  video.requestVideoFrameCallback(seen)
}
video.requestVideoFrameCallback(seen)
video.addEventListener('error', () => errors.push('video: ' + (video.error?.message ?? '')))
video.addEventListener('ended', () => report('ended by itself'))
const kind = KIND
if (kind == 'native') {
  video.src = URL_
  video.play().catch(error => errors.push(String(error)))
} else {
  const {default: Hls} = await import('/hls.mjs')
  const hls = new Hls(kind == 'hls.js' ? {} : {lowLatencyMode: false})
  hls.on(Hls.Events.ERROR, (_, data) => {
    if (data.fatal) errors.push(`fatal ${data.details}: ${data.error?.message ?? data.reason ?? ''}`)
  })
  hls.loadSource(URL_)
  hls.attachMedia(video)
  video.play().catch(error => errors.push(String(error)))
  window.hls = hls
}
function report(end) {
  const {totalVideoFrames: decoded, droppedVideoFrames: lost} = video.getVideoPlaybackQuality()
  fetch('/report', {method: 'POST', body: JSON.stringify({pictures, errors, latency: window.hls?.latency, decoded, lost, end})})
}
setTimeout(() => report(null), SECONDS * 1000)
</script>"""


class Handler(http.server.BaseHTTPRequestHandler):
    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/hls.mjs":
            self.answer("text/javascript", hls_module(open(module[0], encoding="utf-8").read()).encode())
        else:
            page = PAGE.replace("KIND", json.dumps(kind)).replace("URL_", json.dumps(url)).replace("SECONDS", seconds)
            self.answer("text/html", page.encode())

    def do_POST(self):
        seen = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer("text/plain", b"")
        for wall, width, height in seen["pictures"]:
            playout.shown.append((wall / 1000, None))
            playout.size(width, height)
        for error in seen["errors"]:
            playout.error(error)
        playout.end = seen["end"]
        figures.update((name, seen.get(name)) for name in ("latency", "decoded", "lost"))
        done.set()

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
browser = subprocess.Popen(
    [os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile.name}",
     "--autoplay-policy=no-user-gesture-required", "--mute-audio", f"http://127.0.0.1:{server.server_port}/"],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
if not done.wait(float(seconds) + 30):
    playout.end = "the page did not report"
browser.terminate()
try:
    browser.wait(10)
except subprocess.TimeoutExpired:
    browser.kill()
write(report, playout.report(stall=round(playout.longest_pause()), **figures))
