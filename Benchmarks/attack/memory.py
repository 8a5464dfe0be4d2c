"""Floods a server from one connection that never reads, once for each kind of message, and prints how its memory grows."""

import argparse
import select
import socket
import time

from peers import CONNECTED, NULL, WEBSOCKET, chunk, command, frame, rss, text

FLOODS = [
    ("WebSocket pings", "http", WEBSOCKET, frame(9)),
    ("WebSocket pings of 125 bytes", "http", WEBSOCKET, frame(9, bytes(125))),
    ("signalling `ping`, before `join`", "http", WEBSOCKET, frame(1, b'{"id":1,"method":"ping"}')),
    ("RTMP `createStream`", "rtmp", CONNECTED, command("createStream", 2, NULL)),
    ("RTMP unknown command", "rtmp", CONNECTED, command("x", 2, NULL)),
    ("RTMP `play` without a name", "rtmp", CONNECTED + command("createStream", 2, NULL), command("play", 0, NULL, text(""), stream=1)),
    ("RTMP PingRequest", "rtmp", CONNECTED, chunk(4, b"\x00\x06" + bytes(4), channel=2)),
]


def flood(port, beginning, pattern, seconds, pid):
    """Returns the bytes that the server read, its peak memory, and how long the connection was open."""
    peer = socket.create_connection(("127.0.0.1", port))
    peer.sendall(beginning)
    peer.setblocking(False)
    block = memoryview(pattern * max(1, 65536 // len(pattern)))
    rest, sent, largest = block, 0, 0
    begin = look = time.monotonic()
    while (now := time.monotonic()) < begin + seconds:
        if now >= look:
            largest = max(largest, rss(pid))
            look = now + 0.1
        if not select.select([], [peer], [], 0.1)[1]:
            continue
        try:
            count = peer.send(rest)
        except BlockingIOError:
            continue
        except OSError:
            break
        sent += count
        rest = rest[count:] if count < len(rest) else block
    lasted = time.monotonic() - begin
    largest = max(largest, rss(pid))
    peer.close()
    return sent, largest, lasted


def main():
    parser = argparse.ArgumentParser()
    for name in ("pid", "http", "rtmp"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=8)
    arguments = parser.parse_args()
    ports = {"http": arguments.http, "rtmp": arguments.rtmp}
    print("| sent repeatedly | MB read | open for s | RSS before MB | largest MB | after MB | growth MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for name, kind, beginning, pattern in FLOODS:
        # The one-time cost of the first connection of a kind is not part of the flood's.
        flood(ports[kind], beginning, pattern, 0.2, arguments.pid)
        time.sleep(0.5)
        before = rss(arguments.pid)
        sent, largest, lasted = flood(ports[kind], beginning, pattern, arguments.seconds, arguments.pid)
        time.sleep(1)
        after = rss(arguments.pid)
        print(
            f"| {name} | {sent / 1e6:.1f} | {lasted:.1f} | {before:.1f} | {largest:.1f} | {after:.1f} | {largest - before:.1f} |",
            flush=True,
        )


main()
