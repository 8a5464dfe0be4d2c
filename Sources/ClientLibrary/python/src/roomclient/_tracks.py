from __future__ import annotations

import ctypes
import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._errors import check
from ._frames import EncodedFrame, Picture, Samples
from ._inputs import Codec, PCMClock, PictureInput, Profile, audio_options, video_options
from ._library import CEncoded, Handle, library, release, take_text
from ._queue import Queue
from ._readers import Reader, on_encoded, on_pcm, on_picture, start

if TYPE_CHECKING:
    from ._sound import SoundStudio
    from ._studio import PictureStudio

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


class _PictureTrack(PictureInput, LocalTrack):
    _functions = "rc_track"

    def set_studio(self, studio: PictureStudio | None) -> None:
        """Lets a studio change the pictures."""
        check(library.rc_track_set_studio(self.handle, studio.handle if studio else None))


class VideoTrack(_PictureTrack):
    """Encodes the app's pictures, at no more than the path to the server carries.

    bitrate: the highest rate in bit/s; 0 for 0.1 bit per pixel.
    profile: of H.264.
    """

    def __init__(
        self, width: int, height: int, fps: int = 24, *, codec: Codec = "h264", bitrate: int = 0, tag: str = "camera",
        is_main: bool = True, profile: Profile = "baseline",
    ) -> None:
        self.fps = fps
        self._codec: Codec = codec
        options = video_options(
            width, height, fps, codec=codec, bitrate=bitrate, tag=tag, is_main=is_main, profile=profile)
        super().__init__(library.rc_track_create_video, ctypes.byref(options))

    def reconfigure(
        self, width: int, height: int, fps: int, *, bitrate: int = 0, profile: Profile = "baseline"
    ) -> None:
        """Changes size, rates and profile from the next picture on, also while the track is published."""
        options = video_options(width, height, fps, codec=self._codec, bitrate=bitrate, profile=profile)
        check(library.rc_track_reconfigure(self.handle, ctypes.byref(options)))
        self.fps = fps


class SimulcastTrack(_PictureTrack):
    """Encodes the app's pictures in several sizes, so that each receiver gets the one that it shows and that its network carries.

    layers:      2: the small one has at most 176x144 pixels; 3: another one has half the width and height.
    min_bitrate: the rate in bit/s of the path below which the largest one is off; 0 for 40 % of its own rate.
    """

    def __init__(
        self, width: int, height: int, fps: int = 24, *, layers: Literal[2, 3] = 2, min_bitrate: int = 0,
        codec: Codec = "h264", bitrate: int = 0, tag: str = "camera", is_main: bool = True, profile: Profile = "baseline",
    ) -> None:
        self.fps = fps
        options = video_options(
            width, height, fps, codec=codec, bitrate=bitrate, tag=tag, is_main=is_main, profile=profile)
        super().__init__(library.rc_track_create_simulcast, ctypes.byref(options), layers, min_bitrate)


class AudioTrack(LocalTrack):
    """Encodes the app's PCM to Opus. bitrate: in bit/s, 6000 to 510000; 0 for 32000."""

    def __init__(self, *, channels: int = 1, bitrate: int = 0, tag: str = "microphone", is_main: bool = True) -> None:
        self._clock = PCMClock()
        super().__init__(library.rc_track_create_audio, ctypes.byref(audio_options(channels, bitrate, tag, is_main)))

    def push(self, samples: NDArray[np.int16], rate: int = 48_000, time_us: int | None = None) -> None:
        """Adds samples: int16 of the shape (samples,) or (samples, channels), at 8000 to 192000 Hz.

        time_us: the time of the first sample in microseconds; by default the end of the samples before.
        """
        pcm, _memory = self._clock.pcm(samples, rate, time_us)
        check(library.rc_track_push_pcm(self.handle, ctypes.byref(pcm)))

    def set_sound(self, sound: SoundStudio | None) -> None:
        """Takes the sound of a studio; do not push then."""
        check(library.rc_track_set_sound(self.handle, sound.handle if sound else None))


class TestPicture(LocalTrack):
    """A moving picture that shows the time of day."""

    __test__ = False  # Not a test case of pytest.

    def __init__(
        self, width: int = 640, height: int = 360, fps: int = 24, *, codec: Codec = "h264", bitrate: int = 0,
        tag: str = "camera", is_main: bool = True,
    ) -> None:
        options = video_options(width, height, fps, codec=codec, bitrate=bitrate, tag=tag, is_main=is_main)
        super().__init__(library.rc_track_create_test_picture, ctypes.byref(options))


class Tone(LocalTrack):
    """A sine tone of `frequency` Hz."""

    def __init__(self, frequency: float, *, channels: int = 1, tag: str = "microphone", is_main: bool = True) -> None:
        super().__init__(library.rc_track_create_tone, frequency, ctypes.byref(audio_options(channels, 0, tag, is_main)))


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
        options = video_options(width, height, fps, codec=codec, bitrate=bitrate, tag=tag, is_main=is_main)
        super().__init__(library.rc_track_create_encoded_video, ctypes.byref(options))


class EncodedAudioTrack(_EncodedTrack):
    """A track for Opus packets that the app encoded."""

    def __init__(self, *, channels: int = 1, tag: str = "microphone", is_main: bool = True) -> None:
        super().__init__(library.rc_track_create_encoded_audio, ctypes.byref(audio_options(channels, 0, tag, is_main)))


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
        start(reader, self._queue, library.rc_remote_read_video, self.handle, self._queue.handle, on_picture)
        return reader

    def samples(self, channels: int = 1, backlog: int = 50) -> Reader[Samples]:
        """Decodes an audio track to 48 kHz, usually 20 ms at a time."""
        reader: Reader[Samples] = Reader(backlog)
        start(reader, self._queue, library.rc_remote_read_audio, self.handle, channels, self._queue.handle, on_pcm)
        return reader

    def encoded(self, backlog: int = 64) -> Reader[EncodedFrame]:
        """Reads the encoded frames."""
        reader: Reader[EncodedFrame] = Reader(backlog)
        start(reader, self._queue, library.rc_remote_read_encoded, self.handle, self._queue.handle, on_encoded)
        return reader

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
