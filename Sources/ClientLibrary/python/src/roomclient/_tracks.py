from __future__ import annotations

import asyncio
import ctypes
import itertools
import json
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Generic, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _frames
from ._errors import RoomError, check
from ._frames import EncodedFrame, Picture, Samples
from ._library import (
    AudioOptions, CEncoded, CI420, CPCM, CRGB, Handle, OnEncoded, OnPCM, OnPicture, VideoOptions, library, release,
    take_text,
)
from ._queue import Queue

Codec = Literal["h264", "vp8", "vp9", "av1"]
Frame = TypeVar("Frame")
_DROPPED = 20


class LocalTrack:
    """A track that this client publishes. It stops when it is closed, or collected."""

    def __init__(self, create: Callable[..., int], *options: Any) -> None:
        self.handle = Handle()
        check(create(*options, ctypes.byref(self.handle)))

    @property
    def id(self) -> str | None:
        """The id that the server chose; None while the track is not published."""
        return take_text("rc_track_id", self.handle)

    def close(self) -> None:
        release(self.handle)

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            release(self.handle)


def _video(codec: Codec, width: int, height: int, fps: int, bitrate: int, tag: str, is_main: bool) -> Any:
    return ctypes.byref(
        VideoOptions(
            ctypes.sizeof(VideoOptions), ("h264", "vp8", "vp9", "av1").index(codec), width, height, fps, bitrate, tag.encode(), not is_main))


def _audio(channels: int, bitrate: int, tag: str, is_main: bool) -> Any:
    return ctypes.byref(AudioOptions(ctypes.sizeof(AudioOptions), channels, bitrate, tag.encode(), not is_main))


class VideoTrack(LocalTrack):
    """Encodes the app's pictures, at no more than the path to the server carries.

    bitrate: the highest rate in bit/s; 0 for 0.1 bit per pixel.
    """

    def __init__(
        self, width: int, height: int, fps: int = 24, *, codec: Codec = "h264", bitrate: int = 0, tag: str = "camera",
        is_main: bool = True,
    ) -> None:
        self.fps = fps
        self._number = 0
        super().__init__(library.rc_track_create_video, _video(codec, width, height, fps, bitrate, tag, is_main))

    def push(self, pixels: NDArray[np.uint8], time_us: int | None = None) -> None:
        """Adds a picture of any size: height x width x 3 (RGB) or 4 (RGBA).

        time_us: the capture time in microseconds; by default 1/fps after the picture before.
        """
        if pixels.dtype != np.uint8 or pixels.ndim != 3 or pixels.shape[2] not in (3, 4):
            raise ValueError("pixels must be uint8 of the shape (height, width, 3) or (height, width, 4)")
        pixels = np.ascontiguousarray(pixels)
        height, width, depth = pixels.shape
        frame = CRGB(
            width, height, depth - 3, _frames.address(pixels), width * depth, self._time(time_us))
        check(library.rc_track_push_rgb(self.handle, ctypes.byref(frame)))

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
        check(library.rc_track_push_i420(self.handle, ctypes.byref(frame)))

    def _time(self, time_us: int | None) -> int:
        self._number += 1
        return time_us if time_us is not None else self._number * 1_000_000 // self.fps


class AudioTrack(LocalTrack):
    """Encodes the app's PCM to Opus. bitrate: in bit/s, 6000 to 510000; 0 for 32000."""

    def __init__(self, *, channels: int = 1, bitrate: int = 0, tag: str = "microphone", is_main: bool = True) -> None:
        self._time_us = 0
        super().__init__(library.rc_track_create_audio, _audio(channels, bitrate, tag, is_main))

    def push(self, samples: NDArray[np.int16], rate: int = 48_000, time_us: int | None = None) -> None:
        """Adds samples: int16 of the shape (samples,) or (samples, channels), at 8000 to 192000 Hz.

        time_us: the time of the first sample in microseconds; by default the end of the samples before.
        """
        if samples.dtype != np.int16 or samples.ndim not in (1, 2):
            raise ValueError("samples must be int16 of the shape (samples,) or (samples, channels)")
        data = np.ascontiguousarray(samples.reshape(len(samples), -1))
        count, channels = data.shape
        start = self._time_us if time_us is None else time_us
        pcm = CPCM(_frames.address(data), count, rate, channels, start)
        check(library.rc_track_push_pcm(self.handle, ctypes.byref(pcm)))
        self._time_us = start + count * 1_000_000 // rate


class TestPicture(LocalTrack):
    """A moving picture that shows the time of day."""

    __test__ = False  # Not a test case of pytest.

    def __init__(
        self, width: int = 640, height: int = 360, fps: int = 24, *, codec: Codec = "h264", bitrate: int = 0,
        tag: str = "camera", is_main: bool = True,
    ) -> None:
        super().__init__(library.rc_track_create_test_picture, _video(codec, width, height, fps, bitrate, tag, is_main))


class Tone(LocalTrack):
    """A sine tone of `frequency` Hz."""

    def __init__(self, frequency: float, *, channels: int = 1, tag: str = "microphone", is_main: bool = True) -> None:
        super().__init__(library.rc_track_create_tone, frequency, _audio(channels, 0, tag, is_main))


class _EncodedTrack(LocalTrack):
    def send(self, frame: EncodedFrame, level: int = -127) -> bool:
        """Sends the next frame. Returns False if it was dropped: not connected, muted, or waiting for a key frame.

        level: of audio, the loudness in dBov, -127 to 0.
        """
        data = ctypes.create_string_buffer(frame.data, len(frame.data))
        encoded = CEncoded(ctypes.addressof(data), len(frame.data), frame.timestamp & 0xFFFFFFFF, frame.is_key_frame)
        status = library.rc_track_send(self.handle, ctypes.byref(encoded), level)
        if status not in (0, _DROPPED):
            check(status)
        return bool(status == 0)


class EncodedVideoTrack(_EncodedTrack):
    """A track for pictures that the app encoded: H.264 in Annex B form, or VP8."""

    def __init__(
        self, width: int, height: int, fps: int, *, codec: Codec = "h264", bitrate: int = 0, tag: str = "camera",
        is_main: bool = True,
    ) -> None:
        super().__init__(library.rc_track_create_encoded_video, _video(codec, width, height, fps, bitrate, tag, is_main))


class EncodedAudioTrack(_EncodedTrack):
    """A track for Opus packets that the app encoded."""

    def __init__(self, *, channels: int = 1, tag: str = "microphone", is_main: bool = True) -> None:
        super().__init__(library.rc_track_create_encoded_audio, _audio(channels, 0, tag, is_main))


class Reader(Generic[Frame]):
    """The frames of a remote track: an asynchronous iterator that ends with the track.

    It keeps `backlog` frames for a slow reader, then drops the oldest.
    """

    def __init__(self, backlog: int) -> None:
        self.handle = Handle()
        self._frames: deque[Frame] = deque(maxlen=max(1, backlog))
        self._changed = asyncio.Event()
        self._ended = False
        self._dropped = 0

    @property
    def dropped(self) -> int:
        """The number of frames that were not read in time."""
        return self._dropped + int(library.rc_reader_dropped(self.handle))

    def put(self, frame: Frame | None) -> None:
        if frame is None:
            self._ended = True
        else:
            self._dropped += len(self._frames) == self._frames.maxlen
            self._frames.append(frame)
        self._changed.set()

    def __aiter__(self) -> AsyncIterator[Frame]:
        return self

    async def __anext__(self) -> Frame:
        while not self._frames:
            if self._ended:
                self.close()
                raise StopAsyncIteration
            self._changed.clear()
            await self._changed.wait()
        return self._frames.popleft()

    def close(self) -> None:
        """Ends the reader; it is called at the end of the track by itself."""
        release(self.handle)
        self._ended = True
        self._changed.set()

    def __del__(self) -> None:
        release(self.handle)


class RemoteTrack:
    """A track of another participant that this client receives."""

    def __init__(self, queue: Queue, room: Handle, handle: int, data: dict[str, Any]) -> None:
        check(library.rc_retain(handle))
        self.handle = Handle(handle)
        self._queue = queue
        self._room = room
        self.user_id: str = data["userId"]
        self.id: str = data["track"]["trackId"]
        self.kind: Literal["audio", "video"] = data["track"]["kind"]

    @property
    def info(self) -> dict[str, Any]:
        """The track as its publisher last described it: codec, tag, muted, width, height..."""
        track: dict[str, Any] = json.loads(take_text("rc_remote_info", self.handle) or "{}")["track"]
        return track

    def pictures(self, backlog: int = 4) -> Reader[Picture]:
        """Decodes a video track."""
        reader: Reader[Picture] = Reader(backlog)
        self._read(reader, library.rc_remote_read_video, self._queue.handle, _on_picture)
        return reader

    def samples(self, channels: int = 1, backlog: int = 50) -> Reader[Samples]:
        """Decodes an audio track to 48 kHz, usually 20 ms at a time."""
        reader: Reader[Samples] = Reader(backlog)
        self._read(reader, library.rc_remote_read_audio, channels, self._queue.handle, _on_pcm)
        return reader

    def encoded(self, backlog: int = 64) -> Reader[EncodedFrame]:
        """Reads the encoded frames."""
        reader: Reader[EncodedFrame] = Reader(backlog)
        self._read(reader, library.rc_remote_read_encoded, self._queue.handle, _on_encoded)
        return reader

    def _read(self, reader: Reader[Any], read: Callable[..., int], *arguments: Any) -> None:
        number = next(_numbers)
        _readers[number] = reader
        try:
            check(read(self.handle, *arguments, number, ctypes.byref(reader.handle)))
        except RoomError:
            del _readers[number]
            raise
        self._queue.readers.add(reader)

    def request_key_frame(self) -> None:
        check(library.rc_remote_request_key_frame(self.handle))

    async def set_reception(
        self, *, max_width: int = 0, max_height: int = 0, max_fps: int = 0, priority: int = -1, paused: bool = False
    ) -> None:
        """Limits what the server sends; 0 is no limit, priority -1 the default."""
        await self._queue.call(
            library.rc_remote_set_reception, self._room, self.handle, max_width, max_height, max_fps, priority, paused)

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            release(self.handle)


_numbers = itertools.count(1)
# A reader that the app no longer has is collected and releases its handle.
_readers: weakref.WeakValueDictionary[int, Reader[Any]] = weakref.WeakValueDictionary()


def _deliver(number: int, frame: Any, convert: Callable[[Any], Any]) -> None:
    reader = _readers.get(number)
    if reader is not None:
        reader.put(convert(frame.contents) if frame else None)


def _picture(context: int, _reader: int, frame: Any) -> None:
    _deliver(context, frame, _frames.picture)


_on_picture = OnPicture(_picture)


def _pcm(context: int, _reader: int, frame: Any) -> None:
    _deliver(context, frame, _frames.samples)


_on_pcm = OnPCM(_pcm)


def _encoded(context: int, _reader: int, frame: Any) -> None:
    _deliver(context, frame, _frames.encoded)


_on_encoded = OnEncoded(_encoded)
