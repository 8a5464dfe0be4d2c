"""Joins a room, publishes NumPy frames and a tone, and describes what the others send.

    pip install roomclient-*.whl
    python publish_numpy.py ws://127.0.0.1:8080/v1/signal TOKEN [SECONDS]
"""

import asyncio
import sys

import numpy as np
from numpy.typing import NDArray

import roomclient

WIDTH, HEIGHT, FPS, RATE = 320, 180, 15, 48_000


def picture(number: int) -> NDArray[np.uint8]:
    """A gradient with a bar that moves."""
    frame = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    frame[..., 0] = np.linspace(0, 255, WIDTH, dtype=np.uint8)
    frame[..., 2] = np.linspace(0, 255, HEIGHT, dtype=np.uint8)[:, np.newaxis]
    left = number * 4 % (WIDTH - 20)
    frame[:, left : left + 20] = 255
    return frame


async def send(video: roomclient.VideoTrack, audio: roomclient.AudioTrack) -> None:
    """Pushes a picture, and the sound that goes with it, FPS times a second."""
    loop = asyncio.get_running_loop()
    start, count = loop.time(), RATE // FPS
    for number in range(1_000_000):
        video.push(picture(number))
        time = (np.arange(count) + number * count) / RATE
        audio.push((6000 * np.sin(2 * np.pi * 440 * time)).astype(np.int16), RATE)
        await asyncio.sleep(max(0, start + (number + 1) / FPS - loop.time()))


async def watch(track: roomclient.RemoteTrack) -> None:
    """Describes every fifteenth picture, and every second of sound."""
    if track.kind == "video":
        number = 0
        async for frame in track.pictures():
            if number % 15 == 0:
                rgb = frame.rgb()
                print(f"{track.user_id}: {frame.width}x{frame.height}, mean colour {rgb.mean(axis=(0, 1)).round().tolist()}")
            number += 1
    else:
        samples_read, loudness = 0, 0.0
        async for samples in track.samples():
            samples_read += len(samples.data)
            loudness = max(loudness, float(np.abs(samples.data).max(initial=0)))
            if samples_read >= samples.rate:
                print(f"{track.user_id}: peak {loudness / 32768:.2f}")
                samples_read, loudness = 0, 0.0


async def follow(room: roomclient.Room, tasks: list[asyncio.Task[None]]) -> None:
    """Prints who comes and goes, and watches every track."""
    async for event in room.events():
        if event.name == "trackSubscribed":
            tasks.append(asyncio.create_task(watch(event.track)))
        elif event.name in ("joined", "left", "message"):
            print(event.name, event.data["userId"])


async def main(url: str, token: str, seconds: float) -> None:
    async with await roomclient.connect(url, token) as room:
        video = roomclient.VideoTrack(WIDTH, HEIGHT, FPS)
        audio = roomclient.AudioTrack()
        await room.publish(video, audio)
        print("published as", room.me["userId"])
        tasks = [asyncio.create_task(send(video, audio))]
        try:
            await asyncio.wait_for(follow(room, tasks), seconds)
        except asyncio.TimeoutError:
            pass
        for task in tasks:
            task.cancel()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3]) if len(sys.argv) > 3 else 10))
