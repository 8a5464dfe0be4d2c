"""Analyses what a viewer receives: stalls, changes of size, and clicks in the audio."""

import json
import time


class Playout:
    """Collects pictures as a player shows them, or as a demuxer delivers them."""

    def __init__(self):
        self.shown = []  # (wall clock, media time or None), in seconds
        self.sizes = []
        self.errors = []
        self.end = None

    def picture(self, width, height, media_time=None):
        self.shown.append((time.monotonic(), media_time))
        self.size(width, height)

    def size(self, width, height):
        size = f"{width}x{height}"
        if size != "0x0" and (not self.sizes or self.sizes[-1] != size):
            self.sizes.append(size)

    def error(self, text):
        self.errors.append(text.strip())

    def longest_pause(self):
        """Milliseconds between two pictures, for a player that shows each at its time."""
        walls = [wall for wall, _ in self.shown]
        return max((b - a for a, b in zip(walls, walls[1:])), default=0) * 1000

    def longest_stall(self, buffer):
        """Milliseconds for which a player with a buffer of `buffer` seconds would have nothing to show, and the longest step of the
        media time. For programs that decode as fast as data arrives."""
        if not self.shown:
            return 0, 0
        first_wall, first_media = self.shown[0]
        shift, stall, step, last = first_wall + buffer - first_media, 0, 0, first_media
        for wall, media in self.shown:
            step = max(step, media - last, 0 if media >= last else 1e6)
            last = media
            if wall > media + shift:
                stall = max(stall, wall - media - shift)
                shift = wall - media
        return stall * 1000, step * 1000

    def report(self, **more):
        return {
            "pictures": len(self.shown), "sizes": len(set(self.sizes)), "changes": max(0, len(self.sizes) - 1),
            "errors": len(self.errors), "first_errors": self.errors[:5], "end": self.end, **more,
        }


def sound_step(samples, rate):
    """The largest step between two samples, relative to the typical largest step of a 100 ms window, which is the tone's own.

    Tones only: in speech the figure means nothing. Also gives where it is, in seconds, and the longest silence in ms.
    """
    # Not installed in the system's Python, which GStreamer requires.
    import numpy

    samples = numpy.asarray(samples, dtype=numpy.float64)
    samples = samples[rate // 2 :]  # The fade-in of the beginning.
    if len(samples) < rate:
        return None
    steps = numpy.abs(numpy.diff(samples))
    window = rate // 10
    count = len(steps) // window
    largest = steps[: count * window].reshape(count, window).max(axis=1)
    # During a PK two tones are mixed: the louder half of all windows yields their own step.
    own = numpy.percentile(largest, 75)
    at = int(numpy.argmax(steps))
    level = numpy.abs(samples[: count * window // 480 * 480]).reshape(-1, 480).max(axis=1)
    quiet, longest = 0, 0
    for value in level:
        quiet = quiet + 10 if value < 100 else 0
        longest = max(longest, quiet)
    return {"step": round(float(steps[at] / own), 2), "at": round(at / rate + 0.5, 3), "silence_ms": longest * rate // rate}


def write(path, report):
    with open(path, "w") as file:
        json.dump(report, file, indent=1)
