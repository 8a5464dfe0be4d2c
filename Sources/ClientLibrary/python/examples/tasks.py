"""One function for each task of docs/client-tasks.md. The program joins, sends messages, forwards to a CDN and takes a seat.

    python tasks.py ws://127.0.0.1:8080/v1/signal TOKEN rtmp://origin/live/demo
"""

import asyncio
import json
import sys
from collections.abc import Callable

import roomclient


async def join_and_publish(url: str, token: str) -> tuple[roomclient.Room, roomclient.VideoTrack, roomclient.AudioTrack]:
    """Joins, and publishes a camera and a microphone that the app feeds."""
    room = await roomclient.connect(url, token, audio_levels=True)
    camera, microphone = roomclient.VideoTrack(368, 640, fps=24), roomclient.AudioTrack()
    await room.publish(camera, microphone)
    return room, camera, microphone


async def show_pictures(track: roomclient.RemoteTrack, show: Callable[[roomclient.Picture], None]) -> None:
    """Passes each picture of a remote track to the app."""
    async for picture in track.pictures():
        show(picture)


async def show_speaker(room: roomclient.Room, show: Callable[[str], None]) -> None:
    """Passes the user who is the loudest to the app, five times a second."""
    async for event in room.events():
        if event.levels:
            show(max(event.levels, key=lambda level: level.level).user_id)


async def speak_on_seat(room: roomclient.Room, microphone: roomclient.AudioTrack) -> None:
    """Takes the first free seat with a microphone, and leaves it."""
    index = await room.seats.take(None, microphone)
    print("on seat", index)
    await room.seats.leave()


async def talk(room: roomclient.Room) -> None:
    """Sends a message, a gift and an attribute of the room."""
    await room.messages.send("hello")
    await room.messages.gift("rose", count=3)
    await room.attributes.set(title="Friday evening")


async def invite(other: str, room: roomclient.Room) -> None:
    """Invites the anchor of another room to a PK of five minutes."""
    invitation = await room.pk.invite(other, duration=300)
    print("invited:", invitation)


async def go_on_air(room: roomclient.Room, url: str) -> None:
    """Asks the server to send this anchor to a CDN, and to stop."""
    await room.jobs.start_forward({"jobId": "live", "publishUrl": url})
    await room.jobs.stop("live")


async def report(room: roomclient.Room, checked_url: str) -> str:
    """Makes a report that the app can send to its support."""
    return json.dumps(await room.report(checked_url))


async def main(url: str, token: str, cdn: str) -> None:
    room, camera, microphone = await join_and_publish(url, token)
    async with room:
        await talk(room)
        await go_on_air(room, cdn)
        await room.seats.leave()  # The first admin who joins hosts on seat 0.
        await speak_on_seat(room, microphone)
        print("report:", await report(room, url))
    camera.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
