from __future__ import annotations

import ctypes
import itertools
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, Union

import numpy as np
from numpy.typing import NDArray

from ._errors import check
from ._frames import Samples
from ._inputs import PCMClock
from ._library import CEffect, CLoudness, Handle, OnFile, VoiceOptions, library, release
from ._queue import Queue
from ._readers import Reader, on_pcm, start


@dataclass(frozen=True)
class Gain:
    """A gain in dB, -96 to 24."""

    gain: float = 0

    def _effect(self) -> CEffect:
        return CEffect(type=0, gain=self.gain)


@dataclass(frozen=True)
class Reverb:
    """The reverberation of a room.

    gain:              in dB, -20 to 20.
    mix, room_size:    0...1.
    decay, decay_high: the seconds in which low and high frequencies decay by 60 dB, 0.05 to 20.
    """

    mix: float = 0.25
    room_size: float = 0.5
    decay: float = 1.2
    decay_high: float = 0.6
    gain: float = 0

    def _effect(self) -> CEffect:
        return CEffect(
            type=1, gain=self.gain, mix=self.mix, room_size=self.room_size, decay=self.decay, decay_high=self.decay_high)

    @staticmethod
    def low() -> Reverb:
        """A small room."""
        return Reverb(0.15, 0.25, 0.6, 0.3)

    @staticmethod
    def medium() -> Reverb:
        """A large room."""
        return Reverb()

    @staticmethod
    def high() -> Reverb:
        """A hall."""
        return Reverb(0.35, 0.9, 2.5, 1.0)


@dataclass(frozen=True)
class Echo:
    """Repetitions. delay: 1 to 2000 ms. feedback: 0...0.95. mix: 0...1."""

    delay: float = 250
    feedback: float = 0.35
    mix: float = 0.4

    def _effect(self) -> CEffect:
        return CEffect(type=2, mix=self.mix, delay=self.delay, feedback=self.feedback)


@dataclass(frozen=True)
class Pitch:
    """Another pitch at the same tempo, in semitones, -12 to 12."""

    semitones: float

    def _effect(self) -> CEffect:
        return CEffect(type=3, semitones=self.semitones)


Effect = Union[Gain, Reverb, Echo, Pitch]


@dataclass(frozen=True)
class Loudness:
    """The loudness of 20 ms relative to full scale, 0...1."""

    rms: float
    peak: float


class _Listener:
    """What the app wants to know of a file."""

    def __init__(self, tell: Callable[[str | None], None]) -> None:
        self.tell = tell


class SoundStudio:
    """Mixes named channels and files, with effects, before the encoder: AudioTrack.set_sound, StreamingSession.set_sound.

    Gains are in dB, -96 to 24. Close it, which also ends its readers.
    """

    def __init__(self) -> None:
        self.handle = Handle()
        self._queue: Queue | None = None
        self._clocks: dict[str, PCMClock] = {}
        self._listeners: dict[str, _Listener] = {}
        check(library.rc_sound_create(ctypes.byref(self.handle)))

    # == Channels ==

    def push(self, channel: str, samples: NDArray[np.int16], rate: int = 48_000) -> None:
        """Adds samples of a channel, int16 of the shape (samples,) or (samples, channels). The first ones create it."""
        pcm, _memory = self._clocks.setdefault(channel, PCMClock()).pcm(samples, rate)
        check(library.rc_sound_push(self.handle, channel.encode(), ctypes.byref(pcm)))

    def set_channel(self, channel: str, *, gain: float = 0, muted: bool = False, effects: bool = True) -> None:
        """effects: whether the effects apply to the channel."""
        check(library.rc_sound_set_channel(self.handle, channel.encode(), gain, muted, effects))

    def remove_channel(self, channel: str) -> None:
        check(library.rc_sound_remove_channel(self.handle, channel.encode()))
        self._clocks.pop(channel, None)
        self._listeners.pop(channel, None)

    def level(self, channel: str | None = None) -> Loudness:
        """Returns the loudness of a channel, or of the output."""
        loudness = CLoudness()
        check(library.rc_sound_level(self.handle, channel.encode() if channel else None, ctypes.byref(loudness)))
        return Loudness(loudness.rms, loudness.peak)

    # == Effects ==

    def set_gain(self, gain: float) -> None:
        """Sets the gain of the output."""
        check(library.rc_sound_set_gain(self.handle, gain))

    def set_effects(self, *effects: Effect) -> None:
        """Replaces the effects, at most 8 in order."""
        values = (CEffect * len(effects))(*(effect._effect() for effect in effects))
        check(library.rc_sound_set_effects(self.handle, values, len(effects)))

    def set_voice(
        self, *, cancels_echo: bool = True, noise: Literal["low", "moderate", "high", "veryHigh"] | None = "moderate",
        adjusts_gain: bool = False, delay_ms: int = 60, channel: str = "microphone",
    ) -> None:
        """Removes the loudspeaker's echo, which played() reports, and steady noise from a channel."""
        strength = -1 if noise is None else ("low", "moderate", "high", "veryHigh").index(noise)
        options = VoiceOptions(
            ctypes.sizeof(VoiceOptions), cancels_echo, strength, adjusts_gain, delay_ms, channel.encode())
        check(library.rc_sound_set_voice(self.handle, ctypes.byref(options)))

    def clear_voice(self) -> None:
        """Switches voice processing off."""
        check(library.rc_sound_set_voice(self.handle, None))

    def played(self, samples: NDArray[np.int16]) -> None:
        """Reports what the loudspeaker is about to play: int16 of the shape (samples, 2) at 48 kHz."""
        pcm, _memory = PCMClock().pcm(samples, 48_000)
        check(library.rc_sound_played(self.handle, ctypes.byref(pcm)))

    # == Files ==

    def play(
        self, channel: str, path: str, *, loop: bool = False, on_file: Callable[[str | None], None] | None = None
    ) -> None:
        """Plays the sound of a file as a channel.

        on_file: called on the running event loop with the path of a file that begins, and with None at the end of the last.
        """
        if on_file:
            self._queue = self._queue or Queue()
            listener, number = _Listener(on_file), next(_numbers)
            _listeners[number] = listener
            arguments: tuple[Any, ...] = (self._queue.handle, _on_file, number)
        else:
            listener, arguments = _Listener(lambda _path: None), (None, OnFile(), None)
        check(library.rc_sound_play(self.handle, channel.encode(), path.encode(), loop, *arguments))
        # In place of that of the file before, whose callbacks are over.
        self._listeners[channel] = listener

    def play_next(self, channel: str, path: str | None) -> None:
        """Sets the file that follows without a gap, instead of a repetition."""
        check(library.rc_sound_play_next(self.handle, channel.encode(), path.encode() if path else None))

    def set_file(self, channel: str, *, volume: float = 1, paused: bool = False) -> None:
        """volume: of the file, 0...4."""
        check(library.rc_sound_set_file(self.handle, channel.encode(), volume, paused))

    # == Output ==

    def set_ear(self, ear: Literal["off", "dry", "processed"], gain: float = 0) -> None:
        """Selects the ear return: the mix before the effects, or what is encoded."""
        check(library.rc_sound_set_ear(self.handle, ("off", "dry", "processed").index(ear), gain))

    def samples(self, *, ear: bool = False, backlog: int = 50) -> Reader[Samples]:
        """Returns the mixed sound, or the ear return, as stereo at 48 kHz, 20 ms at a time, on the running event loop."""
        self._queue = self._queue or Queue()
        reader: Reader[Samples] = Reader(backlog)
        start(reader, self._queue, library.rc_sound_read, self.handle, ear, self._queue.handle, on_pcm)
        return reader

    def close(self) -> None:
        """Releases the studio. The tracks that take its sound are silent."""
        release(self.handle)
        self._listeners.clear()
        if self._queue:
            self._queue.close()
            self._queue = None

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            release(self.handle)


_numbers = itertools.count(1)
# The listeners of files by the context of their callbacks; a studio has those of its channels.
_listeners: weakref.WeakValueDictionary[int, _Listener] = weakref.WeakValueDictionary()


def _file(context: int, _sound: int, path: bytes | None) -> None:
    listener = _listeners.get(context)
    if listener is not None:
        listener.tell(path.decode() if path is not None else None)


_on_file = OnFile(_file)
