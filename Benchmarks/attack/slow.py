"""Opens slow HTTP connections from one address and requests /healthz from another; prints the response times."""

import argparse
import socket
import statistics
import threading
import time

from peers import rss


def ask(port):
    """Seconds until /healthz responds on a new connection; 30 if it does not."""
    begin = time.monotonic()
    try:
        with socket.create_connection(("127.0.0.1", port), 30, ("127.0.0.1", 0)) as peer:
            peer.sendall(b"GET /healthz HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n")
            if b" 200 " not in peer.recv(4096):
                raise RuntimeError("no 200")
    except TimeoutError:
        return 30
    return time.monotonic() - begin


def measure(port, until):
    answers = []
    while time.monotonic() < until or not answers:
        answers.append(ask(port) * 1000)
        time.sleep(0.02)
    return answers


class Crowd(threading.Thread):
    """Connections that each send one header byte per second, and reconnect when closed."""

    def __init__(self, port, count):
        super().__init__(daemon=True)
        self.port, self.count, self.peers, self.opened, self.is_over = port, count, [], 0, False
        self.full = threading.Event()

    def connect(self):
        peer = socket.create_connection(("127.0.0.1", self.port), 30, ("127.0.0.2", 0))
        peer.setblocking(False)
        self.opened += 1
        try:
            peer.send(b"GET / HTTP/1.1\r\nX: ")
        except OSError:
            pass
        return peer

    def run(self):
        while not self.is_over:
            begin = time.monotonic()
            kept = []
            for peer in self.peers:
                try:
                    peer.send(b"y")
                    peer.recv(1)
                except BlockingIOError:
                    kept.append(peer)
                    continue
                except OSError:
                    pass
                peer.close()
            self.peers = kept
            while len(self.peers) < self.count and not self.is_over:
                self.peers.append(self.connect())
            self.full.set()
            time.sleep(max(0, begin + 1 - time.monotonic()))


def main():
    parser = argparse.ArgumentParser()
    for name in ("pid", "http", "count"):
        parser.add_argument(f"--{name}", type=int, required=True)
    parser.add_argument("--seconds", type=float, default=8)
    arguments = parser.parse_args()
    print("| slow connections | opened in total | responses | p50 ms | p99 ms | max ms | RSS MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")

    def row(name, opened, answers):
        answers.sort()
        p99 = answers[min(len(answers) - 1, len(answers) * 99 // 100)]
        print(
            f"| {name} | {opened} | {len(answers)} | {statistics.median(answers):.1f} | {p99:.1f} | {answers[-1]:.1f} "
            f"| {rss(arguments.pid):.1f} |",
            flush=True,
        )

    row("none", 0, measure(arguments.http, time.monotonic() + 2))
    crowd = Crowd(arguments.http, arguments.count)
    crowd.start()
    coming = []
    while not crowd.full.is_set():
        coming += measure(arguments.http, 0)
    row("coming", crowd.opened, coming)
    answers = measure(arguments.http, time.monotonic() + arguments.seconds)
    row(arguments.count, crowd.opened, answers)
    crowd.is_over = True
    crowd.join()


main()
