"""A WHIP publisher and a WHEP player with aiortc.

    aiortc_peer.py publish URL TOKEN --video vp8|h264 [--audio HERTZ]
    aiortc_peer.py publish URL TOKEN --file PATH      sends a file's encoded H.264 as it is
    aiortc_peer.py play URL TOKEN                     prints twice a second what it decoded
"""

import argparse
import array
import asyncio
import fractions
import math
import time

import aioice.ice
import av
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCRtpSender, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer
from aiortc.mediastreams import MediaStreamError

from peer import Session, say, when_told_to_end

# aioice omits loopback, where the tests' server runs.
aioice.ice.get_host_addresses = lambda use_ipv4, use_ipv6: ["127.0.0.1"]

WIDTH, HEIGHT, RATE = 320, 180, 15
# The chroma of the published video: far from grey and from each other.
CHROMA = {"vp8": (60, 190), "h264": (200, 80)}


class Picture(MediaStreamTrack):
    """A plain colour whose brightness increases with each picture."""

    kind = "video"

    def __init__(self, chroma):
        super().__init__()
        self.chroma = chroma
        self.count = 0
        self.start = None

    async def recv(self):
        self.start = self.start or time.monotonic()
        await asyncio.sleep(max(0, self.start + self.count / RATE - time.monotonic()))
        frame = av.VideoFrame(WIDTH, HEIGHT, "yuv420p")
        levels = (40 + self.count * 4 % 160, *self.chroma)
        for plane, level in zip(frame.planes, levels):
            plane.update(bytes([level]) * plane.buffer_size)
        frame.pts = self.count * 90000 // RATE
        frame.time_base = fractions.Fraction(1, 90000)
        self.count += 1
        return frame


class Tone(MediaStreamTrack):
    kind = "audio"

    def __init__(self, frequency):
        super().__init__()
        self.frequency = frequency
        self.samples = 0
        self.start = None

    async def recv(self):
        self.start = self.start or time.monotonic()
        await asyncio.sleep(max(0, self.start + self.samples / 48000 - time.monotonic()))
        step = 2 * math.pi * self.frequency / 48000
        values = array.array("h", (int(10000 * math.sin(step * (self.samples + i))) for i in range(960)))
        frame = av.AudioFrame("s16", "mono", 960)
        frame.planes[0].update(values.tobytes())
        frame.sample_rate = 48000
        frame.pts = self.samples
        frame.time_base = fractions.Fraction(1, 48000)
        self.samples += 960
        return frame


class Seen:
    """The decoded video."""

    def __init__(self):
        self.frames = 0
        self.changes = 0
        self.size = self.colour = self.last = None

    async def watch(self, track):
        while True:
            frame = await track.recv()
            self.frames += 1
            self.size = [frame.width, frame.height]
            middle = [plane.line_size * (plane.height // 2) + plane.width // 2 for plane in frame.planes]
            levels = [bytes(plane)[at] for plane, at in zip(frame.planes, middle)]
            if self.last is not None and levels[0] != self.last:
                self.changes += 1
            self.last, self.colour = levels[0], levels


class Heard:
    """The decoded audio: its loudness, and the strength of each expected tone."""

    def __init__(self):
        self.samples = 0
        self.energy = 0.0
        self.frequency = 0

    async def listen(self, track):
        while True:
            frame = await track.recv()
            values = array.array("h", bytes(frame.planes[0])[: frame.samples * len(frame.layout.channels) * 2])
            mono = values[:: len(frame.layout.channels)]
            self.samples += len(mono)
            self.energy = math.sqrt(sum(value * value for value in mono) / max(1, len(mono))) / 32768
            # A tone crosses zero upwards once per period.
            rises = [i for i in range(1, len(mono)) if mono[i - 1] < 0 <= mono[i]]
            if len(rises) > 2:
                self.frequency = round(48000 * (len(rises) - 1) / (rises[-1] - rises[0]))


async def publish(peer, arguments):
    if arguments.file:
        player = MediaPlayer(arguments.file, decode=False)
        peer.addTrack(player.video)
        prefer(peer, "h264")
        return player
    if arguments.video:
        peer.addTrack(Picture(CHROMA[arguments.video]))
        prefer(peer, arguments.video)
    if arguments.audio:
        peer.addTrack(Tone(arguments.audio))


def prefer(peer, codec):
    for transceiver in peer.getTransceivers():
        transceiver.direction = "sendonly"
        if transceiver.kind == "video":
            capabilities = RTCRtpSender.getCapabilities("video").codecs
            transceiver.setCodecPreferences([c for c in capabilities if c.mimeType.lower() == f"video/{codec}"])


async def play(peer, seen, heard):
    peer.addTransceiver("video", direction="recvonly")
    peer.addTransceiver("audio", direction="recvonly")

    async def follow(track):
        try:
            await (seen.watch(track) if track.kind == "video" else heard.listen(track))
        except MediaStreamError:
            say(event="track ended")

    @peer.on("track")
    def on_track(track):
        asyncio.ensure_future(follow(track))


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("role", choices=["publish", "play"])
    parser.add_argument("url")
    parser.add_argument("token")
    parser.add_argument("--video")
    parser.add_argument("--audio", type=float)
    parser.add_argument("--file")
    parser.add_argument("--passive", action="store_true", help="offer only the DTLS server role, as ffmpeg's muxer does")
    arguments = parser.parse_args()

    end = asyncio.Event()
    loop = asyncio.get_running_loop()
    when_told_to_end(lambda: loop.call_soon_threadsafe(end.set))
    peer = RTCPeerConnection()
    session = Session(arguments.url, arguments.token)
    seen, heard = Seen(), Heard()

    @peer.on("connectionstatechange")
    def on_state():
        say(event="state", state=peer.connectionState)

    # Retained, because a player stops when it is released.
    source = await publish(peer, arguments) if arguments.role == "publish" else await play(peer, seen, heard)
    await peer.setLocalDescription(await peer.createOffer())
    offer = peer.localDescription.sdp
    if arguments.passive:
        offer = offer.replace("a=setup:actpass", "a=setup:passive")
    answer = await loop.run_in_executor(None, session.offer, offer)
    await peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
    while not end.is_set():
        if arguments.role == "play":
            say(
                event="decoded", frames=seen.frames, size=seen.size, colour=seen.colour, changes=seen.changes,
                samples=heard.samples, energy=heard.energy, frequency=heard.frequency,
            )
        try:
            await asyncio.wait_for(end.wait(), 0.5)
        except asyncio.TimeoutError:
            pass
    await loop.run_in_executor(None, session.end)
    await peer.close()
    del source


asyncio.run(main())
