"""Generates a client from api/openapi.yaml, and uses only this client to do what an app's server does for a PK.

    generated_client.py URL TOKEN     the server's HTTP address, and an API token

The anchors publish by WHIP, from Tests/Interop/WHIP. Exits with 0 if every result has the type and the value that it should have.
"""

import importlib
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


def generate(directory):
    """Generates the package `roomserver_client` and imports it."""
    settings = Path(directory, "settings.yaml")
    settings.write_text("post_hooks: []\n")
    generator = [sys.executable, "-m", "openapi_python_client", "generate", "--path", ROOT / "api/openapi.yaml"]
    generator += ["--output-path", Path(directory, "roomserver_client"), "--meta", "none", "--config", settings]
    done = subprocess.run([str(word) for word in generator], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    sys.path.insert(0, directory)
    return importlib.import_module("roomserver_client")


class API:
    """The generated operations, called by their names in api/openapi.yaml."""

    def __init__(self, package, url, token):
        self.package = package
        self.models = importlib.import_module(f"{package.__name__}.models")
        self.unset = importlib.import_module(f"{package.__name__}.types").UNSET
        self.client = package.AuthenticatedClient(base_url=url, token=token, raise_on_unexpected_status=True)

    def operation(self, name):
        for group in ("default", "calls"):
            try:
                return importlib.import_module(f"{self.package.__name__}.api.{group}.{name}")
            except ModuleNotFoundError:
                continue
        raise AssertionError(f"no operation {name} was generated")

    def call(self, name, *path, **members):
        return self.operation(name).sync(*path, client=self.client, **members)

    def status(self, name, *path, **members):
        return self.operation(name).sync_detailed(*path, client=self.client, **members).status_code


def eventually(what, ask, seconds=60):
    deadline = time.monotonic() + seconds
    while True:
        answer = ask()
        if answer:
            return answer
        assert time.monotonic() < deadline, f"timeout while waiting for {what}"
        time.sleep(0.05)


def expect(value, kind):
    """The value, if it is of this generated type."""
    assert isinstance(value, kind), f"expected {kind.__name__}: {value}"
    return value


def anchor(api, url, room, user, tone):
    """Starts a host that publishes."""
    m = api.models
    grants = [m.Grant.PUBLISH, m.Grant.SUBSCRIBE, m.Grant.ADMIN]
    minted = expect(api.call("mint_token", body=m.NewToken(room=room, user=user, grants=grants)), m.MintedToken)
    peer = [sys.executable, ROOT / "Tests/Interop/WHIP/aiortc_peer.py", "publish", f"{url}/whip/{room}", minted.token]
    peer += ["--video", "vp8", "--audio", tone]
    return subprocess.Popen([str(word) for word in peer], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)


def rooms(api):
    """Creates two rooms and changes one."""
    m = api.models
    made = expect(api.call("create_room", body=m.NewRoom(name="red", grace_time=60, audience=m.Audience.SEPARATE)), m.Room)
    assert (made.name, made.participants) == ("red", 0)
    expect(api.call("create_room", body=m.NewRoom(name="blue")), m.Room)
    first = expect(api.call("list_rooms", limit=1), m.RoomList)
    assert [room.name for room in first.rooms] == ["blue"] and first.next_ == "blue"
    last = expect(api.call("list_rooms", limit=1, after=first.next_), m.RoomList)
    assert [room.name for room in last.rooms] == ["red"] and last.next_ is api.unset
    newest = expect(api.call("list_rooms", sort=m.ListRoomsSort.CREATED, q="e", state=m.ListRoomsState.EMPTY, limit=1), m.RoomList)
    assert [room.name for room in newest.rooms] == ["blue"] and newest.totals.rooms == 2
    oldest = expect(api.call("list_rooms", sort=m.ListRoomsSort.CREATED, q="e", limit=1, after=newest.next_), m.RoomList)
    assert [(room.name, room.kind, room.live) for room in oldest.rooms] == [("red", m.RoomKind.VIDEO, api.unset)]

    changes = m.RoomChanges(audience=m.Audience.SEPARATE, max_participants=20)
    settings = expect(api.call("change_room", "blue", body=changes), m.RoomDetail).settings
    assert settings.audience is m.Audience.SEPARATE and settings.max_participants == 20 and settings.grace_time == 20
    assert settings.push.mode is m.PushPolicyMode.OWN and settings.stage.fps == 24
    missing = expect(api.call("change_room", "none", body=changes), m.Error)
    assert missing.code == 404002


def seats(api, room, host):
    """Waits for the host on its seat, and changes the layout around it."""
    m = api.models

    def state():
        return expect(api.call("show_state", room), m.RoomState)

    eventually(f"{host} on the first seat", lambda: state().seats[0].user_id == host)
    assert [seat.index for seat in state().seats] == [0, 1]
    expect(api.call("set_layout", room, body=m.LayoutParams(type_=m.LayoutType.GRIDFOUR)), m.Empty)
    same = expect(api.call("set_layout", room, body=m.LayoutParams(type_=m.LayoutType.GRIDFOUR)), m.Error)
    assert (same.code, same.name) == (80601, "sameLayout")
    expect(api.call("set_seat", room, body=m.SeatSwitches(index=2, locked=True)), m.Empty)
    now = state()
    assert now.layout.type_ is m.LayoutType.GRIDFOUR and now.layout.canvas.width == 720
    assert [(frame.x, frame.y) for frame in now.layout.frames] == [(0, 0), (0.5, 0), (0, 0.5), (0.5, 0.5)]
    assert [seat.locked for seat in now.seats] == [False, False, True, False]
    assert now.seats[0].user_id == host and now.seats[1].user_id is api.unset and now.seats[1].audio is True
    assert expect(api.call("list_requests", room, body=m.NoParams()), m.SeatRequestList).requests == []


def talk(api, room):
    m = api.models
    sent = expect(api.call("send_message", room, body=m.MessageParams(kind=m.MessageKind.TEXT, text="hello")), m.MessageResult)
    title = m.NewAttributes.from_dict({"title": "Friday"})
    expect(api.call("set_attributes", room, body=m.AttributeParams(set_=title)), m.Empty)
    state = expect(api.call("show_state", room), m.RoomState)
    assert [(message.seq, message.kind, message.text) for message in state.messages] == [(sent.seq, m.MessageKind.TEXT, "hello")]
    assert state.attributes["title"] == "Friday"


def pk(api):
    """Invites, accepts, scores and quits, as the servers of two rooms' apps would."""
    m = api.models

    def current(room):
        found = expect(api.call("show_state", room), m.RoomState).pk
        return None if found is api.unset else expect(found, m.PKInfo)

    def invite():
        answer = api.call("invite_pk", "red", body=m.PKInviteParams(room="blue", way=m.PKMode.BRIDGE))
        if isinstance(answer, m.PKInviteResult):
            return answer
        # A host whose media has not arrived yet can't be invited.
        assert expect(answer, m.Error).code == 80702, answer

    invited = eventually("an invitation that can be made", invite)
    waiting = eventually("the invitation", lambda: expect(api.call("show_state", "blue"), m.RoomState).pk_invitations)
    assert (waiting[0].pk_id, waiting[0].from_.room, waiting[0].from_.user_id) == (invited.pk_id, "red", "ann")
    assert waiting[0].way is m.PKMode.BRIDGE and waiting[0].expires_at - waiting[0].at == 30_000

    def accept():
        answer = api.call("accept_pk", "blue", body=m.PKParams(pk_id=invited.pk_id))
        return isinstance(answer, m.Empty) or expect(answer, m.Error).code != 80704 and answer

    assert eventually("the host of the other room", accept) is True
    red = eventually("the PK in red", lambda: current("red"))
    blue = eventually("the PK in blue", lambda: current("blue"))
    assert red.pk_id == blue.pk_id == invited.pk_id
    assert (red.room, red.user_id, red.host, red.inviter) == ("blue", "bob", "ann", True)
    assert (blue.room, blue.user_id, blue.host, blue.inviter) == ("red", "ann", "bob", False)
    assert red.connected and red.peer_connected and red.way is m.PKMode.BRIDGE

    expect(api.call("set_pk_score", "red", body=m.PKScoreParams(score=7)), m.Empty)
    eventually("the score in blue", lambda: current("blue").peer_score == 7)
    assert expect(api.call("invite_pk", "red", body=m.PKInviteParams(room="blue")), m.Error).code == 10012
    # The other anchor's tracks appear as those of a participant that does not count towards the limit.
    eventually("bob in red", lambda: "bob@blue" in [p.user_id for p in expect(api.call("get_room", "red"), m.RoomDetail).participants])
    listed = {room.name: room.participants for room in expect(api.call("list_rooms"), m.RoomList).rooms}
    assert listed == {"blue": 1, "red": 1}, listed
    fighting = expect(api.call("list_rooms", state=m.ListRoomsState.PK), m.RoomList).rooms
    assert [(room.name, room.pk.room, room.shown) for room in fighting] == [("blue", "red", "bob"), ("red", "blue", "ann")]

    expect(api.call("quit_pk", "blue", body=m.NoParams()), m.Empty)
    eventually("the end of the PK", lambda: current("red") is None and current("blue") is None)
    assert expect(api.call("quit_pk", "red", body=m.NoParams()), m.Error).code == 10013


def main(url, token):
    with ExitStack() as stack:
        package = generate(stack.enter_context(tempfile.TemporaryDirectory()))
        api = API(package, url, token)
        rooms(api)
        for room, user, tone in (("red", "ann", 440), ("blue", "bob", 660)):
            peer = anchor(api, url, room, user, tone)
            # A peer exits when its standard input closes.
            stack.callback(peer.wait, timeout=20)
            stack.callback(peer.stdin.close)
        seats(api, "red", "ann")
        seats(api, "blue", "bob")
        talk(api, "red")
        pk(api)
        assert api.status("close_room", "red") == 204 and api.status("close_room", "red") == 404
        assert api.status("close_room", "blue") == 204
    print("all results are correct")


main(*sys.argv[1:])
