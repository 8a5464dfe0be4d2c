from __future__ import annotations

import asyncio
import ctypes
import itertools
import json
import weakref
from collections.abc import Callable
from typing import Any

from ._errors import RoomError, check
from ._library import Handle, OnDone, OnNetwork, library, release


class Queue:
    """The library's queue on an event loop: its descriptor wakes the loop, which runs the callbacks."""

    def __init__(self) -> None:
        self.handle = Handle()
        self._users = 1
        # Readers of the queue's rooms, which end with it.
        self.readers: weakref.WeakSet[Any] = weakref.WeakSet()
        self._loop = asyncio.get_running_loop()
        check(library.rc_queue_create(ctypes.byref(self.handle)))
        self._descriptor: int = library.rc_queue_fd(self.handle)
        self._loop.add_reader(self._descriptor, library.rc_queue_dispatch, self.handle, 0)

    async def call(self, function: Callable[..., int], *arguments: Any) -> Any:
        """Calls a function whose last arguments are an rc_done and its context. Returns its decoded result."""
        number, future = expect(self._loop)
        try:
            check(function(*arguments, on_done, number))
        except BaseException:
            _expected.pop(number, None)
            raise
        return await future

    def shared(self) -> Queue:
        """Returns the queue for one more room."""
        self._users += 1
        return self

    def close(self) -> None:
        """Closes the queue with its last room."""
        self._users -= 1
        if self._users == 0:
            self._loop.remove_reader(self._descriptor)
            library.rc_queue_close(self.handle)
            release(self.handle)
            for reader in list(self.readers):
                reader.put(None)


def network_hook(decide: Callable[[str, str], bool] | None) -> Any:
    """Returns the callback that asks the app about a change of the network; none without a function."""
    if decide is None:
        return OnNetwork()
    return OnNetwork(lambda _context, before, now: bool(decide(before.decode(), now.decode())))


# The futures of unanswered calls by the context of the call. An answer always comes, at the latest when the queue closes.
_expected: dict[int, asyncio.Future[Any]] = {}
_numbers = itertools.count(1)


def expect(loop: asyncio.AbstractEventLoop) -> tuple[int, asyncio.Future[Any]]:
    """Returns the context of a new call, and the future of its answer."""
    number, future = next(_numbers), loop.create_future()
    _expected[number] = future
    return number, future


def _answered(context: int, status: int, message: bytes, result: bytes | None) -> None:
    future = _expected.pop(context, None)
    if future is None or future.done():  # The caller was cancelled.
        return
    if status != 0:
        future.set_exception(RoomError(status, message.decode()))
    else:
        future.set_result(json.loads(result) if result else None)


on_done = OnDone(_answered)
