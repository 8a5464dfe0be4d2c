from __future__ import annotations

from ._library import library


class RoomError(Exception):
    """A call failed. `code` is one of the library's statuses, or the server's code, such as 10003."""

    def __init__(self, code: int, message: str) -> None:
        self.code = code
        self.name = library.rc_status_name(code).decode()
        self.message = message
        super().__init__(f"{code} {self.name}: {message}")


def check(status: int) -> None:
    """Raises the failure of a function that returns a status."""
    if status != 0:
        raise RoomError(status, library.rc_last_error().decode())
