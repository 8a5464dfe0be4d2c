"""The delay of players that others wrote: from drawing a picture until the player shows it, by the clock in the picture.

usage: delay.py ffmpeg|gstreamer|hls.js|hls.js-whole URL SECONDS [HLS_MODULE]

The stream shows the clock of RoomMedia's test pattern, as a bot of `loadtest demo` does. ffmpeg reads at the pace of the stream, as
ffplay shows it. Prints one line, and exits with 1 if the player stopped or showed nothing.
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

kind, url, seconds, *module = sys.argv[1:]
seconds = float(seconds)
WIDTH, HEIGHT = 640, 360


def clock(grey):
    """The milliseconds in a picture of WIDTH x HEIGHT grey bytes (Sources/Codecs/TestSignals/ClockBlocks.swift); None without."""
    bits = 0
    for index in range(64):
        x = (2 * (index % 32) + 1) * WIDTH // 64
        y = (2 * (index // 32) + 1) * HEIGHT // 32
        bits = bits << 1 | (grey[y * WIDTH + x] > 125)
    crc = 0xFF
    for byte in (bits >> 8).to_bytes(7, "big"):
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x07 if crc & 0x80 else crc << 1) & 0xFF
    return bits >> 24 if crc == bits & 0xFF else None


def age(shown):
    return int(time.time() * 1000) % 2**40 - shown


def ffmpeg():
    """Ages of the pictures of an ffmpeg that reads at the stream's pace."""
    player = subprocess.Popen(
        ["ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-i", url, "-an", "-vf", f"scale={WIDTH}:{HEIGHT}", "-pix_fmt", "gray",
         "-f", "rawvideo", "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    ages, end = [], time.monotonic() + seconds
    while time.monotonic() < end and len(grey := player.stdout.read(WIDTH * HEIGHT)) == WIDTH * HEIGHT:
        if (shown := clock(grey)) is not None:
            ages.append(age(shown))
    error = player.stderr.read1(4096).decode() if player.poll() is not None else None
    player.kill()
    return ages, [error] if error is not None else []


def gstreamer():
    """Ages of the pictures that playbin3 hands to its sink in time."""
    import gi

    gi.require_version("Gst", "1.0")
    gi.require_version("GstApp", "1.0")
    from gi.repository import GLib, Gst, GstApp  # noqa: F401

    Gst.init(None)
    ages, errors = [], []
    player = Gst.ElementFactory.make("playbin3", None)
    sink = Gst.parse_bin_from_description(
        f"videoconvert ! videoscale ! video/x-raw,format=GRAY8,width={WIDTH},height={HEIGHT} ! "
        "appsink name=out sync=true emit-signals=true max-buffers=4", True)

    def shown(out):
        buffer = out.emit("pull-sample").get_buffer()
        if (milliseconds := clock(buffer.extract_dup(0, buffer.get_size()))) is not None:
            ages.append(age(milliseconds))
        return Gst.FlowReturn.OK

    sink.get_by_name("out").connect("new-sample", shown)
    player.set_property("video-sink", sink)
    player.set_property("audio-sink", Gst.ElementFactory.make("fakesink", None))
    player.set_property("uri", url)
    loop = GLib.MainLoop()
    bus = player.get_bus()
    bus.add_signal_watch()
    bus.connect("message::error", lambda _, message: errors.append(message.parse_error()[0].message))
    player.set_state(Gst.State.PLAYING)
    GLib.timeout_add(int(seconds * 1000), loop.quit)
    loop.run()
    player.set_state(Gst.State.NULL)
    return ages, errors


PAGE = """<!doctype html><video id=v muted autoplay playsinline></video><script type=module>
const video = document.getElementById('v'), ages = [], errors = []
const pen = new OffscreenCanvas(640, 36).getContext('2d', { willReadFrequently: true })
function look() {
  pen.drawImage(video, 0, 0, video.videoWidth, video.videoHeight / 8, 0, 0, 640, 45)
  const now = Date.now()
  const { data } = pen.getImageData(0, 0, 640, 36)
  let bits = 0n
  for (let index = 0; index < 64; index += 1) {
    const place = (Math.floor((2 * Math.floor(index / 32) + 1) * 45 / 4) * 640 + (2 * (index % 32) + 1) * 10) * 4
    bits = bits << 1n | (data[place] > 125 ? 1n : 0n)
  }
  let crc = 255
  for (let shift = 56n; shift >= 8n; shift -= 8n) {
    crc ^= Number(bits >> shift & 255n)
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 128 ? crc << 1 ^ 7 : crc << 1) & 255
  }
  if (crc === Number(bits & 255n)) ages.push(now % 2 ** 40 - Number(bits >> 24n))
  video.requestVideoFrameCallback(look)
}
video.requestVideoFrameCallback(look)
video.addEventListener('error', () => errors.push('video: ' + (video.error?.message ?? '')))
const { default: Hls } = await import('/hls.mjs')
const hls = new Hls(OPTIONS)
hls.on(Hls.Events.ERROR, (_, data) => { if (data.fatal) errors.push(`fatal ${data.details}`) })
hls.loadSource(URL_)
hls.attachMedia(video)
video.play().catch(error => errors.push(String(error)))
setTimeout(() => fetch('/report', { method: 'POST', body: JSON.stringify({ ages, errors }) }), SECONDS * 1000)
</script>"""


def chromium(options):
    """Ages of the pictures of hls.js in Chromium."""
    done, report = threading.Event(), {"ages": [], "errors": ["the page did not report"]}

    class Handler(http.server.BaseHTTPRequestHandler):
        def answer(self, kind, body):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            if self.path == "/hls.mjs":
                with open(module[0], encoding="utf-8") as file:
                    self.answer("text/javascript", hls_module(file.read()).encode())
            else:
                page = PAGE.replace("OPTIONS", json.dumps(options)).replace("URL_", json.dumps(url))
                self.answer("text/html", page.replace("SECONDS", str(seconds)).encode())

        def do_POST(self):
            report.update(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.answer("text/plain", b"")
            done.set()

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    browser = subprocess.Popen(
        [os.environ.get("CHROMIUM", "chromium"), "--headless=new", "--no-sandbox", "--disable-gpu",
         f"--user-data-dir={tempfile.mkdtemp()}", "--autoplay-policy=no-user-gesture-required", "--mute-audio",
         f"http://127.0.0.1:{server.server_port}/"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    done.wait(seconds + 30)
    browser.terminate()
    try:
        browser.wait(10)
    except subprocess.TimeoutExpired:
        browser.kill()
    return report["ages"], report["errors"]


players = {"ffmpeg": ffmpeg, "gstreamer": gstreamer, "hls.js": lambda: chromium({}),
           "hls.js-whole": lambda: chromium({"lowLatencyMode": False})}
ages, errors = players[kind]()
# The first two seconds may be older pictures, which a player loads before it shows anything.
late = sorted(ages[len(ages) // 10:])
if late:
    print(f"{kind}: {len(ages)} pictures in {seconds:.0f} s, delay p50 {late[len(late) // 2]} ms, p95 {late[len(late) * 95 // 100]} ms",
          *errors)
else:
    print(f"{kind}: no pictures", *errors)
sys.exit(0 if late and not errors else 1)
