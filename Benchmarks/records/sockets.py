"""Opens signalling sockets, joins no room, prints a line, and keeps them until it is terminated:  sockets.py PORT COUNT"""

import signal
import socket
import sys

port, count = int(sys.argv[1]), int(sys.argv[2])
peers = []
for number in range(count):
    # Several sources, because one address has only 28,000 ports.
    peer = socket.create_connection(("127.0.0.1", port), 30, (f"127.0.0.{2 + number % 16}", 0))
    peer.sendall(
        b"GET /v1/signal HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    answer = peer.recv(4096)
    if b" 101 " not in answer:
        sys.exit(f"socket {number + 1} of {count} was refused: {answer[:100]!r}")
    peers.append(peer)
print("open", flush=True)
signal.pause()
