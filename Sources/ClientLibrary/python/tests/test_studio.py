"""Tests of the studios, streaming sessions and players; see rooms.py."""

import asyncio
import tempfile
import unittest
import wave
from pathlib import Path

import numpy as np
import roomclient
from numpy.typing import NDArray
from rooms import FLV, RTMP, RoomCase, assert_no_handle_is_left, ended, track_of, until, within

Pixels = NDArray[np.uint8]


def halves() -> Pixels:
    """Dark on the left, bright on the right."""
    picture = np.full((120, 160, 3), 40, np.uint8)
    picture[:, 80:] = 220
    return picture


def sides(picture: roomclient.Picture) -> tuple[float, float]:
    """The mean luma of the left and the right half."""
    middle = picture.width // 2
    return float(picture.y[:, :middle].mean()), float(picture.y[:, middle:].mean())


def tone(frequency: float, count: int, start: int = 0) -> NDArray[np.int16]:
    return (6000 * np.sin(2 * np.pi * frequency * (np.arange(count) + start) / 48_000)).astype(np.int16)


class PictureStudioTests(RoomCase):
    async def test_peer_sees_the_changed_picture_and_the_anchor_a_preview(self) -> None:
        ann, ben = await self.join("ann@l"), await self.join("ben@l")
        studio, camera = roomclient.PictureStudio(), roomclient.VideoTrack(160, 120, 10, profile="main")
        camera.set_studio(studio)
        self.assertIsNone(studio.snapshot())
        await within(ann.publish(camera))
        self.repeat(lambda: camera.push(halves()), 0.1)
        seen = [(0.0, 0.0)]
        reader = (await track_of(ben, "ann", "video")).pictures()

        async def watch() -> None:
            async for picture in reader:
                seen.append(sides(picture))

        self.tasks.append(asyncio.create_task(watch()))
        await until(lambda: seen[-1][1] - seen[-1][0] > 80)
        studio.set_mirror(stream=True)
        previews = studio.previews()
        await until(lambda: seen[-1][0] - seen[-1][1] > 80)
        left, right = sides(await within(previews.__anext__()))
        self.assertGreater(right, left)
        studio.set_mirror()
        await until(lambda: seen[-1][1] - seen[-1][0] > 80)

        file = studio.snapshot("png")
        assert file
        self.assertTrue(file.startswith(b"\x89PNG"))
        logo = roomclient.Sticker(file, 80, 0, width=160, height=120)
        studio.set_watermark(logo)  # Its dark half covers the bright one.
        await until(lambda: max(seen[-1]) < 80)
        studio.set_watermark(None)
        text = roomclient.Text("MMMM", 0, 30, size=60, outline_width=0)
        studio.set_texts(text)
        await until(lambda: seen[-1][0] > 70)
        studio.set_texts()

        drawn: list[int] = []

        def draw(picture: roomclient.Picture) -> None:
            picture.y[:] = 130
            drawn.append(picture.width)

        studio.set_on_frame(draw)
        await until(lambda: abs(seen[-1][0] - 130) < 8 and abs(seen[-1][1] - 130) < 8)
        self.assertEqual(drawn[0], 160)
        studio.set_on_frame(None)
        studio.set_filter(b"LUT_3D_SIZE 2\n1 1 1\n0 1 1\n1 0 1\n0 0 1\n1 1 0\n0 1 0\n1 0 0\n0 0 0\n")
        await until(lambda: seen[-1][0] - seen[-1][1] > 80)
        with self.assertRaises(roomclient.RoomError):
            studio.set_beauty(smooth=2)
        camera.reconfigure(80, 60, 10)
        studio.close()
        await ended(previews)
        for closed in (logo, text, camera):
            closed.close()


class SoundStudioTests(RoomCase):
    async def test_peer_hears_the_mix(self) -> None:
        ann, ben = await self.join("ann@m"), await self.join("ben@m")
        sound, microphone = roomclient.SoundStudio(), roomclient.AudioTrack()
        microphone.set_sound(sound)
        await within(ann.publish(microphone))
        count = 0

        def speak() -> None:
            nonlocal count
            sound.push("voice", tone(500, 960, count))
            count += 960

        self.repeat(speak, 0.02)
        latest: NDArray[np.int16] = np.zeros(24_000, np.int16)
        reader = (await track_of(ben, "ann", "audio")).samples()

        async def listen() -> None:
            async for samples in reader:
                latest[:] = np.append(latest, samples.data[:, 0])[-len(latest) :]

        self.tasks.append(asyncio.create_task(listen()))

        def amplitude(frequency: float) -> float:
            wave = np.exp(-2j * np.pi * frequency * np.arange(len(latest)) / 48_000)
            return float(abs(np.dot(latest, wave))) * 2 / len(latest)

        await until(lambda: amplitude(500) > 2000 > amplitude(2000))
        await until(lambda: sound.level("voice").peak > 0.1)
        files: list[str | None] = []
        with tempfile.TemporaryDirectory() as folder:
            path = str(Path(folder) / "music.wav")
            with wave.open(path, "wb") as file:
                file.setparams((1, 2, 48_000, 0, "NONE", ""))
                file.writeframes(tone(2000, 48_000).tobytes())
            sound.play("music", path, loop=True, on_file=files.append)
            await until(lambda: amplitude(500) > 2000 and amplitude(2000) > 2000 and files[:2] == [path, path])
            sound.set_channel("music", muted=True)
            sound.set_effects(roomclient.Pitch(12))
            await until(lambda: amplitude(1000) > 2000 and amplitude(500) < 500 and amplitude(2000) < 500)
            sound.set_effects(roomclient.Reverb.medium(), roomclient.Echo(), roomclient.Gain(-3))
            sound.set_ear("dry")
            ear = sound.samples(ear=True)
            self.assertEqual((await within(ear.__anext__())).data.shape, (960, 2))
            sound.play("music", path, on_file=files.append)
            await until(lambda: files[-1] is None)
        with self.assertRaises(roomclient.RoomError) as caught:
            sound.play("music", "/no/such/file")
        self.assertEqual(caught.exception.name, "fileFailed")
        sound.set_voice(channel="voice")
        sound.clear_voice()
        sound.close()
        microphone.close()


class StreamingTests(RoomCase):
    async def test_session_pushes_what_a_player_plays(self) -> None:
        switches = roomclient.StreamingSwitches(status_interval=0.3)
        asked: list[str] = []

        def resolve(host: str) -> list[str]:
            asked.append(host)
            return ["127.0.0.1"]

        async with roomclient.StreamingSession(
            160, 120, 12, profile="main", switches=switches, resolve=resolve, on_network=lambda before, now: True
        ) as session:
            studio = roomclient.PictureStudio()
            studio.set_mirror(stream=True)
            session.set_studio(studio)
            self.assertEqual(session.state, "unknown")
            with self.assertRaises(roomclient.RoomError) as caught:
                await within(session.start("rtmp://127.0.0.1:1/live/x"))
            self.assertEqual(caught.exception.name, "connectFailed")
            self.repeat(lambda: session.push(halves()), 1 / 12)
            self.repeat(lambda: session.push_samples(tone(500, 4000)), 1 / 12)
            await within(session.start(RTMP.replace("127.0.0.1", "live.example") + "/live/python"))
            self.assertEqual(asked, ["live.example"])
            events: list[roomclient.StreamingEvent] = []

            async def follow() -> None:
                async for event in session.events():
                    events.append(event)

            following = asyncio.create_task(follow())
            await until(lambda: any(e.status and e.status.video_fps > 6 and e.status.audio_fps > 20 for e in events))

            player = roomclient.StreamPlayer(FLV + "/live/python.flv")
            pictures, samples = player.pictures(), player.samples()
            left, right = sides(await within(pictures.__anext__()))
            self.assertGreater(left - right, 80)
            self.assertEqual((await within(samples.__anext__())).rate, 48_000)
            self.assertEqual(player.statistics["audioCodec"], "AAC")
            await within(session.reconfigure(128, 96, 12))
            while (await within(pictures.__anext__())).width != 128:
                pass
            await within(session.set_switches(roomclient.StreamingSwitches(reconnect_tries=3, status_interval=0.3)))
            await within(session.restart())
            await until(lambda: any(e.status and e.status.connections == 2 for e in events))
            player.close()
            await within(session.stop())
            await ended(samples)
        await within(following)
        changes = [event for event in events if event.status is None]
        states = [event.state for event in changes]
        self.assertEqual(states[:2], ["connecting", "error"])
        self.assertEqual(states[-2:], ["disconnecting", "disconnected"])
        self.assertEqual(str(changes[1].failure and changes[1].failure.name), "connectFailed")
        studio.close()

    async def test_mix_shows_a_participant_in_the_push(self) -> None:
        ann, ben = await self.join("ann@n"), await self.join("ben@n")
        guest = roomclient.VideoTrack(160, 120, 10)
        await within(ben.publish(guest))
        self.repeat(lambda: guest.push(np.full((120, 160, 3), 230, np.uint8)), 0.1)
        track = await track_of(ann, "ben", "video")
        async with roomclient.StreamingSession(160, 120, 12, audio=False) as session:
            session.set_mix(roomclient.Mix(
                160, 120, camera=(0, 0, 80, 120), pictures=[roomclient.Placement(track, 80, 0, 80, 120)]))
            self.repeat(lambda: session.push(np.full((120, 160, 3), 30, np.uint8)), 1 / 12)
            await within(session.start(RTMP + "/live/mix"))
            player = roomclient.StreamPlayer(FLV + "/live/mix.flv")
            async for picture in player.pictures():
                left, right = sides(picture)
                if left < 60 and right > 180:
                    break
            session.set_mix(None)
            player.close()
        guest.close()


def tearDownModule() -> None:
    assert_no_handle_is_left()


if __name__ == "__main__":
    unittest.main()
