from __future__ import annotations

import asyncio
import ctypes
import itertools
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable
from functools import cached_property
from types import TracebackType
from typing import Any, Literal

from ._errors import RoomError, check
from ._library import CEvent, Handle, OnComposition, OnDone, OnEvent, RoomOptions, library, release, take_text
from ._parts import Attributes, Jobs, Messages, PK, Seats, tracks_argument
from ._queue import Queue, network_hook
from ._tracks import LocalTrack, RemoteTrack
from .events import Event, Level, event_of


async def connect(
    url: str, token: str, *, subscribe: bool = True, receive: bool = True, audio_levels: bool = False, timeout: float = 10,
    statistics: float = 0, reconnect_tries: int | None = 3, event_backlog: int = 1024,
    media_protocol: Literal["automatic", "udp", "tcp"] = "automatic", certificates: str | None = None,
    trust_any_server: bool = False, prefer_small: bool = False, follow_network: bool = True,
    on_network: Callable[[str, str], bool] | None = None,
) -> Room:
    """Joins the room that the token names.

    subscribe:       whether to receive every track as it appears; else only after Room.subscribe().
    receive:         whether to receive tracks at all; Room.set_receiving() changes it.
    audio_levels:    whether to deliver audioLevels and activeSpeakers events.
    timeout:         the longest wait for an answer in seconds.
    statistics:      the interval of statistics events in seconds; 0 for none.
    reconnect_tries: how often a lost connection is tried again; None for no limit.
    event_backlog:   the number of events that wait for the app; beyond it, the oldest are dropped.
    certificates:    the path of a PEM file of accepted certificates; None for the system's.
    prefer_small:    whether to receive the smallest layer of each simulcast, unless RemoteTrack.set_reception() is called.
    follow_network:  whether a change of the machine's network is followed at once.
    on_network:      decides about each change, by the address before and now; None for `follow_network`.
    """
    tries = -2 if reconnect_tries is None else reconnect_tries or -1
    options = RoomOptions(
        ctypes.sizeof(RoomOptions), not subscribe, not receive, audio_levels, trust_any_server, int(timeout * 1000),
        int(statistics * 1000), tries, event_backlog, ("automatic", "udp", "tcp").index(media_protocol),
        certificates.encode() if certificates else None, prefer_small, not follow_network,
        hook := network_hook(on_network), None)
    room = Room(Queue(), event_backlog)
    room._hook = hook
    try:
        await room._open(
            library.rc_room_connect, room._queue.handle, url.encode(), token.encode(), ctypes.byref(options), on_event)
    except BaseException:
        room._end()
        raise
    return room


async def check_network(
    url: str, *, certificates: str | None = None, trust_any_server: bool = False
) -> dict[str, Any]:
    """Checks the path to a server: passed, and the steps with step, milliseconds and failure."""
    options = RoomOptions(
        size=ctypes.sizeof(RoomOptions), trust_any_server=trust_any_server,
        certificates=certificates.encode() if certificates else None)
    queue = Queue()
    try:
        return dict(await queue.call(library.rc_check_network, queue.handle, url.encode(), ctypes.byref(options)))
    finally:
        queue.close()


class Room:
    """A room that this client has joined. Use it as `async with`, or call leave()."""

    def __init__(self, queue: Queue, backlog: int) -> None:
        self._queue = queue
        self._backlog = backlog
        self._handle = Handle()
        self._number = next(_numbers)
        self._events: deque[Event] = deque(maxlen=max(1, backlog))
        self._changed = asyncio.Event()
        self._is_over = False
        self._dropped = 0
        self._tracks: dict[int, RemoteTrack] = {}
        self._hook: Any = None  # The library calls it until the room is released.
        self._editor: Callable[[dict[str, Any]], dict[str, Any] | None] | None = None
        self.seats = Seats(queue, self._handle)
        self.pk = PK(queue, self._handle)
        self.messages = Messages(queue, self._handle)
        self.attributes = Attributes(queue, self._handle)
        self.jobs = Jobs(queue, self._handle)

    async def _open(self, function: Any, *arguments: Any) -> None:
        _rooms[self._number] = self
        # The room's events and the answer to the join have the same context: it is the room's number for both.
        self._joined: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        check(function(*arguments, _on_joined, self._number, ctypes.byref(self._handle)))
        await self._joined

    async def __aenter__(self) -> Room:
        return self

    async def __aexit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self.leave()

    async def leave(self) -> None:
        """Leaves the room. Never fails, and may be called twice."""
        if self._is_over:
            return
        try:
            await self._queue.call(library.rc_room_leave, self._handle)
        finally:
            self._end()

    def _end(self) -> None:
        if self._is_over:
            return
        self._is_over = True
        self._tracks.clear()
        release(self._handle)
        self._queue.close()
        _rooms.pop(self._number, None)
        self._changed.set()

    # == State ==

    def _state(self, function: str) -> Any:
        return json.loads(take_text(function, self._handle) or "null")

    @property
    def state(self) -> dict[str, Any]:
        """{"state": S}, where S is connecting, connected, reconnecting (with attempt) or closed (with reason)."""
        return dict(self._state("rc_room_state"))

    @cached_property
    def name(self) -> str:
        """The name of this room."""
        return str(self.snapshot["name"])

    @property
    def snapshot(self) -> dict[str, Any]:
        """Name, layout, seats, requests, attributes, messages, PK, jobs."""
        return dict(self._state("rc_room_snapshot"))

    @property
    def me(self) -> dict[str, Any]:
        return dict(self._state("rc_room_participants")["me"])

    @property
    def participants(self) -> list[dict[str, Any]]:
        """The other participants."""
        return list(self._state("rc_room_participants")["others"])

    @property
    def limits(self) -> dict[str, Any]:
        """The limits of the server: messageBytes, tracksPerParticipant, participantsPerRoom..."""
        return dict(self._state("rc_room_limits"))

    @property
    def remote_tracks(self) -> list[RemoteTrack]:
        """The tracks that this client receives."""
        return list(self._tracks.values())

    # == Events ==

    async def events(self) -> AsyncIterator[Event]:
        """Yields the events from the join on, for one reader, until the room is left or closed."""
        while True:
            while self._events:
                event = self._events.popleft()
                yield event
                if event.name == "stateChanged" and event.data["state"] == "closed":
                    return
            if self._is_over:
                return
            self._changed.clear()
            await self._changed.wait()

    @property
    def events_dropped(self) -> int:
        """The number of events that were not read in time."""
        return self._dropped + int(library.rc_room_events_dropped(self._handle))

    def _received(self, event: CEvent) -> None:
        name, data = event.name.decode(), json.loads(event.json)
        track: RemoteTrack | None = None
        if event.track:
            track = self._tracks.get(event.track)
            if track is None:
                track = self._tracks[event.track] = RemoteTrack(self._queue, self._handle, event.track, data)
            if name == "trackUnsubscribed":
                del self._tracks[event.track]
        levels = [
            Level(level.user_id.decode(), level.track_id.decode(), level.level)
            for level in itertools.islice(event.levels, event.level_count)
        ] if event.level_count else []
        received = event_of(name, data, track, levels)
        if received is None:
            return
        self._dropped += len(self._events) == self._events.maxlen
        self._events.append(received)
        self._changed.set()

    # == Tracks ==

    async def publish(self, *tracks: LocalTrack) -> None:
        """Publishes tracks, all or none."""
        await self._queue.call(library.rc_room_publish, self._handle, *tracks_argument(tracks))

    async def unpublish(self, *tracks: LocalTrack) -> None:
        """Unpublishes tracks; all without an argument."""
        await self._queue.call(library.rc_room_unpublish, self._handle, *tracks_argument(tracks))

    async def unpublish_kind(self, kind: Literal["audio", "video"]) -> None:
        """Unpublishes this client's tracks of a kind."""
        await self._queue.call(library.rc_room_unpublish_kind, self._handle, ("audio", "video").index(kind))

    async def mute_kind(self, kind: Literal["audio", "video"], muted: bool = True) -> None:
        """Mutes or unmutes this client's tracks of a kind."""
        await self._queue.call(library.rc_room_mute_kind, self._handle, ("audio", "video").index(kind), muted)

    async def mute(self, track: LocalTrack | str, muted: bool = True) -> None:
        """Mutes or unmutes a track of this client, or any by its id, which needs the grant admin."""
        if isinstance(track, LocalTrack):
            await self._queue.call(library.rc_room_mute, self._handle, track.handle, muted)
        else:
            await self._queue.call(library.rc_room_mute_id, self._handle, track.encode(), muted)

    async def subscribe(self, *, track_ids: Iterable[str] = (), user_ids: Iterable[str] = ()) -> None:
        """Subscribes to tracks by id, and to all tracks of users."""
        await self._queue.call(library.rc_room_subscribe, self._handle, *_texts(track_ids), *_texts(user_ids))

    async def unsubscribe(self, *, track_ids: Iterable[str] = (), user_ids: Iterable[str] = ()) -> None:
        await self._queue.call(library.rc_room_unsubscribe, self._handle, *_texts(track_ids), *_texts(user_ids))

    async def set_receiving(self, enabled: bool) -> None:
        """Stops and resumes the reception of all tracks."""
        await self._queue.call(library.rc_room_set_receiving, self._handle, enabled)

    async def set_audio_levels(self, enabled: bool) -> None:
        await self._queue.call(library.rc_room_set_audio_levels, self._handle, enabled)

    # == Moving for a PK ==

    async def move(self) -> Room:
        """Moves into the other room of a PK with the mode "move", after pkBegan. Returns it; this room is then closed."""
        return await self._enter(library.rc_pk_move, self._handle)

    async def return_home(self, token: str | None = None) -> Room:
        """Returns to the own room after move(). Returns it; this room is then closed."""
        return await self._enter(library.rc_pk_return_home, self._handle, token.encode() if token else None)

    async def _enter(self, function: Any, *arguments: Any) -> Room:
        # The library uses the same queue for both rooms, so this one closes with the last.
        room = Room(self._queue.shared(), self._backlog)
        room._hook = self._hook
        try:
            await room._open(function, *arguments, on_event)
        except BaseException:
            room._end()
            raise
        self._end()
        return room

    # == Others ==

    async def kick(self, user_id: str) -> None:
        """Removes a user; needs the grant admin."""
        await self._queue.call(library.rc_room_kick, self._handle, user_id.encode())

    async def play_urls(self, *, width: int = 0, height: int = 0, fps: int = 0) -> dict[str, Any]:
        """The URLs at which an audience plays the room, or a variant of its stream; 0 is the default of each."""
        return dict(await self._queue.call(library.rc_room_play_urls_of, self._handle, width, height, fps))

    async def network_changed(self) -> None:
        await self._queue.call(library.rc_room_network_changed, self._handle)

    async def statistics(self) -> dict[str, Any]:
        """The statistics of transports and tracks since the last report."""
        return dict(await self._queue.call(library.rc_room_statistics, self._handle))

    async def set_statistics(self, interval: float) -> None:
        """Changes the interval of statistics events in seconds; 0 stops them."""
        await self._queue.call(library.rc_room_set_statistics, self._handle, int(interval * 1000))

    async def report(self, check_url: str | None = None) -> dict[str, Any]:
        """Makes a report for the app's support, without messages, tokens, stream keys and passwords.

        check_url: a signalling address whose path is checked; None for no check.
        """
        return dict(await self._queue.call(
            library.rc_room_report, self._handle, check_url.encode() if check_url else None))

    async def set_stage(self, style: dict[str, Any]) -> None:
        """Changes the style of the composed picture."""
        await self._queue.call(library.rc_stage_set, self._handle, json.dumps(style).encode())

    async def edit_stage(
        self, change: Callable[[dict[str, Any]], dict[str, Any] | None], deadline: float = 0.3
    ) -> None:
        """Lets `change` replace each composition before it is shown; None keeps it. Needs the grant admin.

        deadline: the time to answer in seconds, 0.05 to 2. Later the server shows its own composition.
        """
        self._editor = change
        await self._queue.call(
            library.rc_stage_edit, self._handle, int(deadline * 1000), _on_composition, self._number)

    async def stop_editing_stage(self) -> None:
        await self._queue.call(library.rc_stage_stop_editing, self._handle)
        self._editor = None


# The open rooms by the context of their callbacks.
_rooms: dict[int, Room] = {}
_numbers = itertools.count(1)


def _event(context: int, _room: int, event: Any) -> None:
    room = _rooms.get(context)
    if room is not None:
        room._received(event.contents)


on_event = OnEvent(_event)


def _compose(context: int, composition: bytes, answer: int) -> None:
    room = _rooms.get(context)
    if room is None or room._editor is None:
        return
    changed = room._editor(json.loads(composition))
    if changed is not None:
        library.rc_composition_set(answer, json.dumps(changed).encode())


_on_composition = OnComposition(_compose)


def _joined(context: int, status: int, message: bytes, _json: bytes | None) -> None:
    room = _rooms.get(context)
    if room is None or room._joined.done():  # The caller was cancelled.
        return
    if status != 0:
        room._joined.set_exception(RoomError(status, message.decode()))
    else:
        room._joined.set_result(None)


_on_joined = OnDone(_joined)


def _texts(texts: Iterable[str]) -> tuple[Any, int]:
    values = [text.encode() for text in texts]
    return (ctypes.c_char_p * len(values))(*values), len(values)
