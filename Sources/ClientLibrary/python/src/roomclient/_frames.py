from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._library import CEncoded, CI420, CPCM


@dataclass
class Picture:
    """A decoded picture in I420: 8 bit, BT.601 limited range. `u` and `v` have half the size of `y`, rounded up.

    time_us: the publisher's clock, in microseconds.
    """

    y: NDArray[np.uint8]
    u: NDArray[np.uint8]
    v: NDArray[np.uint8]
    time_us: int

    @property
    def width(self) -> int:
        return int(self.y.shape[1])

    @property
    def height(self) -> int:
        return int(self.y.shape[0])

    def rgb(self) -> NDArray[np.uint8]:
        """Returns the picture as height x width x 3."""
        height, width = self.y.shape
        luma = 1.164383 * (self.y.astype(np.float32) - 16)

        def spread(plane: NDArray[np.uint8]) -> NDArray[np.float32]:
            return plane.repeat(2, axis=0).repeat(2, axis=1)[:height, :width].astype(np.float32) - 128

        u, v = spread(self.u), spread(self.v)
        channels = (luma + 1.596027 * v, luma - 0.391762 * u - 0.812968 * v, luma + 2.017232 * u)
        return np.clip(np.stack(channels, axis=-1) + 0.5, 0, 255).astype(np.uint8)


@dataclass
class Samples:
    """Decoded audio: `data` has the shape (samples, channels), 16 bit, at `rate` Hz."""

    data: NDArray[np.int16]
    rate: int
    time_us: int


@dataclass
class EncodedFrame:
    """An encoded picture, or an Opus packet.

    timestamp: in 1/90000 s for video and 1/48000 s for Opus; starts anywhere and wraps around.
    """

    data: bytes
    timestamp: int
    is_key_frame: bool


def _plane(address: int, width: int, height: int, stride: int) -> NDArray[np.uint8]:
    # The last row may end at its width.
    memory = (ctypes.c_uint8 * (stride * (height - 1) + width)).from_address(address)
    rows = np.frombuffer(memoryview(memory), np.uint8)
    return np.lib.stride_tricks.as_strided(rows, (height, width), (stride, 1))


def shared_picture(frame: CI420) -> Picture:
    """Returns a picture with the memory of the frame, which is valid only in the callback."""
    width, height = frame.width, frame.height
    half = ((width + 1) // 2, (height + 1) // 2)
    return Picture(
        _plane(frame.y, width, height, frame.stride_y), _plane(frame.u, *half, frame.stride_uv),
        _plane(frame.v, *half, frame.stride_uv), frame.time_us,
    )


# The memory of a frame is valid only in the callback, so each of these copies it.


def picture(frame: CI420) -> Picture:
    shared = shared_picture(frame)
    return Picture(shared.y.copy(), shared.u.copy(), shared.v.copy(), shared.time_us)


def samples(pcm: CPCM) -> Samples:
    count = pcm.frame_count * pcm.channels
    data = np.frombuffer(memoryview((ctypes.c_int16 * count).from_address(pcm.samples)), np.int16).copy()
    return Samples(data.reshape(-1, pcm.channels), pcm.sample_rate, pcm.time_us)


def encoded(frame: CEncoded) -> EncodedFrame:
    return EncodedFrame(ctypes.string_at(frame.data, frame.size), frame.timestamp, frame.is_key_frame)


def address(array: NDArray[Any]) -> int:
    return int(array.ctypes.data)
