"""Hooks for what schemathesis can't derive from this API: bodies other than JSON, and rules that a schema can't express."""

import base64
import os
import re
import struct
import zlib
from pathlib import Path
from urllib.parse import quote

import requests
import schemathesis
import yaml
from hypothesis import strategies
from schemathesis.core.parameters import ParameterLocation
from schemathesis.openapi.checks import EnsureResourceAvailability, RejectedPositiveData


@schemathesis.serializer("application/sdp", "application/trickle-ice-sdpfrag")
def session_description(context, value):
    return value if isinstance(value, bytes) else str(value).encode()


def png(width, height, colour):
    """A PNG file of one colour."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = zlib.compress((b"\0" + bytes(colour) * width) * height)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


schemathesis.openapi.media_type(
    "image/png", strategies.sampled_from([png(1, 1, (255, 0, 0)), png(64, 48, (0, 80, 160)), png(1920, 1, (9, 9, 9))])
)

GREY = (
    "/9j/4AAQSkZJRgABAgAAAQABAAD/2wBDAAg+Pkk+SVVVVVVVVWRdZGhoaGRkZGRoaGhwcHCDg4NwcHBoaHBwfHyDg4+Tj4eHg4eTk5ubm7q6srLZ2eD/////"
    "xABKAAEAAAAAAAAAAAAAAAAAAAAAAQEAAAAAAAAAAAAAAAAAAAAAEAEAAAAAAAAAAAAAAAAAAAAAEQEAAAAAAAAAAAAAAAAAAAAA/8AAEQgACAAIAwESAAISAAMS"
    "AP/aAAwDAQACEQMRAD8AAA//2Q=="
)
schemathesis.openapi.media_type("image/jpeg", strategies.just(base64.b64decode(GREY)))


def ask(method, path, body=None):
    headers = {"Authorization": f"Bearer {os.environ['ROOMSERVER_TOKEN']}"}
    return requests.request(method, os.environ["ROOMSERVER_URL"] + path, json=body, headers=headers, timeout=10)


# Existing rooms for requests about a room: one with a publish URL of its own, so that jobs need none, one with a job whose
# layouts can be changed, and one whose settings change.
PUSHED, MIXED, CHANGED, JOB = "pushed", "mixed", "changed", "standing"
# A missing room: requests that would close one of these rooms are sent to it.
ELSEWHERE = "elsewhere"
ask("POST", "/v1/rooms", {"name": PUSHED, "push": {"mode": "manual", "publishUrl": "rtmp://cdn/live/{room}"}})
ask("POST", "/v1/rooms", {"name": MIXED})
ask("POST", "/v1/rooms", {"name": CHANGED})
standing = {"jobId": JOB, "publishAs": "mix", "width": 64, "height": 48, "fps": 1, "layouts": []}
assert ask("POST", f"/v1/rooms/{MIXED}/merge-jobs", standing).status_code == 201


# Texts with a grammar that a generator does not produce: each has a part that a narrow pattern would reject.
URLS = [
    "rtmp://192.0.2.1/live/show",
    "rtmp://192.0.2.1:19350/live/show?wsSecret=0123456789abcdef&wsTime=5f5e100&serialnum=1",
    "RTMPS://cdn.example/app/instance/stream/key?a=1&b=%20&c",
    "rtmp://[2001:db8::1]:1936/live/straße",
    "rtmp://192.0.2.1/live?vhost=example/show",
    "rtmp://cdn.example/live/" + "k" * 2000,
    "srt://192.0.2.1:9000",
    "SRT://[2001:db8::1]:65535/?streamid=%23!::r=live/show,m=publish&passphrase=0123456789&latency=120&serialnum=1",
    "file:show.mp4?serialnum=7",
    "file:" + "f" * 124 + ".flv",
]
POLICIES = [
    {"mode": "own"},
    {"mode": "own", "publishUrl": None},
    {"mode": "manual", "publishUrl": "rtmps://cdn.example:19350/app/live/{room}?key=1&token=2"},
    {"mode": "auto", "publishUrl": "rtmp://192.0.2.1/live/{room}-{user}"},
    {"mode": "auto", "publishUrl": "srt://192.0.2.1:9000?streamid=live/{room}"},
    {"mode": "auto", "publishUrl": "file:{user}.mp4"},
]


SCHEMAS = yaml.safe_load((Path(__file__).resolve().parents[3] / "api/openapi.yaml").read_text())["components"]["schemas"]
for job in ("NewForward", "NewMerge"):
    for url in URLS:
        assert re.search(SCHEMAS[job]["properties"]["publishUrl"]["pattern"], url), f"the pattern of {job} rejects {url}"


def pick(values, seed):
    """One of the values, the same for the same seed."""
    return values[zlib.crc32(repr(seed).encode()) % len(values)]


def put_values(operation, body):
    """Puts values into a generated body if its schema is less strict than the server."""
    if isinstance(body.get("publishUrl"), str):
        body["publishUrl"] = pick(URLS, body["publishUrl"])
    if isinstance(body.get("push"), dict):
        body["push"] = dict(pick(POLICIES, body["push"]))
    if operation == "startForward" and not any(body.get(name) for name in ("userId", "audioTrackId", "videoTrackId")):
        body["userId"] = "ann"


@schemathesis.hook
def before_call(context, case, kwargs):
    name, path = case.operation.definition.raw.get("operationId"), case.path_parameters
    if isinstance(case.body, dict) and not (case.meta is not None and case.meta.is_negative_at(ParameterLocation.BODY)):
        put_values(name, case.body)
    if name in ("closeRoom", "stopJob") and path.get("room") in (PUSHED, MIXED, CHANGED):
        path["room"] = ELSEWHERE
    if name == "startMerge" and isinstance(case.body, dict) and isinstance(case.body.get("publishUrl"), str):
        # A job whose target server is not allowed ends at once and can't be found any more.
        if case.meta is not None and case.meta.phase.name.value == "stateful":
            case.body["publishUrl"] = re.sub(r"(?i)^(rtmps?://|srt://)(\[[^]]*]|[^/:]+)", r"\g<1>192.0.2.1", case.body["publishUrl"])
    if case.meta is None or case.meta.phase.name.value == "stateful" or case.meta.is_negative_at(ParameterLocation.PATH):
        return
    if name in ("startForward", "startMerge"):
        names = isinstance(case.body, dict) and case.body.get("publishUrl") is not None
        path["room"] = MIXED if names else PUSHED
    elif name == "setLayouts":
        path["room"], path["job"] = MIXED, JOB
    elif name == "changeRoom":
        path["room"] = CHANGED
    elif name in ("listImages", "putImage", "showState") or "calls" in case.operation.definition.raw.get("tags", []):
        path["room"] = MIXED


@schemathesis.hook
def after_call(context, case, response):
    # Makes room for the next one.
    room = case.path_parameters.get("room")
    if response.status_code == 201 and room in (PUSHED, MIXED):
        ask("DELETE", f"/v1/rooms/{room}/jobs/{quote(response.json()['jobId'], safe='')}")


# Messages about fields that conflict with each other or with the room: a schema can't express these rules.
RULES = [
    "the `next` of the page before",
    "jobId: 1 to 64 bytes",
    "minKbps: at most videoKbps",
    "a picture has both width and height",
    "a frame has x, y, width and height",
    "a mix without width and height has no frames",
    "publishUrl: missing; give a publishUrl or publishAs",
    "userId: missing; the room's publish URL contains the user",
    "either a trackId or a userId",
    "a text, or clock: true",
    "record: needs a publishUrl",
    "is not a valid stream name",
    "is not an application for live streams on this server",
    "the room has no image",
    "is not a merge job and has no layouts",
    "requires room",
    "_HLS_msn and _HLS_part must be numbers",
    "a job that names a track can't follow the stage",
    "a job that records tracks has none",
    "tag: only a job with tracks has one",
    "after: the `next` of a page with the same sort",
    # A schema counts characters.
    "tags of at most 64 bytes",
]


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if isinstance(failure, EnsureResourceAvailability):
        # A 404 for a track in a body does not concern the room in the path, and neither does a room that replaces another.
        return '"name":"subscribeFailed"' not in response.text and case.path_parameters.get("room") != ELSEWHERE
    # A body or a URL that is too large is rejected by its length, whatever it contains.
    if response.status_code in (413, 414):
        return False
    return not (isinstance(failure, RejectedPositiveData) and any(rule in response.text for rule in RULES))
