from __future__ import annotations

import ctypes
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from . import _frames
from ._errors import check
from ._library import AudioOptions, CI420, CPCM, CRGB, Handle, VideoOptions, library

Codec = Literal["h264", "vp8", "vp9", "av1"]
Profile = Literal["baseline", "main", "high"]


class PictureInput:
    """What takes the app's pictures: a track or a streaming session."""

    handle: Handle
    fps: int
    _functions: ClassVar[str]  # The prefix of the functions that push.
    _pictures: int = 0

    def push(self, pixels: NDArray[np.uint8], time_us: int | None = None) -> None:
        """Adds a picture of any size: height x width x 3 (RGB) or 4 (RGBA).

        time_us: the capture time in microseconds; by default 1/fps after the picture before.
        """
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in (3, 4):
            raise ValueError("pixels must be uint8 of the shape (height, width, 3) or (height, width, 4)")
        pixels = np.ascontiguousarray(pixels)
        height, width, depth = pixels.shape
        frame = CRGB(width, height, depth - 3, _frames.address(pixels), width * depth, self._time(time_us))
        check(getattr(library, self._functions + "_push_rgb")(self.handle, ctypes.byref(frame)))

    def push_i420(
        self, y: NDArray[np.uint8], u: NDArray[np.uint8], v: NDArray[np.uint8], time_us: int | None = None
    ) -> None:
        """Adds a picture in I420, without a conversion. `u` and `v` have half the size of `y`, rounded up."""
        height, width = y.shape
        half = ((height + 1) // 2, (width + 1) // 2)
        if u.shape != half or v.shape != half or any(plane.dtype != np.uint8 for plane in (y, u, v)):
            raise ValueError(f"u and v must be uint8 of the shape {half}")
        y, u, v = (np.ascontiguousarray(plane) for plane in (y, u, v))
        frame = CI420(
            width, height, _frames.address(y), _frames.address(u), _frames.address(v), width, half[1], self._time(time_us))
        check(getattr(library, self._functions + "_push_i420")(self.handle, ctypes.byref(frame)))

    def _time(self, time_us: int | None) -> int:
        self._pictures += 1
        return time_us if time_us is not None else self._pictures * 1_000_000 // self.fps


class PCMClock:
    """Samples of the app as the library takes them. Without a time they follow the ones before."""

    def __init__(self) -> None:
        self._time_us = 0

    def pcm(self, samples: NDArray[np.int16], rate: int, time_us: int | None = None) -> tuple[CPCM, NDArray[np.int16]]:
        """Returns the structure, and the array that contains its memory."""
        if samples.dtype != np.int16 or samples.ndim not in (1, 2):
            raise ValueError("samples must be int16 of the shape (samples,) or (samples, channels)")
        data = np.ascontiguousarray(samples.reshape(len(samples), -1))
        count, channels = data.shape
        start = self._time_us if time_us is None else time_us
        self._time_us = start + count * 1_000_000 // rate
        return CPCM(_frames.address(data), count, rate, channels, start), data


def video_options(
    width: int, height: int, fps: int, *, codec: Codec = "h264", bitrate: int = 0, tag: str = "camera",
    is_main: bool = True, profile: Profile = "baseline",
) -> VideoOptions:
    return VideoOptions(
        ctypes.sizeof(VideoOptions), ("h264", "vp8", "vp9", "av1").index(codec), width, height, fps, bitrate, tag.encode(),
        not is_main, ("baseline", "main", "high").index(profile))


def audio_options(channels: int, bitrate: int, tag: str, is_main: bool) -> AudioOptions:
    return AudioOptions(ctypes.sizeof(AudioOptions), channels, bitrate, tag.encode(), not is_main)
