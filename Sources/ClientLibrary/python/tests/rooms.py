"""What the tests share. ROOMCLIENT_URL is the signalling address of a server, ROOMCLIENT_TOKENS a JSON object of tokens by
"user@room", which have the grants publish, subscribe and admin. ROOMCLIENT_RTMP is the address that accepts streams,
ROOMCLIENT_FLV that which plays them."""

import asyncio
import gc
import json
import os
import time
import unittest
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, TypeVar

import roomclient
from roomclient._library import library

URL = os.environ["ROOMCLIENT_URL"]
TOKENS: dict[str, str] = json.loads(os.environ["ROOMCLIENT_TOKENS"])
RTMP, FLV = os.environ["ROOMCLIENT_RTMP"], os.environ["ROOMCLIENT_FLV"]
DEADLINE = 60
T = TypeVar("T")


async def join(name: str) -> roomclient.Room:
    return await roomclient.connect(URL, TOKENS[name], audio_levels=True)


async def event(room: roomclient.Room, matches: Callable[[roomclient.Event], bool]) -> roomclient.Event:
    async for found in room.events():
        if matches(found):
            return found
    raise AssertionError("the room has closed")


async def named(room: roomclient.Room, name: str) -> roomclient.Event:
    return await within(event(room, lambda found: found.name == name))


async def track_of(room: roomclient.Room, user: str, kind: str) -> roomclient.RemoteTrack:
    found = await within(event(room, lambda e: e.name == "trackSubscribed"
                               and e.track.user_id == user and e.track.kind == kind))
    assert isinstance(found, roomclient.events.TrackSubscribed)
    return found.track


async def within(result: Awaitable[T]) -> T:
    return await asyncio.wait_for(result, DEADLINE)


async def until(condition: Callable[[], bool]) -> None:
    async def poll() -> None:
        while not condition():
            await asyncio.sleep(0.05)

    await within(poll())


async def ended(iterator: AsyncIterator[Any]) -> None:
    """Reads what is left, up to the end."""

    async def read() -> None:
        async for _ in iterator:
            pass

    await within(read())


def assert_no_handle_is_left() -> None:
    """Fails if a test left a handle. The library itself lends some while a callback runs."""
    for _ in range(200):
        gc.collect()
        if library.rc_handle_count() == 0:
            return
        time.sleep(0.05)
    raise AssertionError(f"{library.rc_handle_count()} handles are left")


class RoomCase(unittest.IsolatedAsyncioTestCase):
    """Rooms that are left at the end, and tasks that are cancelled."""

    async def asyncSetUp(self) -> None:
        self.rooms: list[roomclient.Room] = []
        self.tasks: list[asyncio.Task[None]] = []

    async def asyncTearDown(self) -> None:
        for task in self.tasks:
            task.cancel()
        for room in self.rooms:
            await room.leave()

    async def join(self, name: str) -> roomclient.Room:
        room = await within(join(name))
        self.rooms.append(room)
        return room

    def repeat(self, step: Callable[[], object], interval: float) -> None:
        async def run() -> None:
            while True:
                step()
                await asyncio.sleep(interval)

        self.tasks.append(asyncio.create_task(run()))
