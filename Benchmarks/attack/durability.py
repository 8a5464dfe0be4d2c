#!/usr/bin/env python3
"""Checks durability: kills a server right after its response, and counts lost changes.

    python3 Benchmarks/attack/durability.py --program .build/release/roomserver [--kills 100] [--seconds 5]

Each kill is SIGKILL in the moment in which the answer to one change is read: rooms made and closed, kicks, attributes, seats,
messages, PK scores, jobs begun and stopped, over REST and over signalling in turn. The server is then started again on its data
directory, and asked for the change. Before that, what acknowledged changes cost: calls a second and the 99th percentile of their time,
with one caller and with many, in one room and in many.

Python's standard library alone. The exit code is 1 if anything was lost.
"""
import argparse
import asyncio
import base64
import hashlib
import hmac
import json
import os
import re
import shutil
import signal
import sys
import tempfile
import time

KEY, SECRET = 'durability', 'a secret of a benchmark, of at least 32 bytes'
ALL = ['publish', 'subscribe', 'admin', 'relay']


def token(**claims):
    """A JWT (HS256)."""
    def part(data):
        return base64.urlsafe_b64encode(data).rstrip(b'=')
    claims.setdefault('exp', int(time.time()) + 3600)
    head = part(json.dumps({'alg': 'HS256', 'typ': 'JWT', 'kid': KEY}).encode())
    signed = head + b'.' + part(json.dumps({'iss': KEY, **claims}).encode())
    return (signed + b'.' + part(hmac.new(SECRET.encode(), signed, hashlib.sha256).digest())).decode()


class Server:
    """The server as a process, on a free port."""

    def __init__(self, program, data, extra):
        self.command = [program, 'serve', '--dev', '--port', '0', '--key', KEY, '--secret', SECRET, '--workers', '1',
                        '--joins-per-second', '10000', *extra] + (['--data', data] if data else [])

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT)
        seen = []
        while line := await asyncio.wait_for(self.process.stdout.readline(), 30):
            seen.append(line.decode())
            if found := re.search(r'ws://127\.0\.0\.1:(\d+)/v1/signal', seen[-1]):
                self.port = int(found[1])
                self.reading = asyncio.create_task(self.drain())
                return self
        raise SystemExit('the server does not start:\n' + ''.join(seen))

    async def drain(self):
        while await self.process.stdout.readline():
            pass

    async def kill(self):
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGKILL)
        await self.process.wait()
        await self.reading


class Rest:
    """One persistent connection to the REST API."""

    def __init__(self, port):
        self.port, self.reader = port, None
        self.bearer = token(api=True)

    async def call(self, method, path, body=None):
        if self.reader is None:
            self.reader, self.writer = await asyncio.open_connection('127.0.0.1', self.port)
        data = b'' if body is None else json.dumps(body).encode()
        head = f'{method} {path} HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer {self.bearer}\r\n'
        if body is not None:
            head += f'Content-Type: application/json\r\nContent-Length: {len(data)}\r\n'
        self.writer.write(head.encode() + b'\r\n' + data)
        head = (await self.reader.readuntil(b'\r\n\r\n')).decode('latin-1')
        length = re.search(r'(?im)^content-length: *(\d+)', head)
        data = await self.reader.readexactly(int(length[1])) if length else b''
        return int(head.split(' ', 2)[1]), json.loads(data) if data else None

    def close(self):
        if self.reader:
            self.writer.close()


class Socket:
    """A signalling socket that has joined."""

    async def join(self, port, text):
        self.reader, self.writer = await asyncio.open_connection('127.0.0.1', port)
        self.writer.write(
            b'GET /v1/signal HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n'
            b'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n')
        await self.reader.readuntil(b'\r\n\r\n')
        self.last, self.answers = 0, {}
        self.reading = asyncio.create_task(self.read())
        answer = await self.call('join', {'token': text, 'version': 1, 'autoSubscribe': False})
        if 'error' in answer:
            raise PermissionError(answer['error'])
        return self

    async def read(self):
        try:
            while True:
                first, length = await self.reader.readexactly(2)
                if length >= 126:
                    length = int.from_bytes(await self.reader.readexactly(2 if length == 126 else 8), 'big')
                data = await self.reader.readexactly(length)
                if first & 15 == 9:
                    self.send(10, data)
                elif first & 15 == 8:
                    break
                elif first & 15 == 1:
                    message = json.loads(data)
                    if 'event' not in message and (waiting := self.answers.pop(message.get('id'), None)):
                        waiting.set_result(message)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        for waiting in self.answers.values():
            waiting.cancel()

    def send(self, opcode, data):
        size = bytes([128 | len(data)]) if len(data) < 126 else b'\xfe' + len(data).to_bytes(2, 'big')
        # A mask of zeros is valid.
        self.writer.write(bytes([128 | opcode]) + size + b'\0\0\0\0' + data)

    async def call(self, method, params=None):
        self.last += 1
        waiting = self.answers[self.last] = asyncio.get_running_loop().create_future()
        self.send(1, json.dumps({'id': self.last, 'method': method, 'params': params or {}}).encode())
        return await waiting

    async def close(self):
        self.writer.close()
        await self.reading


async def eventually(what, ask):
    deadline = time.monotonic() + 15
    while time.monotonic() < deadline:
        if found := await ask():
            return found
        await asyncio.sleep(0.02)
    raise SystemExit(f'not within 15 s: {what}')


# --- Kills ---------------------------------------------------------------------------------------------------------------------


class Scene:
    """Two rooms in a PK, with their hosts, a participant to kick and a job to stop."""

    def __init__(self, server, number):
        self.server, self.number, self.rest = server, number, Rest(server.port)
        self.eve = token(room='a', sub='eve', grants=['subscribe'], jti=f'eve{number}')
        self.sockets = []

    async def ok(self, method, path, body=None):
        status, answer = await self.rest.call(method, path, body)
        if status >= 300:
            raise SystemExit(f'{method} {path}: {status} {answer}')
        return answer

    async def said(self, socket, method, params=None):
        answer = await socket.call(method, params)
        if 'error' in answer:
            raise SystemExit(f'{method}: {answer["error"]}')
        return answer.get('result')

    async def join(self, room, user, grants=ALL):
        text = self.eve if user == 'eve' else token(room=room, sub=user, grants=grants)
        self.sockets.append(await Socket().join(self.server.port, text))
        return self.sockets[-1]

    async def state(self, room='a'):
        return await self.ok('GET', f'/v1/rooms/{room}/state')

    async def prepare(self):
        for room in ['a', 'b', 'old']:
            await self.ok('POST', '/v1/rooms', {'name': room})
        self.ann, self.bob = await self.join('a', 'ann'), await self.join('b', 'bob')
        await self.join('a', 'eve')
        await self.ok('POST', '/v1/rooms/a/jobs', {'jobId': 'old', 'publishUrl': 'rtmp://origin/live/a', 'userId': 'ann'})
        pk = (await self.said(self.ann, 'invitePK', {'room': 'b'}))['pkId']
        await eventually('the invitation', lambda: self.invited(pk))
        await self.said(self.bob, 'acceptPK', {'pkId': pk})
        await eventually('the PK', self.both_in_pk)

    async def invited(self, pk):
        return any(one['pkId'] == pk for one in (await self.state('b'))['pkInvitations'])

    async def both_in_pk(self):
        return (await self.state()).get('pk') and (await self.state('b')).get('pk')

    async def end(self):
        self.rest.close()
        for socket in self.sockets:
            await socket.close()


def changes():
    """Changes: name, action, and check whether the change was stored."""
    async def gone(scene, path):
        return (await scene.rest.call('GET', path))[0] == 404

    async def has(scene, path):
        return (await scene.rest.call('GET', path))[0] == 200

    async def dead(scene):
        try:
            await scene.join('a', 'eve')
            return False
        except PermissionError:
            return True

    async def jobs(scene):
        return [job['jobId'] for job in (await scene.state())['jobs']]

    async def is_job(scene, name, there):
        return (name in await jobs(scene)) == there

    async def attribute(scene):
        return (await scene.state())['attributes'].get('n') == str(scene.number)

    async def locked(scene):
        return (await scene.state())['seats'][1]['locked']

    async def scored(scene):
        return ((await scene.state()).get('pk') or {}).get('score') == scene.number + 1

    async def message(scene):
        return any(one.get('text') == str(scene.number) for one in (await scene.state())['messages'])

    new = {'jobId': 'new', 'publishUrl': 'rtmp://origin/other/a', 'userId': 'ann'}
    return [
        ('room made (REST)', lambda s: s.ok('POST', '/v1/rooms', {'name': 'new'}), lambda s: has(s, '/v1/rooms/new')),
        ('room closed (REST)', lambda s: s.ok('DELETE', '/v1/rooms/old'), lambda s: gone(s, '/v1/rooms/old')),
        ('kick (REST)', lambda s: s.ok('DELETE', '/v1/rooms/a/participants/eve'), dead),
        ('kick', lambda s: s.said(s.ann, 'kick', {'userId': 'eve'}), dead),
        ('attribute (REST)', lambda s: s.ok('POST', '/v1/rooms/a/calls/setAttributes', {'set': {'n': str(s.number)}}), attribute),
        ('attribute', lambda s: s.said(s.ann, 'setAttributes', {'set': {'n': str(s.number)}}), attribute),
        ('seat', lambda s: s.said(s.ann, 'setSeat', {'index': 1, 'locked': True}), locked),
        ('message', lambda s: s.said(s.ann, 'sendMessage', {'kind': 'text', 'text': str(s.number)}), message),
        ('PK score (REST)', lambda s: s.ok('POST', '/v1/rooms/a/calls/setPKScore', {'score': s.number + 1}), scored),
        ('PK score', lambda s: s.said(s.ann, 'setPKScore', {'score': s.number + 1}), scored),
        ('job begun (REST)', lambda s: s.ok('POST', '/v1/rooms/a/jobs', new), lambda s: is_job(s, 'new', True)),
        ('job begun', lambda s: s.said(s.ann, 'startForward', new), lambda s: is_job(s, 'new', True)),
        ('job stopped (REST)', lambda s: s.ok('DELETE', '/v1/rooms/a/jobs/old'), lambda s: is_job(s, 'old', False)),
        ('job stopped', lambda s: s.said(s.ann, 'stopJob', {'jobId': 'old'}), lambda s: is_job(s, 'old', False)),
    ]


async def kill_often(options):
    all_changes, lost = changes(), {}
    done = {}
    for number in range(options.kills):
        name, change, is_there = all_changes[number % len(all_changes)]
        data = tempfile.mkdtemp(prefix='durability-', dir=options.directory)
        try:
            server = await Server(options.program, data, options.argument).start()
            scene = Scene(server, number)
            await scene.prepare()
            await change(scene)
            os.kill(server.process.pid, signal.SIGKILL)
            await server.kill()
            await scene.end()
            server = await Server(options.program, data, options.argument).start()
            after = Scene(server, number)
            after.eve = scene.eve
            done[name] = done.get(name, 0) + 1
            if not await is_there(after):
                lost[name] = lost.get(name, 0) + 1
            await server.kill()
            await after.end()
        finally:
            shutil.rmtree(data, ignore_errors=True)
    print('\n| change | kills | lost |\n|---|---|---|')
    for name in done:
        print(f'| {name} | {done[name]} | {lost.get(name, 0)} |')
    total = sum(lost.values())
    print(f'\nlost {total} of {options.kills}')
    return total


# --- Cost ----------------------------------------------------------------------------------------------------------------------


async def measure(seconds, callers, room_of, server):
    """Runs `callers` callers, each with its own connection and one call at a time."""
    times, end = [], time.monotonic() + seconds

    async def one(index):
        rest, number = Rest(server.port), 0
        while time.monotonic() < end:
            number += 1
            begin = time.monotonic()
            status, answer = await rest.call(
                'POST', f'/v1/rooms/{room_of(index)}/calls/setAttributes', {'set': {f'k{index}': f'{index}-{number}'}})
            times.append(time.monotonic() - begin)
            if status != 200:
                raise SystemExit(f'{status} {answer}')
        rest.close()

    begin = time.monotonic()
    await asyncio.gather(*(one(index) for index in range(callers)))
    times.sort()
    return len(times) / (time.monotonic() - begin), times[len(times) // 2] * 1000, times[int(len(times) * 0.99)] * 1000


async def cost(options):
    print('| data directory | callers | rooms | calls/s | p50 ms | p99 ms |\n|---|---|---|---|---|---|')
    for kept in [True, False]:
        for callers, rooms in [(1, 1), (16, 1), (16, 16)]:
            data = tempfile.mkdtemp(prefix='durability-', dir=options.directory) if kept else None
            server = await Server(options.program, data, options.argument).start()
            rest = Rest(server.port)
            for index in range(rooms):
                await rest.call('POST', '/v1/rooms', {'name': f'room{index}'})
            await measure(0.5, callers, lambda index: f'room{index % rooms}', server)
            rate, half, most = await measure(options.seconds, callers, lambda index: f'room{index % rooms}', server)
            print(f'| {"yes" if kept else "no"} | {callers} | {rooms} | {rate:.0f} | {half:.2f} | {most:.2f} |', flush=True)
            rest.close()
            await server.kill()
            if data:
                shutil.rmtree(data, ignore_errors=True)


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--program', required=True, help='the server')
    parser.add_argument('--kills', type=int, default=100)
    parser.add_argument('--seconds', type=float, default=5, help='duration of each measurement; 0 skips them')
    parser.add_argument('--directory', help='where the data directories are created: the disk to measure')
    parser.add_argument('--argument', action='append', default=[], help='an additional argument of the server')
    options = parser.parse_args()
    if options.seconds > 0:
        await cost(options)
    sys.exit(1 if options.kills and await kill_often(options) else 0)


if __name__ == '__main__':
    asyncio.run(main())
