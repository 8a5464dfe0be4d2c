"""A peer on aiortc: raw SCTP packets over UDP on 127.0.0.1, with its data channels.

    aiortc_peer.py LOCAL_PORT REMOTE_PORT echo               returns every message on its channel
    aiortc_peer.py LOCAL_PORT REMOTE_PORT sink BYTES         prints what it took to receive so many bytes, and says "done"
    aiortc_peer.py LOCAL_PORT REMOTE_PORT source BYTES SIZE  sends so many bytes in messages of SIZE, until the other says "done"
"""

import asyncio
import json
import resource
import socket
import sys
import time

from aiortc import RTCDataChannel, RTCDataChannelParameters
from aiortc.rtcsctptransport import RTCSctpCapabilities, RTCSctpTransport


class Transport:
    """Stands in for DTLS over ICE. The role determines the numbers of channels."""

    state = "connected"

    def __init__(self, local, remote, role):
        self._role = role
        self.receiver = None
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        self.socket.bind(("127.0.0.1", local))
        self.socket.connect(("127.0.0.1", remote))
        self.socket.setblocking(False)

    def _register_data_receiver(self, receiver):
        self.receiver = receiver

    def _unregister_data_receiver(self, receiver):
        self.receiver = None

    async def _send_data(self, data):
        try:
            self.socket.send(data)
        except (BlockingIOError, ConnectionRefusedError):
            pass

    async def run(self):
        loop = asyncio.get_running_loop()
        while True:
            try:
                data = await loop.sock_recv(self.socket, 65536)
            except ConnectionRefusedError:
                continue
            if self.receiver:
                await self.receiver._handle_data(data)


def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


async def main():
    local, remote, mode = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    total = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    size = int(sys.argv[5]) if len(sys.argv) > 5 else 16384
    transport = Transport(local, remote, "client" if mode == "source" else "server")
    sctp = RTCSctpTransport(transport)
    ended = asyncio.Event()
    begun = used = None
    received = 0

    def report(count):
        print(json.dumps({"bytes": count, "seconds": round(time.monotonic() - begun, 3), "cpu": round(cpu() - used, 3)}), flush=True)

    def serve(channel):
        @channel.on("message")
        def on_message(message):
            nonlocal begun, used, received
            if mode == "echo":
                channel.send(message)
            elif mode == "sink":
                if begun is None:
                    begun, used = time.monotonic(), cpu()
                before, received = received, received + len(message)
                if before < total <= received:
                    channel.send("done")
                    report(received)
            elif message == "done":
                report(total)
                ended.set()

    sctp.on("datachannel", serve)
    receiving = asyncio.ensure_future(transport.run())
    if mode == "source":
        channel = RTCDataChannel(sctp, RTCDataChannelParameters(label="source", id=0, negotiated=True))
        serve(channel)
        opened = asyncio.Event()
        channel.on("open", opened.set)
        low = asyncio.Event()
        channel.bufferedAmountLowThreshold = 1 << 18
        channel.on("bufferedamountlow", low.set)
    elif mode == "sink":
        serve(RTCDataChannel(sctp, RTCDataChannelParameters(label="source", id=0, negotiated=True)))
    await sctp.start(RTCSctpCapabilities(maxMessageSize=65536), 5000)
    if mode == "source":
        await opened.wait()
        begun, used = time.monotonic(), cpu()
        message = bytes(size)
        for _ in range(-(-total // size)):
            channel.send(message)
            if channel.bufferedAmount > 1 << 19:
                low.clear()
                await low.wait()
    await ended.wait()
    receiving.cancel()


asyncio.run(main())
