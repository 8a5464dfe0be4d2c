"""One function for each task of docs/client-tasks.md. The program pushes a grey picture and music, and plays the stream.

    python media_tasks.py rtmp://127.0.0.1:1935/live/demo http://127.0.0.1:8080/live/demo.flv music.wav
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

import numpy as np

import roomclient


def improve(camera: roomclient.VideoTrack | roomclient.StreamingSession, title: str) -> roomclient.PictureStudio:
    """Changes the pictures of a camera: skin, a mirrored preview, a title."""
    studio = roomclient.PictureStudio()
    studio.set_beauty(smooth=0.6, whiten=0.3, redden=0.2)
    studio.set_mirror(preview=True)
    studio.set_texts(roomclient.Text(title, 16, 16, size=28))
    camera.set_studio(studio)
    return studio


async def show_preview(studio: roomclient.PictureStudio, show: Callable[[roomclient.Picture], None]) -> None:
    """Passes what the anchor sees to the app."""
    async for picture in studio.previews():
        show(picture)


def play_music(microphone: roomclient.AudioTrack | roomclient.StreamingSession, path: str) -> roomclient.SoundStudio:
    """Plays music behind a voice that has the reverberation of a large room."""
    sound = roomclient.SoundStudio()
    sound.set_effects(roomclient.Reverb.medium())
    sound.set_channel("music", gain=-12, effects=False)
    sound.play("music", path, loop=True)
    microphone.set_sound(sound)
    return sound


async def push_live(session: roomclient.StreamingSession, url: str) -> None:
    """Pushes to a live server. Pictures and sound are pushed meanwhile."""
    await session.set_switches(roomclient.StreamingSwitches(reconnect_tries=3, min_bitrate=200_000))
    await session.start(url)


async def play(url: str, show: Callable[[roomclient.Picture], None]) -> None:
    """Passes the pictures of a live stream to the app."""
    player = roomclient.StreamPlayer(url)
    try:
        async for picture in player.pictures():
            show(picture)
    finally:
        player.close()


async def main(push_url: str, play_url: str, music: str) -> None:
    previews: list[roomclient.Picture] = []
    played = asyncio.Event()
    async with roomclient.StreamingSession(320, 180, 15) as session:
        studio, sound = improve(session, "Friday evening"), play_music(session, music)

        async def feed() -> None:
            while True:
                session.push(np.full((180, 320, 3), 100, np.uint8))
                await asyncio.sleep(1 / 15)

        tasks = [asyncio.create_task(feed()), asyncio.create_task(show_preview(studio, previews.append))]
        await push_live(session, push_url)
        tasks.append(asyncio.create_task(play(play_url, lambda picture: played.set())))
        await asyncio.wait_for(played.wait(), 20)
        print(len(previews), "previews, and the stream was played")
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    studio.close()
    sound.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:4]))
