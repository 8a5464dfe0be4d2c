"""ffmpeg and PyAV (a newer libavformat): programs that decode as fast as data arrives.

usage: decoders.py ffmpeg|pyav URL SECONDS REPORT
"""

import os
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

import numpy

from playout import Playout, sound_step, write

# A demuxer receives a whole HLS segment at once; RTMP and HTTP-FLV arrive as they are produced.
BUFFER = {"hls": 2.5, "live": 0.5}


def buffer_of(url):
    return BUFFER["hls" if ".m3u8" in url else "live"]


def ffmpeg(url, seconds, playout):
    """Reads the pictures' times from showinfo and their sizes from the preceding output, both on stderr."""
    sound = tempfile.NamedTemporaryFile(suffix=".s16")
    command = ["ffmpeg", "-hide_banner", "-nostdin", "-loglevel", "info", "-copyts", "-i", url]
    command += ["-map", "0:v", "-vf", "showinfo", "-vsync", "passthrough", "-f", "null", "-"]
    command += ["-map", "0:a", "-ac", "1", "-ar", "48000", "-f", "s16le", "-y", sound.name]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, bufsize=0)
    end, rest = time.monotonic() + seconds, b""
    picture = re.compile(rb"pts_time:\s*(-?[0-9.]+).* s:(\d+)x(\d+) ")
    trouble = re.compile(rb"error|invalid|corrupt|conceal|non-existing|missing|failed|no frame", re.I)
    while time.monotonic() < end:
        if not select.select([process.stderr], [], [], 0.2)[0]:
            continue
        data = os.read(process.stderr.fileno(), 65536)
        if not data:
            playout.end = f"ended by itself, {process.wait()}"
            break
        *lines, rest = (rest + data).split(b"\n")
        for line in lines:
            found = picture.search(line)
            if found:
                playout.picture(int(found[2]), int(found[3]), float(found[1]))
            # The null muxer rounds times and logs it.
            elif trouble.search(line) and b"showinfo" not in line and b"[null @" not in line:
                playout.error(line.decode(errors="replace"))
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        process.stderr.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
    return numpy.fromfile(sound.name, dtype=numpy.int16)


def pyav(url, seconds, playout):
    import av

    av.logging.set_level(av.logging.ERROR)
    av.logging.set_skip_repeated(False)
    samples = []
    resampler = av.AudioResampler(format="s16", layout="mono", rate=48000)
    with av.logging.Capture(local=False) as log:
        container = av.open(url, timeout=15)
        end = time.monotonic() + seconds
        try:
            for packet in container.demux():
                if time.monotonic() > end:
                    break
                try:
                    for frame in packet.decode():
                        if isinstance(frame, av.VideoFrame):
                            playout.picture(frame.width, frame.height, float(frame.pts * frame.time_base))
                        else:
                            samples += [part.to_ndarray()[0] for part in resampler.resample(frame)]
                except av.error.FFmpegError as error:
                    playout.error(str(error))
            else:
                playout.end = "ended by itself"
        except av.error.FFmpegError as error:
            playout.end = str(error)
        container.close()
    for level, name, text in log:
        playout.error(f"{name}: {text}")
    return numpy.concatenate(samples) if samples else numpy.array([])


def main():
    kind, url, seconds, report = sys.argv[1:]
    playout = Playout()
    samples = {"ffmpeg": ffmpeg, "pyav": pyav}[kind](url, float(seconds), playout)
    stall, step = playout.longest_stall(buffer_of(url))
    write(report, playout.report(stall=round(stall), media_step=round(step), sound=sound_step(samples, 48000)))


main()
