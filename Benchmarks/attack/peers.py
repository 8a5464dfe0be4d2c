"""Shared code of the attacks: free ports, a server's memory, and the bytes that hostile peers send."""

import socket
import struct
import sys
import time

WEBSOCKET = (
    b"GET /v1/signal HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)


def frame(opcode, payload=b""):
    """A client's WebSocket frame, masked with zeros."""
    assert len(payload) < 126
    return bytes([0x80 | opcode, 0x80 | len(payload)]) + bytes(4) + payload


def chunk(kind, payload, stream=0, channel=3):
    """An RTMP message of at most 128 bytes as one chunk of type 0."""
    assert len(payload) <= 128
    head = bytes([channel]) + bytes(3) + struct.pack(">I", len(payload))[1:] + bytes([kind]) + struct.pack("<I", stream)
    return head + payload


def text(value):
    return b"\x02" + struct.pack(">H", len(value)) + value.encode()


def number(value):
    return b"\x00" + struct.pack(">d", value)


def command(name, transaction, *values, stream=0):
    return chunk(20, text(name) + number(transaction) + b"".join(values), stream)


NULL = b"\x05"
HANDSHAKE = b"\x03" + bytes(3072)
CONNECTED = HANDSHAKE + command("connect", 1, b"\x03\x00\x03app" + text("live") + b"\x00\x00\x09")


def rss(pid):
    """Resident memory in MB."""
    with open(f"/proc/{pid}/status") as status:
        for line in status:
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
    raise RuntimeError("no VmRSS")


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def wait(port, seconds=20):
    deadline = time.monotonic() + seconds
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.05)


if __name__ == "__main__":
    if sys.argv[1] == "ports":
        print(*free_ports(int(sys.argv[2])))
    else:
        for argument in sys.argv[2:]:
            wait(int(argument))
