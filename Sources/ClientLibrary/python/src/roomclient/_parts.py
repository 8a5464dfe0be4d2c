from __future__ import annotations

import ctypes
import json
from collections.abc import Callable, Sequence
from typing import Any, Literal

from ._library import Handle, library
from ._queue import Queue
from ._tracks import LocalTrack


def tracks_argument(tracks: Sequence[LocalTrack]) -> tuple[Any, int]:
    return (ctypes.c_void_p * len(tracks))(*(track.handle.value for track in tracks)), len(tracks)


def _text(text: str | None) -> bytes | None:
    return None if text is None else text.encode()


class Part:
    """A part of a room. Its state is in Room.snapshot."""

    def __init__(self, queue: Queue, room: Handle) -> None:
        self._queue = queue
        self._room = room

    async def _call(self, function: Callable[..., int], *arguments: Any) -> Any:
        return await self._queue.call(function, self._room, *arguments)


class Seats(Part):
    """The seats of a room. `index` is a seat's index; None is any."""

    async def take(self, index: int | None = None, *tracks: LocalTrack) -> int:
        """Takes a seat, publishes tracks there, and returns the seat's index."""
        return int((await self._call(library.rc_seats_take, _seat(index), *tracks_argument(tracks)))["index"])

    async def leave(self) -> None:
        """Leaves the seat; the server unpublishes this client's tracks."""
        await self._call(library.rc_seats_leave)

    async def kick(self, user_id: str) -> None:
        await self._call(library.rc_seats_kick, user_id.encode())

    async def set(
        self, index: int, *, locked: bool | None = None, muted: bool | None = None, video: bool | None = None,
        audio: bool | None = None,
    ) -> None:
        """Sets switches of a seat; None keeps one."""
        switches = (-1 if value is None else int(value) for value in (locked, muted, video, audio))
        await self._call(library.rc_seats_set, index, *switches)

    async def set_layout(self, layout: dict[str, Any]) -> None:
        """Changes the layout: {"type": ..., "canvas": ..., "frames": ...}."""
        await self._call(library.rc_seats_set_layout, json.dumps(layout).encode())

    async def request(self, index: int | None = None) -> None:
        await self._call(library.rc_seats_request, _seat(index))

    async def cancel_request(self) -> None:
        await self._call(library.rc_seats_cancel_request)

    async def requests(self) -> list[dict[str, Any]]:
        """Returns the pending requests, the oldest first: userId, index, at, expiresAt."""
        return list(await self._call(library.rc_seats_list_requests))

    async def accept(self, user_id: str) -> int:
        """Accepts a user's request, and returns the seat's index."""
        return int((await self._call(library.rc_seats_accept, user_id.encode()))["index"])

    async def reject(self, user_id: str) -> None:
        await self._call(library.rc_seats_reject, user_id.encode())

    async def invite(self, user_id: str, index: int | None = None) -> None:
        await self._call(library.rc_seats_invite, user_id.encode(), _seat(index))

    async def cancel_invitation(self, user_id: str) -> None:
        await self._call(library.rc_seats_cancel_invitation, user_id.encode())

    async def accept_invitation(self, *tracks: LocalTrack) -> int:
        """Accepts the invitation of this client, as take()."""
        return int((await self._call(library.rc_seats_accept_invitation, *tracks_argument(tracks)))["index"])

    async def reject_invitation(self) -> None:
        await self._call(library.rc_seats_reject_invitation)


def _seat(index: int | None) -> int:
    return -1 if index is None else index


class PK(Part):
    """The PK with another room. Room.move() and Room.return_home() are for the mode "move"."""

    async def invite(
        self, room: str, user_id: str | None = None, *, mode: Literal["bridge", "move"] = "bridge", duration: int = 0
    ) -> str:
        """Invites another room, and returns the id of the PK.

        user_id:  the other anchor; None for the user on seat 0.
        duration: in seconds; 0 for no end.
        """
        number = ("bridge", "move").index(mode)
        return str((await self._call(library.rc_pk_invite, room.encode(), _text(user_id), number, duration))["pkId"])

    async def invite_rooms(self, room: str, **parameters: Any) -> str:
        """Invites several rooms to one PK, or one more to the PK that runs (pkId=...), and returns the id of the first
        invitation: with the parameters of invitePK, such as others=[{"room": "c"}]."""
        given = json.dumps({"room": room, **parameters}).encode()
        return str((await self._call(library.rc_pk_invite_rooms, given))["pkId"])

    async def remove(self, room: str) -> None:
        """Removes a room from a PK of several."""
        await self._call(library.rc_pk_remove, room.encode())

    async def mute(self, room: str, muted: bool = True, *, for_all: bool = False) -> None:
        """Mutes the anchor of one of several other rooms, in this room or in all."""
        await self._call(library.rc_pk_mute, room.encode(), muted, for_all)

    async def cancel(self, pk_id: str) -> None:
        await self._call(library.rc_pk_cancel, pk_id.encode())

    async def accept(self, pk_id: str) -> None:
        await self._call(library.rc_pk_accept, pk_id.encode())

    async def reject(self, pk_id: str, reason: str | None = None) -> None:
        await self._call(library.rc_pk_reject, pk_id.encode(), _text(reason))

    async def match(self, **parameters: Any) -> str:
        """Looks for an opponent with the parameters of matchPK, such as tags=["sing"], and returns the ticket. PKMatchEnded has
        the outcome."""
        return str((await self._call(library.rc_pk_match, json.dumps(parameters).encode()))["ticket"])

    async def cancel_match(self) -> None:
        await self._call(library.rc_pk_cancel_match)

    async def mute_peer(self, muted: bool = True) -> None:
        await self._call(library.rc_pk_mute_peer, muted)

    async def set_score(self, score: int) -> None:
        await self._call(library.rc_pk_set_score, score)

    async def add_gift(self, gift_id: str, *, points: int | None = None, gift: str | None = None, count: int = 1) -> int:
        """Adds a gift to this room's score, once for each id, and returns the score: points, or the name of a gift in the rules."""
        given = {"giftId": gift_id, "points": points, "gift": gift, "count": count}
        return int((await self._call(library.rc_pk_add_gift, json.dumps(given).encode()))["score"])

    async def rematch(self) -> str:
        """Invites the rooms of the last PK again, and returns the id of the new one."""
        return str((await self._call(library.rc_pk_rematch))["pkId"])

    async def extend(self, seconds: int) -> None:
        await self._call(library.rc_pk_extend, seconds)

    async def resume(self) -> dict[str, Any]:
        """Returns into a PK after a new join."""
        return dict(await self._call(library.rc_pk_resume))

    async def quit(self) -> None:
        await self._call(library.rc_pk_quit)


class Messages(Part):
    """Messages to all, or to one user. Each returns the message's seq and time."""

    async def send(self, text: str, to: str | None = None) -> dict[str, Any]:
        return dict(await self._call(library.rc_messages_send, text.encode(), _text(to)))

    async def barrage(self, text: str, to: str | None = None) -> dict[str, Any]:
        return dict(await self._call(library.rc_messages_barrage, text.encode(), _text(to)))

    async def like(self, count: int = 1, to: str | None = None) -> dict[str, Any]:
        return dict(await self._call(library.rc_messages_like, count, _text(to)))

    async def gift(self, type: str, count: int = 1, text: str | None = None, to: str | None = None) -> dict[str, Any]:
        return dict(await self._call(library.rc_messages_gift, type.encode(), count, _text(text), _text(to)))

    async def custom(self, type: str, value: Any, to: str | None = None) -> dict[str, Any]:
        """Sends a value that can be encoded as JSON."""
        return dict(await self._call(library.rc_messages_custom, type.encode(), json.dumps(value).encode(), _text(to)))


class Attributes(Part):
    """The attributes of a room; a change needs the grant admin."""

    async def set(self, **values: str) -> None:
        await self.change(values)

    async def remove(self, *keys: str) -> None:
        await self.change({}, keys)

    async def change(self, values: dict[str, str], remove: Sequence[str] = ()) -> None:
        """Sets and removes 1 to 10 attributes together."""
        change: dict[str, Any] = {"set": values} if values else {}
        if remove:
            change["remove"] = list(remove)
        await self._call(library.rc_attributes_change, json.dumps(change).encode())


class Jobs(Part):
    """Relay jobs; each call needs the grant relay. The parameters are those of api/signalling.md."""

    async def start_forward(self, parameters: dict[str, Any]) -> dict[str, Any]:
        return dict(await self._call(library.rc_jobs_start_forward, json.dumps(parameters).encode()))

    async def start_merge(self, parameters: dict[str, Any]) -> dict[str, Any]:
        return dict(await self._call(library.rc_jobs_start_merge, json.dumps(parameters).encode()))

    async def set_layouts(self, job_id: str, layouts: list[dict[str, Any]]) -> None:
        await self._call(library.rc_jobs_set_layouts, job_id.encode(), json.dumps(layouts).encode())

    async def stop(self, job_id: str) -> None:
        await self._call(library.rc_jobs_stop, job_id.encode())
