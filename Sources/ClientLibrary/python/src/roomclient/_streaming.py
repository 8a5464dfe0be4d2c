from __future__ import annotations

import asyncio
import ctypes
import itertools
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from ._errors import RoomError, check
from ._inputs import PCMClock, PictureInput, Profile, video_options
from ._library import (
    CMix, CPlacement, CStreamingEvent, Handle, OnResolve, OnStreaming, StreamingOptions, StreamingSetup, library, release,
)
from ._queue import Queue, network_hook
from ._tracks import AudioTrack, RemoteTrack, VideoTrack

if TYPE_CHECKING:
    from ._sound import SoundStudio
    from ._studio import PictureStudio

StreamingState = Literal[
    "unknown", "connecting", "connected", "reconnecting", "disconnecting", "disconnected", "error"]
_STATES: tuple[StreamingState, ...] = (
    "unknown", "connecting", "connected", "reconnecting", "disconnecting", "disconnected", "error")


@dataclass(frozen=True)
class StreamingStatus:
    """What a session sends: rates since the last report, drops since the start.

    queued_ms:   the media that waits for the network.
    connections: 1, and one more for each reconnect.
    """

    video_fps: float
    audio_fps: float
    video_kbps: int
    audio_kbps: int
    queued_ms: int
    target_bitrate: int
    target_fps: int
    connections: int
    dropped_frames: int


@dataclass(frozen=True)
class StreamingEvent:
    """A change of the state with its reason, or the report of an interval, which has a status."""

    state: StreamingState
    failure: RoomError | None = None
    status: StreamingStatus | None = None


@dataclass(frozen=True)
class Placement:
    """A remote picture on the canvas of a mix, in pixels. Higher z cover lower ones; the camera has 0."""

    track: RemoteTrack
    x: int
    y: int
    width: int
    height: int
    z: int = 1


@dataclass(frozen=True)
class Mix:
    """The camera and remote tracks of a room on one canvas.

    camera:   x, y, width and height of the pushed pictures; None for the whole canvas.
    pictures: remote video tracks, at most 16.
    sounds:   remote audio tracks that are added to the pushed sound, at most 16.
    """

    width: int
    height: int
    camera: tuple[int, int, int, int] | None = None
    pictures: Sequence[Placement] = field(default=())
    sounds: Sequence[RemoteTrack] = field(default=())


@dataclass(frozen=True)
class StreamingSwitches:
    """The switches of a session, which can change at any time.

    reconnect_tries: how often a lost connection is opened again; None for no limit.
    min_bitrate:     the lowest video bitrate in bit/s on a slow network, at least 10000; 0 switches adaptation off.
    dynamic_fps:     whether the frame rate may fall to 10.
    status_interval: the interval of reports in seconds, 0.1 to 3600.
    """

    reconnect_tries: int | None = 0
    min_bitrate: int = 0
    dynamic_fps: bool = False
    status_interval: float = 3

    def _options(self) -> StreamingOptions:
        tries = -2 if self.reconnect_tries is None else self.reconnect_tries
        return StreamingOptions(
            ctypes.sizeof(StreamingOptions), tries, self.min_bitrate, self.dynamic_fps, int(self.status_interval * 1000))


class StreamingSession(PictureInput):
    """Pushes pictures and sound to a live server by RTMP, RTMPS, SRT or WHIP, with H.264 and AAC, or Opus for WHIP.

    It belongs to the running event loop. Use it as `async with`, or call close().

    video: whether there is video, of width, height, fps, bitrate in bit/s (0 for 0.1 bit per pixel) and profile.
    audio: whether there is audio, of audio_rate in Hz, audio_channels and audio_bitrate in bit/s.
    on_network: decides whether to follow a change of the network, by the address before and now; None for `follow_network`.
    resolve: returns the numeric addresses of a host; None for the system's.
    """

    _functions = "rc_streaming"

    def __init__(
        self, width: int = 640, height: int = 360, fps: int = 24, *, bitrate: int = 0, profile: Profile = "baseline",
        video: bool = True, audio: bool = True, audio_rate: int = 44_100, audio_channels: int = 2,
        audio_bitrate: int = 128_000, switches: StreamingSwitches = StreamingSwitches(), follow_network: bool = False,
        certificates: str | None = None, trust_any_server: bool = False,
        on_network: Callable[[str, str], bool] | None = None, resolve: Callable[[str], Sequence[str]] | None = None,
    ) -> None:
        self.handle = Handle()
        self.fps = fps
        self._clock = PCMClock()
        self._events: deque[StreamingEvent] = deque(maxlen=64)
        self._changed = asyncio.Event()
        self._is_over = False
        self._number = next(_numbers)
        self._queue = Queue()
        picture = video_options(width, height, fps, bitrate=bitrate, profile=profile)
        setup = StreamingSetup(
            ctypes.sizeof(StreamingSetup), ctypes.pointer(picture) if video else None, audio, audio_rate, audio_channels,
            audio_bitrate, follow_network, trust_any_server, certificates.encode() if certificates else None,
            hook := network_hook(on_network), resolver := _resolver(resolve), None)
        self._hooks = (hook, resolver)  # The library calls them until the session is released.
        _sessions[self._number] = self
        try:
            check(library.rc_streaming_create(
                self._queue.handle, ctypes.byref(setup), ctypes.byref(switches._options()), _on_streaming, self._number,
                ctypes.byref(self.handle)))
        except RoomError:
            self._queue.close()
            raise

    async def __aenter__(self) -> StreamingSession:
        return self

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.close()

    async def start(self, url: str, token: str | None = None) -> None:
        """Starts the push, and returns when the server has accepted it. token: for WHIP."""
        await self._queue.call(
            library.rc_streaming_start, self.handle, url.encode(), token.encode() if token else None)

    async def stop(self) -> None:
        """Ends the push, and returns when the stream is ended at the server."""
        await self._queue.call(library.rc_streaming_stop, self.handle)

    async def restart(self, url: str | None = None) -> None:
        """Replaces the connection of a running push. url: a new one of the same protocol; None for the last one."""
        await self._queue.call(library.rc_streaming_restart, self.handle, url.encode() if url else None)

    async def set_switches(self, switches: StreamingSwitches) -> None:
        await self._queue.call(library.rc_streaming_set_options, self.handle, ctypes.byref(switches._options()))

    async def reconfigure(
        self, width: int, height: int, fps: int, *, bitrate: int = 0, profile: Profile = "baseline"
    ) -> None:
        """Changes size, rates and profile of the video, also while live."""
        options = video_options(width, height, fps, bitrate=bitrate, profile=profile)
        await self._queue.call(library.rc_streaming_reconfigure, self.handle, ctypes.byref(options))
        self.fps = fps

    async def close(self) -> None:
        """Stops the push and releases the session. May be called twice."""
        if self._is_over:
            return
        try:
            await self.stop()
        finally:
            self._is_over = True
            release(self.handle)
            self._queue.close()
            self._changed.set()

    @property
    def state(self) -> StreamingState:
        """The last state that was reported."""
        return _STATES[int(library.rc_streaming_get_state(self.handle))]

    async def events(self) -> AsyncIterator[StreamingEvent]:
        """Yields the events from the creation on, for one reader, until close(). It keeps the last 64."""
        while True:
            while self._events:
                yield self._events.popleft()
            if self._is_over:
                return
            self._changed.clear()
            await self._changed.wait()

    # == Media ==

    def push_samples(self, samples: NDArray[np.int16], rate: int = 48_000, time_us: int | None = None) -> None:
        """Adds samples, as AudioTrack.push."""
        pcm, _memory = self._clock.pcm(samples, rate, time_us)
        check(library.rc_streaming_push_pcm(self.handle, ctypes.byref(pcm)))

    def set_studio(self, studio: PictureStudio | None) -> None:
        """Lets a studio change the pushed pictures, also those that are shared."""
        check(library.rc_streaming_set_studio(self.handle, studio.handle if studio else None))

    def set_sound(self, sound: SoundStudio | None) -> None:
        """Takes the sound of a studio; do not push samples then."""
        check(library.rc_streaming_set_sound(self.handle, sound.handle if sound else None))

    def share(self, camera: VideoTrack | None = None, microphone: AudioTrack | None = None) -> None:
        """Also passes what is pushed to tracks of a room; None for none."""
        check(library.rc_streaming_share(
            self.handle, camera.handle if camera else None, microphone.handle if microphone else None))

    def set_mix(self, mix: Mix | None) -> None:
        """Mixes remote tracks into the push; None pushes the camera and the microphone alone."""
        if mix is None:
            return check(library.rc_streaming_set_mix(self.handle, None))
        camera = CPlacement(None, *mix.camera, 0) if mix.camera else None
        pictures = (CPlacement * len(mix.pictures))(*(
            CPlacement(place.track.handle, place.x, place.y, place.width, place.height, place.z) for place in mix.pictures))
        sounds = (ctypes.c_void_p * len(mix.sounds))(*(track.handle.value for track in mix.sounds))
        value = CMix(
            ctypes.sizeof(CMix), mix.width, mix.height, ctypes.pointer(camera) if camera else None, pictures,
            len(mix.pictures), sounds, len(mix.sounds))
        check(library.rc_streaming_set_mix(self.handle, ctypes.byref(value)))

    def _received(self, event: CStreamingEvent) -> None:
        failure = RoomError(event.failure, event.message.decode()) if event.failure else None
        status = None
        if event.status:
            report = event.status.contents
            status = StreamingStatus(
                report.video_fps, report.audio_fps, report.video_kbps, report.audio_kbps, report.queued_ms,
                report.target_bitrate, report.target_fps, report.connections, report.dropped_frames)
        self._events.append(StreamingEvent(_STATES[event.state], failure, status))
        self._changed.set()

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            release(self.handle)


def _resolver(resolve: Callable[[str], Sequence[str]] | None) -> Any:
    if resolve is None:
        return OnResolve()

    def answer(_context: int, host: bytes, addresses: int) -> None:
        for address in resolve(host.decode()):
            library.rc_addresses_add(addresses, address.encode())

    return OnResolve(answer)


_numbers = itertools.count(1)
# The sessions by the context of their callbacks.
_sessions: weakref.WeakValueDictionary[int, StreamingSession] = weakref.WeakValueDictionary()


def _event(context: int, _session: int, event: Any) -> None:
    session = _sessions.get(context)
    if session is not None:
        session._received(event.contents)


_on_streaming = OnStreaming(_event)
