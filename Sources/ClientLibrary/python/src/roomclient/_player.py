from __future__ import annotations

import asyncio
import ctypes
import itertools
import json
import weakref
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Literal

from ._errors import RoomError, check
from ._frames import Picture, Samples
from ._library import Handle, OnPlayer, PlayerOptions, library, release, take_text
from ._queue import Queue
from ._readers import Reader, on_pcm, on_picture, start

PlayerState = Literal["connecting", "buffering", "playing", "reconnecting", "ended", "failed"]
_STATES: tuple[PlayerState, ...] = ("connecting", "buffering", "playing", "reconnecting", "ended", "failed")


@dataclass(frozen=True)
class PlayerChange:
    """A state of a player, with the reason of "failed"."""

    state: PlayerState
    failure: RoomError | None = None


class StreamPlayer:
    """Plays a live stream by RTMP, RTMPS or HTTP-FLV. It belongs to the running event loop; close it.

    buffer:          what is buffered before it plays, in seconds, 0.1 to 10.
    latency_limit:   the most that waits to be played, in seconds; beyond it the player continues with the newest.
    reconnect_tries: how often a lost connection is made again; None for no limit.
    """

    def __init__(
        self, url: str, *, buffer: float = 0.5, latency_limit: float = 3, reconnect_tries: int | None = 3,
        certificates: str | None = None, trust_any_server: bool = False,
    ) -> None:
        self.handle = Handle()
        self._changes: deque[PlayerChange] = deque(maxlen=64)
        self._changed = asyncio.Event()
        self._is_over = False
        self._number = next(_numbers)
        self._queue = Queue()
        options = PlayerOptions(
            ctypes.sizeof(PlayerOptions), int(buffer * 1000), int(latency_limit * 1000),
            -2 if reconnect_tries is None else reconnect_tries, trust_any_server,
            certificates.encode() if certificates else None)
        _players[self._number] = self
        try:
            check(library.rc_player_create(
                self._queue.handle, url.encode(), ctypes.byref(options), _on_player, self._number,
                ctypes.byref(self.handle)))
        except RoomError:
            self._queue.close()
            raise

    async def changes(self) -> AsyncIterator[PlayerChange]:
        """Yields the states, for one reader, until a final one: "ended" or "failed"."""
        while True:
            while self._changes:
                change = self._changes.popleft()
                yield change
                if change.state in ("ended", "failed"):
                    return
            if self._is_over:
                return
            self._changed.clear()
            await self._changed.wait()

    def pictures(self, backlog: int = 4) -> Reader[Picture]:
        """Returns the pictures when they are due, once."""
        reader: Reader[Picture] = Reader(backlog)
        start(reader, self._queue, library.rc_player_read_video, self.handle, on_picture)
        return reader

    def samples(self, backlog: int = 50) -> Reader[Samples]:
        """Returns the sound when it is due, as stereo at 48 kHz, once."""
        reader: Reader[Samples] = Reader(backlog)
        start(reader, self._queue, library.rc_player_read_audio, self.handle, on_pcm)
        return reader

    @property
    def statistics(self) -> dict[str, Any]:
        """delayMs, bitrate, fps, width, height, videoCodec, audioCodec, shown, late, failed, stalls, jumps, reconnections."""
        return dict(json.loads(take_text("rc_player_statistics", self.handle) or "{}"))

    def stop(self) -> None:
        """Stops playing for good."""
        check(library.rc_player_stop(self.handle))

    def close(self) -> None:
        """Stops, and releases the player. May be called twice."""
        if self._is_over:
            return
        self._is_over = True
        release(self.handle)
        self._queue.close()
        self._changed.set()

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            release(self.handle)


_numbers = itertools.count(1)
# The players by the context of their callbacks.
_players: weakref.WeakValueDictionary[int, StreamPlayer] = weakref.WeakValueDictionary()


def _state(context: int, _player: int, state: int, failure: int, message: bytes) -> None:
    player = _players.get(context)
    if player is not None:
        error = RoomError(failure, message.decode()) if failure else None
        player._changes.append(PlayerChange(_STATES[state], error))
        player._changed.set()


_on_player = OnPlayer(_state)
