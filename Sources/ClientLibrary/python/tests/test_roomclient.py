"""Tests of rooms and tracks; see rooms.py."""

import asyncio
import json
import re
import unittest
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import roomclient
from numpy.typing import NDArray
from roomclient._library import FUNCTIONS
from rooms import TOKENS, URL, RoomCase, assert_no_handle_is_left, ended, event, named, track_of, until, within

HEADERS = Path(__file__).parents[2] / "C" / "include" / "roomclient"


class HeaderTests(unittest.TestCase):
    def test_package_declares_every_function_of_the_headers(self) -> None:
        names: set[str] = set()
        for header in HEADERS.glob("*.h"):
            names |= set(re.findall(r"\b(rc_\w+)\(", re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.DOTALL)))
        self.assertEqual(names, set(FUNCTIONS))


class RoomTests(RoomCase):
    async def test_invalid_token_is_refused_with_the_servers_code(self) -> None:
        with self.assertRaises(roomclient.RoomError) as caught:
            await within(roomclient.connect(URL, "not a token"))
        self.assertEqual((caught.exception.code, caught.exception.name), (10002, "tokenInvalid"))

    async def test_unreachable_server_is_reported(self) -> None:
        with self.assertRaises(roomclient.RoomError) as caught:
            await within(roomclient.connect("ws://127.0.0.1:1/v1/signal", TOKENS["ann@a"]))
        self.assertEqual(caught.exception.name, "connectFailed")

    async def test_frames_arrive_with_their_colour(self) -> None:
        ann, ben = await self.join("ann@a"), await self.join("ben@a")
        camera = roomclient.VideoTrack(160, 120, 10)
        await ann.publish(camera)
        red = np.zeros((120, 160, 3), np.uint8)
        red[..., 0] = 200
        self.repeat(lambda: camera.push(red), 0.1)
        track = await track_of(ben, "ann", "video")
        picture = await within(track.pictures().__anext__())
        self.assertEqual((picture.width, picture.height, picture.u.shape), (160, 120, (60, 80)))
        mean = picture.rgb().mean(axis=(0, 1))
        self.assertTrue(np.allclose(mean, (200, 0, 0), atol=8), mean)
        self.assertEqual(track.info["tag"], "camera")

    async def test_sound_arrives_with_its_pitch(self) -> None:
        ann, ben = await self.join("ann@b"), await self.join("ben@b")
        microphone = roomclient.AudioTrack()
        await ann.publish(microphone)
        # 16 kHz, which the library converts.
        second = (8000 * np.sin(2 * np.pi * 1000 * np.arange(16000) / 16000)).astype(np.int16)
        self.repeat(lambda: microphone.push(second[:1600], 16000), 0.1)
        latest: NDArray[np.int16] = np.zeros(9600, np.int16)
        reader = (await track_of(ben, "ann", "audio")).samples()
        # The first samples are silent, and a late push leaves a gap.
        while np.abs(latest).max() < 4000 or abs(int(np.abs(np.fft.rfft(latest)).argmax()) * 5 - 1000) > 5:
            samples = await within(reader.__anext__())
            self.assertEqual((samples.rate, samples.data.shape[1]), (48000, 1))
            latest = np.append(latest, samples.data[:, 0])[-9600:]
        reader.close()

    async def test_encoded_frames_pass_through_another_client(self) -> None:
        ann, ben = await self.join("ann@c"), await self.join("ben@c")
        picture = roomclient.TestPicture(160, 120, 10)
        await ann.publish(picture)
        copy = roomclient.EncodedVideoTrack(160, 120, 10, tag="copy")
        await ben.publish(copy)

        async def forward(reader: AsyncIterator[roomclient.EncodedFrame], source: roomclient.RemoteTrack) -> None:
            async for frame in reader:
                if not copy.send(frame):
                    source.request_key_frame()

        source = await track_of(ben, "ann", "video")
        self.tasks.append(asyncio.create_task(forward(source.encoded(), source)))
        returned = await track_of(ann, "ben", "video")
        shown = await within(returned.pictures().__anext__())
        self.assertEqual((shown.width, shown.height), (160, 120))

    async def test_slow_reader_loses_the_oldest_frames_and_counts_them(self) -> None:
        ann, ben = await self.join("ann@d"), await self.join("ben@d")
        await ann.publish(roomclient_tone := roomclient.Tone(440))
        reader = (await track_of(ben, "ann", "audio")).samples(backlog=2)
        await until(lambda: reader.dropped > 3)
        first = await within(reader.__anext__())
        second = await within(reader.__anext__())
        self.assertGreater(first.time_us, 0)
        self.assertGreater(second.time_us, first.time_us)
        roomclient_tone.close()

    async def test_pk_of_two_rooms(self) -> None:
        ann, ben = await self.join("ann@e"), await self.join("ben@f")
        pk = await within(ann.pk.invite("f", duration=600))
        for room in (ann, ben):
            invitation = await named(room, "pkInvited")
            assert isinstance(invitation, roomclient.events.PKInvited)
            self.assertEqual((invitation.pk_id, invitation.by, invitation.from_room), (pk, "ann", ann.name))
            self.assertEqual(invitation.to_room, ben.name)
        await within(ben.pk.accept(pk))
        self.assertEqual((await named(ann, "pkBegan")).data["userId"], "ben")
        await within(ann.pk.set_score(7))
        await within(event(ben, lambda e: e.name == "pkChanged" and e.data["peerScore"] == 7))
        await within(ben.pk.quit())
        self.assertEqual((await named(ann, "pkEnded")).data["score"], 7)
        with self.assertRaises(roomclient.RoomError) as caught:
            await within(ann.pk.quit())
        self.assertEqual(caught.exception.name, "roomNotInPK")

    async def test_seats_messages_and_attributes(self) -> None:
        ann, ben = await self.join("ann@g"), await self.join("ben@g")
        await within(ann.attributes.set(title="Friday", round="1"))
        await within(ann.attributes.remove("round"))
        await until(lambda: ben.snapshot["attributes"] == {"title": "Friday"})
        await within(ben.seats.request())
        self.assertEqual((await named(ann, "seatRequested")).data["userId"], "ben")
        index = await within(ann.seats.accept("ben"))
        self.assertGreater(index, 0)
        await within(ann.seats.set(index, muted=True))
        await until(lambda: bool(ben.snapshot["seats"][index].get("muted")))
        sent = await within(ben.messages.send("你好 👋"))
        received = await named(ann, "message")
        self.assertEqual((received.data["text"], received.data["seq"]), ("你好 👋", sent["seq"]))
        await within(ann.messages.custom("poll", {"options": ["yes", "no"]}, to="ben"))
        custom = await within(event(ben, lambda e: e.name == "message" and e.data["kind"] == "custom"))
        self.assertEqual(json.loads(custom.data["data"]), {"options": ["yes", "no"]})
        await within(ann.kick("ben"))
        await until(lambda: ben.state["state"] == "closed")
        self.assertEqual(ben.state, {"state": "closed", "reason": "kickedOut", "by": "ann"})

    async def test_calls_reach_the_room_in_their_order(self) -> None:
        for name in ("ann@p", "ben@p"):
            room = await self.join(name)
            # As many as the server permits in a second.
            sent = await within(asyncio.gather(*(room.messages.send(str(number)) for number in range(10))))
            self.assertEqual([message["seq"] - sent[0]["seq"] for message in sent], list(range(10)))

    async def test_wrong_arguments_raise(self) -> None:
        camera = roomclient.VideoTrack(160, 120)
        with self.assertRaises(ValueError):
            camera.push(np.zeros((120, 160), np.uint8))
        with self.assertRaises(roomclient.RoomError):
            roomclient.VideoTrack(0, 120)
        with self.assertRaises(UnicodeEncodeError):
            room = await self.join("ann@h")
            await room.messages.send("\ud800")

    async def test_limits_report_and_network_check(self) -> None:
        room = await self.join("ann@j")
        self.assertGreaterEqual(room.limits["tracksPerParticipant"], 1)
        await within(room.set_statistics(0.2))
        await named(room, "statistics")
        report = await within(room.report(URL))
        self.assertEqual((report["room"]["room"], report["room"]["user"]), ("j", "ann"))
        self.assertEqual([step["step"] for step in report["network"]["steps"]], ["name", "tcp", "webSocket"])
        self.assertNotIn(TOKENS["ann@j"], json.dumps(report))
        self.assertTrue((await within(roomclient.check_network(URL)))["passed"])
        self.assertFalse((await within(roomclient.check_network("ws://127.0.0.1:1/v1/signal")))["passed"])

    async def test_admin_edits_the_composition_of_the_stage(self) -> None:
        ann, ben = await self.join("ann@o"), await self.join("ben@o")
        compositions: list[int] = []

        def edit(composition: dict[str, Any]) -> dict[str, Any]:
            compositions.append(len(composition["layouts"]))
            composition["texts"] = [{"text": "Friday", "x": 10, "y": 10}]
            return composition

        with self.assertRaises(roomclient.RoomError) as caught:
            await within(ann.edit_stage(edit, deadline=9))
        self.assertEqual(caught.exception.name, "invalidArgument")
        await within(ann.edit_stage(edit, deadline=2))
        camera, guest = roomclient.TestPicture(160, 120, 10), roomclient.TestPicture(160, 120, 10)
        await within(ann.publish(camera))
        await within(ben.seats.take(None, guest))
        await until(lambda: 2 in compositions)
        await within(ann.stop_editing_stage())
        count = len(compositions)
        await within(ben.seats.leave())
        await within(ben.seats.take(None, guest))
        self.assertEqual(len(compositions), count)

    async def test_simulcast_and_kinds(self) -> None:
        ann, ben = await self.join("ann@k"), await self.join("ben@k")
        camera, tone = roomclient.SimulcastTrack(320, 240, 10, layers=3), roomclient.Tone(440)
        await within(ann.publish(camera, tone))
        self.repeat(lambda: camera.push(np.full((240, 320, 3), 90, np.uint8)), 0.1)
        track = await track_of(ben, "ann", "video")
        reader = track.pictures()
        while (await within(reader.__anext__())).width != 320:
            pass
        await within(track.set_reception(max_width=160, max_height=120))
        while (await within(reader.__anext__())).width != 160:
            pass
        await within(ann.mute_kind("audio"))
        await within(event(ben, lambda e: e.name == "muteChanged" and e.data["trackId"] == tone.id))
        await within(ann.unpublish_kind("video"))
        await named(ben, "unpublished")
        await within(ben.seats.request())
        self.assertEqual([request["userId"] for request in await within(ann.seats.requests())], ["ben"])

    async def test_events_and_readers_end_with_the_room(self) -> None:
        ann, ben = await self.join("ann@i"), await self.join("ben@i")
        tone = roomclient.Tone(440)
        await ann.publish(tone)
        reader = (await track_of(ben, "ann", "audio")).samples()
        await ben.leave()
        await ben.leave()

        await ended(reader)
        await ended(ben.events())


def tearDownModule() -> None:
    assert_no_handle_is_left()


if __name__ == "__main__":
    unittest.main()
