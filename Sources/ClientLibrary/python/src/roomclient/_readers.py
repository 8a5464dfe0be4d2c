from __future__ import annotations

import asyncio
import ctypes
import itertools
import weakref
from collections import deque
from collections.abc import AsyncIterator, Callable
from typing import Any, Generic, TypeVar

from . import _frames
from ._errors import RoomError, check
from ._library import Handle, OnEncoded, OnPCM, OnPicture, library, release
from ._queue import Queue

Frame = TypeVar("Frame")


class Reader(Generic[Frame]):
    """The frames of a remote track, a studio or a player: an asynchronous iterator that ends with its source.

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


def start(reader: Reader[Any], queue: Queue, read: Callable[..., int], *arguments: Any) -> None:
    """Calls a function whose last arguments are a context and a new reader, which ends with the queue."""
    number = next(_numbers)
    _readers[number] = reader
    try:
        check(read(*arguments, number, ctypes.byref(reader.handle)))
    except RoomError:
        del _readers[number]
        raise
    queue.readers.add(reader)


_numbers = itertools.count(1)
# A reader that the app no longer has is collected and releases its handle.
_readers: weakref.WeakValueDictionary[int, Reader[Any]] = weakref.WeakValueDictionary()


def _deliver(number: int, frame: Any, convert: Callable[[Any], Any]) -> None:
    reader = _readers.get(number)
    if reader is not None:
        reader.put(convert(frame.contents) if frame else None)


def _picture(context: int, _reader: int, frame: Any) -> None:
    _deliver(context, frame, _frames.picture)


on_picture = OnPicture(_picture)


def _pcm(context: int, _reader: int, frame: Any) -> None:
    _deliver(context, frame, _frames.samples)


on_pcm = OnPCM(_pcm)


def _encoded(context: int, _reader: int, frame: Any) -> None:
    _deliver(context, frame, _frames.encoded)


on_encoded = OnEncoded(_encoded)
