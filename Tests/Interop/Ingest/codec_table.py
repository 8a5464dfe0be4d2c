"""Encoders and players of many codecs for the table of docs/ingest.md, by PyAV, whose FFmpeg writes and reads enhanced RTMP.

  codec_table.py publish '[{"video": "libx265", "audio": "aac", "urls": ["rtmp://…"]}]'    until it is killed
  codec_table.py play '[{"name": "…", "url": "…", "kinds": 2}]'    prints a line of JSON for each
"""

import json
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import av
import numpy as np

WIDTH, HEIGHT, FPS, RATE = 160, 96, 10, 48000
OPTIONS = {
    "libx264": {"preset": "ultrafast", "tune": "zerolatency", "bf": "0"},
    "libx265": {"preset": "ultrafast", "tune": "zerolatency", "x265-params": "bframes=0:log-level=none"},
    "libsvtav1": {"preset": "12", "svtav1-params": "pred-struct=1:lookahead=0"},
    "libvpx": {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0"},
    "libvpx-vp9": {"deadline": "realtime", "cpu-used": "8", "lag-in-frames": "0"},
}


def publish(row):
    outputs = []
    for url in row["urls"]:
        container = av.open(url, "w", format="flv")
        codec, _, variant = row["video"].partition("+")
        video = container.add_stream(codec, rate=FPS, options=dict(OPTIONS.get(codec, {})))
        video.width, video.height, video.pix_fmt, video.gop_size = WIDTH, HEIGHT, "yuv420p", FPS
        video.time_base = Fraction(1, 1000)
        if variant == "b":
            video.options = {"preset": "fast", "bf": "2"}
        audio = container.add_stream(row["audio"], rate=RATE)
        audio.layout = "stereo"
        outputs.append((container, video, audio, av.AudioFifo()))
    start, shown, heard = time.monotonic(), 0, 0
    while True:
        now = time.monotonic() - start
        while shown <= now * FPS:
            pixels = np.full((HEIGHT, WIDTH, 3), 40 + shown % 100, np.uint8)
            pixels[:, shown * 4 % WIDTH:][:, :8] = 255
            for container, video, _, _ in outputs:
                frame = av.VideoFrame.from_ndarray(pixels, format="rgb24").reformat(format="yuv420p")
                frame.pts, frame.time_base = shown * 1000 // FPS, Fraction(1, 1000)
                container.mux(video.encode(frame))
            shown += 1
        while heard < now * RATE:
            at = (heard + np.arange(960)) / RATE
            tone = np.round(8000 * np.sin(2 * np.pi * 440 * at)).astype(np.int16)
            for container, _, audio, fifo in outputs:
                sound = av.AudioFrame.from_ndarray(np.repeat(tone, 2)[None], format="s16", layout="stereo")
                sound.sample_rate, sound.pts, sound.time_base = RATE, heard, Fraction(1, RATE)
                fifo.write(sound)
                while frame := fifo.read(audio.frame_size or 960):
                    container.mux(audio.encode(frame))
            heard += 960
        time.sleep(0.02)


def play(row):
    result = {"name": row["name"], "video": "", "pictures": 0, "audio": "", "samples": 0, "error": ""}
    try:
        with av.open(row["url"], timeout=60) as container:
            deadline = time.monotonic() + 60
            for packet in container.demux():
                kind = packet.stream.type
                if kind not in ("video", "audio") or packet.size == 0:
                    continue
                result[kind] = packet.stream.codec_context.name
                for frame in packet.decode():
                    result["pictures" if kind == "video" else "samples"] += 1 if kind == "video" else frame.samples
                enough = (result["pictures"] >= 8) + (result["samples"] >= 16000)
                if enough >= row["kinds"] or time.monotonic() > deadline:
                    break
    except Exception as error:  # pylint: disable=broad-except
        result["error"] = str(error)
    return result


def main():
    rows = json.loads(sys.argv[2])
    if sys.argv[1] == "play":
        # All at once would take longer to open on a busy machine than a playlist lasts.
        with ThreadPoolExecutor(9) as pool:
            for result in pool.map(play, rows):
                print(json.dumps(result), flush=True)
        return
    threads = [threading.Thread(target=publish, args=(row,), daemon=True) for row in rows]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


av.logging.set_level(av.logging.ERROR)
main()
