from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any, Literal

from . import _frames
from ._errors import check
from ._frames import Picture
from ._library import CI420, Handle, OnFrame, TextOptions, library, release
from ._queue import Queue
from ._readers import Reader, on_picture, start

_DROPPED = 20


class Overlay:
    """A picture that a studio draws above others: a Sticker or a Text."""

    def __init__(self, create: Callable[..., int], *arguments: Any) -> None:
        self.handle = Handle()
        check(create(*arguments, ctypes.byref(self.handle)))

    def move(self, x: int, y: int) -> None:
        """Changes the place, for the studios that get the overlay next."""
        check(library.rc_overlay_move(self.handle, x, y))

    def close(self) -> None:
        """Releases the overlay. Studios that have it keep it."""
        release(self.handle)

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            release(self.handle)


class Sticker(Overlay):
    """The picture of a PNG or JPEG file, at most 4 MiB.

    x, y:          the left and top edge in pixels of the result.
    width, height: in pixels; 0 keeps the aspect ratio, or the file's own size.
    opacity:       0...1.
    """

    def __init__(self, file: bytes, x: int, y: int, *, width: int = 0, height: int = 0, opacity: float = 1) -> None:
        super().__init__(library.rc_overlay_create_picture, file, len(file), x, y, width, height, opacity)


class Text(Overlay):
    """One line of at most 64 characters. Colours are 0xRRGGBB; size, outline and width are in pixels.

    font: the path of a font file; None for DejaVu Sans, and a Chinese font if installed.
    """

    def __init__(
        self, text: str, x: int, y: int, *, size: int = 32, colour: int = 0xFFFFFF, outline: int = 0, outline_width: int = 2,
        max_width: int = 0, font: str | None = None,
    ) -> None:
        options = TextOptions(
            ctypes.sizeof(TextOptions), size, colour, outline, outline_width, max_width, font.encode() if font else None)
        super().__init__(library.rc_overlay_create_text, text.encode(), x, y, ctypes.byref(options))


class PictureStudio:
    """Changes pictures before they are encoded: of a track by set_studio(), or of a StreamingSession.

    A setting applies from the next picture on. Close it, also to end the readers of its preview.
    """

    def __init__(self) -> None:
        self.handle = Handle()
        self._queue: Queue | None = None
        self._on_frame: Any = None
        check(library.rc_studio_create(ctypes.byref(self.handle)))

    def set_size(self, width: int, height: int, fill: Literal["crop", "bars", "stretch"] = "crop") -> None:
        """Sets the size of the pictures; 0 and 0 keep the size as pushed."""
        check(library.rc_studio_set_size(self.handle, width, height, ("crop", "bars", "stretch").index(fill)))

    def set_full_range(self, full: bool = True) -> None:
        """Sets whether the pushed values are 0...255, and not 16...235."""
        check(library.rc_studio_set_full_range(self.handle, full))

    def set_mirror(self, *, stream: bool = False, preview: bool = False) -> None:
        check(library.rc_studio_set_mirror(self.handle, stream, preview))

    def set_beauty(self, *, smooth: float = 0, whiten: float = 0, redden: float = 0) -> None:
        """Makes skin smoother, lighter and redder; each 0...1, all 0 for off."""
        check(library.rc_studio_set_beauty(self.handle, smooth, whiten, redden))

    def set_filter(self, file: bytes | None, strength: float = 1) -> None:
        """Applies a lookup table: the bytes of a .cube file, or of a PNG of 512x512 squares or HALD. None for none."""
        check(library.rc_studio_set_filter(self.handle, file, len(file) if file else 0, strength))

    def set_filter_strength(self, strength: float) -> None:
        check(library.rc_studio_set_filter_strength(self.handle, strength))

    def set_stickers(self, *overlays: Overlay) -> None:
        """Replaces the stickers, at most 32."""
        check(library.rc_studio_set_stickers(self.handle, *_overlays(overlays)))

    def set_texts(self, *overlays: Overlay) -> None:
        """Replaces the texts, at most 32."""
        check(library.rc_studio_set_texts(self.handle, *_overlays(overlays)))

    def set_watermark(self, overlay: Overlay | None) -> None:
        """Sets the topmost overlay; None clears it."""
        check(library.rc_studio_set_watermark(self.handle, overlay.handle if overlay else None))

    def set_on_frame(self, change: Callable[[Picture], None] | None) -> None:
        """Lets the app change each picture in place: the planes are the picture's own memory, until the call returns.

        Unlike all else it is called on the thread that encodes, which waits for it.
        """

        def on_frame(_context: int, frame: Any) -> None:
            if change:
                change(_frames.shared_picture(frame.contents))

        callback = OnFrame(on_frame) if change else OnFrame()
        check(library.rc_studio_set_on_frame(self.handle, callback, None))
        # The callback before is released only now that it cannot run.
        self._on_frame = callback

    def snapshot(self, format: Literal["png", "jpeg"] = "png", *, preview: bool = False) -> bytes | None:
        """Returns the last picture as a file; None before the first."""
        file, size = ctypes.c_void_p(), ctypes.c_size_t()
        status = library.rc_studio_snapshot(
            self.handle, preview, ("png", "jpeg").index(format), ctypes.byref(file), ctypes.byref(size))
        if status == _DROPPED:
            return None
        check(status)
        try:
            return ctypes.string_at(file.value or 0, size.value)
        finally:
            library.rc_bytes_free(file)

    def previews(self, backlog: int = 2) -> Reader[Picture]:
        """Returns the pictures for the anchor's own screen, on the running event loop."""
        self._queue = self._queue or Queue()
        reader: Reader[Picture] = Reader(backlog)
        start(reader, self._queue, library.rc_studio_read_preview, self.handle, self._queue.handle, on_picture)
        return reader

    def close(self) -> None:
        """Releases the studio. Tracks that use it keep it, without the app's callback."""
        release(self.handle)
        if self._queue:
            self._queue.close()
            self._queue = None

    def __del__(self) -> None:
        if "handle" in self.__dict__:
            release(self.handle)


def _overlays(overlays: tuple[Overlay, ...]) -> tuple[Any, int]:
    return (ctypes.c_void_p * len(overlays))(*(overlay.handle.value for overlay in overlays)), len(overlays)
