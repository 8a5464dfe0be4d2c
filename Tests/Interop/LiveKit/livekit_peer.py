"""A client by LiveKit's Python SDK, unmodified. Reads one command per line, and prints its state as JSON when it changes.

Usage: livekit_peer.py URL TOKEN [dynacast]
"""

import asyncio
import hashlib
import json
import random
import statistics
import sys
import time

import numpy
from livekit import rtc
from livekit.rtc._ffi_client import FfiClient
from livekit.rtc._proto import ffi_pb2 as proto_ffi

RATE = 48000


class Peer:
    def __init__(self):
        self.room = rtc.Room()
        self.events = []
        self.frames = {}
        self.widths = {}
        self.energy = {}
        self.published = {}
        self.data = []
        self.flooded = 0
        self.texts = []
        self.files = {}
        self.answers = []
        self.layers = {}
        self.encoded = []
        self.reason = None
        self.room.on("track_subscribed", self.subscribed)
        self.room.on("disconnected", self.disconnected)
        self.room.on("data_received", self.received)
        for topic in ("text", "lk.chat"):
            self.room.register_text_stream_handler(topic, lambda r, s: asyncio.ensure_future(self.read_text(r, s)))
        self.room.register_byte_stream_handler("file", lambda r, s: asyncio.ensure_future(self.read_file(r, s)))
        for name in ("reconnecting", "reconnected", "moved", "room_metadata_changed"):
            self.room.on(name, lambda *_, name=name: self.events.append(name))
        self.room.on("participant_connected", lambda p: self.events.append("joined " + p.identity))
        self.room.on("participant_disconnected", lambda p: self.events.append("left " + p.identity))
        self.room.on("active_speakers_changed", lambda s: self.note("speaks " + ",".join(p.identity for p in s)))

    def note(self, event):
        if not self.events or self.events[-1] != event:
            self.events.append(event)

    def disconnected(self, reason):
        self.reason = rtc.DisconnectReason.Name(reason)

    def subscribed(self, track, publication, participant):
        asyncio.ensure_future(self.receive(track, publication.sid))

    async def receive(self, track, sid):
        if track.kind == rtc.TrackKind.KIND_VIDEO:
            async for event in rtc.VideoStream(track):
                self.frames[sid] = self.frames.get(sid, 0) + 1
                self.widths[sid] = event.frame.width
        else:
            async for event in rtc.AudioStream(track):
                samples = numpy.frombuffer(event.frame.data, dtype=numpy.int16)
                self.energy[sid] = float(numpy.abs(samples).mean())

    async def show(self, source, width, height, rate=15):
        count = 0
        while True:
            picture = numpy.zeros((height, width, 4), numpy.uint8)
            picture[..., 1] = count * 5 % 255
            count += 1
            source.capture_frame(rtc.VideoFrame(width, height, rtc.VideoBufferType.RGBA, picture.tobytes()))
            await asyncio.sleep(1 / rate)

    async def count_layers(self, track):
        """Notes which layers are encoded, and counts the packets that were sent of each, by rid."""
        while True:
            outbound = [stats.outbound_rtp for stats in await track.get_stats() if stats.HasField("outbound_rtp")]
            self.encoded = sorted(layer.outbound.rid for layer in outbound if layer.outbound.active)
            for layer in outbound:
                self.layers[layer.outbound.rid] = layer.sent.packets_sent
            await asyncio.sleep(0.2)

    async def sound(self, source):
        count = 0
        while True:
            time = (numpy.arange(480) + count * 480) / RATE
            tone = (numpy.sin(2 * numpy.pi * 440 * time) * 12000).astype(numpy.int16)
            count += 1
            await source.capture_frame(rtc.AudioFrame(tone.tobytes(), RATE, 1, 480))

    async def publish(self, kind, width=320, height=180):
        if kind == "video":
            source = rtc.VideoSource(width, height)
            track = rtc.LocalVideoTrack.create_video_track("picture", source)
            options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_CAMERA)
            feeding = self.show(source, width, height)
        elif kind == "simulcast":
            width, height = 1280, 720
            source = rtc.VideoSource(width, height)
            track = rtc.LocalVideoTrack.create_video_track("large picture", source)
            options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_CAMERA, simulcast=True)
            feeding = self.show(source, width, height, 10)
        else:
            source = rtc.AudioSource(RATE, 1)
            track = rtc.LocalAudioTrack.create_audio_track("tone", source)
            options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
            feeding = self.sound(source)
        publication = await self.room.local_participant.publish_track(track, options)
        self.published[kind] = (publication, track, asyncio.ensure_future(feeding))
        if kind == "simulcast":
            self.counting = asyncio.ensure_future(self.count_layers(track))
        self.waiting = asyncio.ensure_future(self.wait_for_subscription(kind, publication))

    async def wait_for_subscription(self, kind, publication):
        await publication.wait_for_subscription()
        self.events.append(f"{kind} is received")

    def permit(self, *users):
        """Permits `all`, or users: `bob` all tracks, `bob:audio` one."""
        permissions = []
        for user in users:
            identity, _, kind = user.partition(":")
            sids = [self.published[kind][0].sid] if kind else []
            permissions.append(rtc.ParticipantTrackPermission(
                participant_identity=identity, allow_all=not kind, allowed_track_sids=sids))
        self.room.local_participant.set_track_subscription_permissions(
            allow_all_participants=users == ("all",), participant_permissions=[] if users == ("all",) else permissions)

    def request_publication(self, sid, field, **values):
        """Makes a call of the core for which the package has no method."""
        request = proto_ffi.FfiRequest()
        getattr(request, field).track_publication_handle = self.publication(sid)._ffi_handle.handle
        for name, value in values.items():
            setattr(getattr(request, field), name, value)
        FfiClient.instance.request(request)

    def received(self, packet):
        if packet.topic == "flood":
            self.flooded += 1
            return
        self.data.append({
            "topic": packet.topic or "",
            "text": packet.data.decode(errors="replace"),
            "sender": packet.participant.identity if packet.participant else "",
            "reliable": packet.kind == rtc.DataPacketKind.KIND_RELIABLE,
        })

    async def read_text(self, reader, sender):
        self.texts.append({"sender": sender, "text": await reader.read_all()})

    async def read_file(self, reader, sender):
        content = b"".join([chunk async for chunk in reader])
        self.note_file(sender, content)

    def note_file(self, sender, content):
        self.files[sender] = {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}

    def register(self):
        async def echo(call):
            return call.caller_identity + " " + call.payload

        async def fail(call):
            raise rtc.RpcError(777, "not today", "data of the error")

        self.room.local_participant.register_rpc_method("echo", echo)
        self.room.local_participant.register_rpc_method("fail", fail)

    async def call(self, identity, method, payload):
        return await self.room.local_participant.perform_rpc(
            destination_identity=identity, method=method, payload=payload, response_timeout=10)

    async def perform_rpc(self, identity, method, payload):
        try:
            self.answers.append({"payload": await self.call(identity, method, payload)})
        except rtc.RpcError as error:
            self.answers.append({"code": error.code, "message": error.message})

    async def send_data(self, verb, words):
        me = self.room.local_participant
        if verb == "data":
            kind, to, topic, *text = words
            await me.publish_data(
                " ".join(text), reliable=kind == "reliable", topic=topic,
                destination_identities=[] if to == "all" else to.split(","))
        elif verb == "flood":
            for _ in range(int(words[0])):
                await me.publish_data(bytes(int(words[1])), reliable=False, topic="flood")
                await asyncio.sleep(0.005)
        elif verb == "text":
            await me.send_text(" ".join(words), topic="text")
        elif verb == "chat":
            await me.send_text(" ".join(words), topic="lk.chat")
        elif verb == "file":
            content = random.Random(7).randbytes(int(words[0]))
            writer = await me.stream_bytes("file", total_size=len(content), topic="file")
            await writer.write(content)
            await writer.aclose()
            self.note_file("me", content)
        elif verb == "rpc":
            await self.perform_rpc(words[0], words[1], " ".join(words[2:]))
        elif verb == "times":
            times = []
            for _ in range(int(words[1])):
                start = time.perf_counter()
                await self.call(words[0], "echo", "x")
                times.append((time.perf_counter() - start) * 1000)
            self.answers.append({"median": statistics.median(times), "longest": max(times)})

    async def perform(self, command):
        verb, *words = command.split()
        if verb == "publish":
            await self.publish(words[0], *map(int, words[1:]))
        elif verb == "unpublish":
            publication, _, feeding = self.published.pop(words[0])
            feeding.cancel()
            await self.room.local_participant.unpublish_track(publication.sid)
        elif verb == "mute":
            self.published[words[0]][1].mute()
        elif verb == "unmute":
            self.published[words[0]][1].unmute()
        elif verb == "unsubscribe":
            self.publication(words[0]).set_subscribed(False)
        elif verb == "subscribe":
            self.publication(words[0]).set_subscribed(True)
        elif verb == "permit":
            self.permit(*words)
        elif verb == "quality":
            self.publication(words[0]).set_video_quality(rtc.VideoQuality.Value("VIDEO_QUALITY_" + words[1]))
        elif verb == "size":
            self.request_publication(
                words[0], "update_remote_track_publication_dimension", width=int(words[1]), height=int(words[2]))
        elif verb in ("enable", "disable"):
            self.request_publication(words[0], "enable_remote_track_publication", enabled=verb == "enable")
        elif verb == "attributes":
            await self.room.local_participant.set_attributes(json.loads(" ".join(words)))
        elif verb in ("data", "flood", "text", "chat", "file", "rpc", "times"):
            await self.send_data(verb, words)
        elif verb == "simulate":
            await self.room.simulate_scenario(getattr(rtc.SimulateScenarioKind, words[0]))
        elif verb == "leave":
            await self.room.disconnect()

    def publication(self, sid):
        return next(p.track_publications[sid] for p in self.room.remote_participants.values() if sid in p.track_publications)

    def track(self, publication):
        sid = publication.sid
        return {
            "name": publication.name,
            "kind": rtc.TrackKind.Name(publication.kind),
            "source": rtc.TrackSource.Name(publication.source),
            "muted": publication.muted,
            "subscribed": getattr(publication, "subscribed", False),
            "simulcast": publication.simulcasted,
            "frames": self.frames.get(sid, 0),
            "width": self.widths.get(sid, 0),
            "energy": self.energy.get(sid, 0.0),
        }

    def participant(self, participant):
        return {
            "sid": participant.sid,
            "name": participant.name,
            "metadata": participant.metadata,
            "attributes": dict(participant.attributes),
            "tracks": {sid: self.track(p) for sid, p in participant.track_publications.items()},
        }

    def state(self):
        return {
            "connected": self.room.isconnected(),
            "reason": self.reason,
            "room": self.room.name,
            "metadata": self.room.metadata,
            "me": self.participant(self.room.local_participant),
            "others": {i: self.participant(p) for i, p in self.room.remote_participants.items()},
            "events": self.events[-60:],
            "data": self.data[-50:],
            "flooded": self.flooded,
            "texts": self.texts,
            "files": self.files,
            "answers": self.answers,
            "layers": self.layers,
            "encoded": self.encoded,
        }


async def main():
    peer = Peer()
    try:
        options = rtc.RoomOptions(
            dynacast="dynacast" in sys.argv[3:], single_peer_connection="two-connections" not in sys.argv[3:])
        await peer.room.connect(sys.argv[1], sys.argv[2], options)
    except rtc.ConnectError as error:
        print(json.dumps({"failure": str(error)}), flush=True)
        return
    peer.register()
    commands = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(commands), sys.stdin)

    async def report():
        while True:
            print(json.dumps(peer.state()), flush=True)
            await asyncio.sleep(0.1)

    reporting = asyncio.ensure_future(report())
    while line := await commands.readline():
        try:
            await peer.perform(line.decode().strip())
        except Exception as error:
            peer.events.append(f"failed: {error}")
    reporting.cancel()
    await peer.room.disconnect()


asyncio.run(main())
