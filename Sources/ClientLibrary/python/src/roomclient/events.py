"""The events of a room: a dataclass for each kind, with the name in api/signalling.md."""

# No postponed annotations: KINDS reads them, and Python 3.9 cannot evaluate `X | None`.
from dataclasses import dataclass, field
from typing import Any, Literal, Optional, Union, cast, get_args, get_type_hints

from ._tracks import RemoteTrack


@dataclass(frozen=True)
class Level:
    """How loud a participant is, in dBov: -127 (silence) to 0."""

    user_id: str
    track_id: str
    level: int


@dataclass(frozen=True)
class RoomEvent:
    """What all events of a room have. Event is the union of the kinds; event.name, isinstance() and match narrow it.

    name:   the name in api/signalling.md, or of the library: stateChanged, trackSubscribed, trackUnsubscribed, firstFrame,
            firstPicture, statistics, refreshed, mediaConnectionChanged.
    data:   its data.
    track:  of the events of remote tracks; None of all others.
    levels: of audioLevels; empty of all others.

    An event of a newer library, which this package does not know, is a plain RoomEvent.
    """

    name: str
    data: dict[str, Any]
    track: Optional[RemoteTrack] = None
    levels: list[Level] = field(default_factory=list)


@dataclass(frozen=True)
class TrackEvent(RoomEvent):
    """An event of a remote track."""

    track: RemoteTrack


# == The room and its connection ==


@dataclass(frozen=True)
class StateChanged(RoomEvent):
    name: Literal["stateChanged"]


@dataclass(frozen=True)
class MediaConnectionChanged(RoomEvent):
    name: Literal["mediaConnectionChanged"]


@dataclass(frozen=True)
class Refreshed(RoomEvent):
    """Changes were missed during a lost connection. `data` is the whole state."""

    name: Literal["refreshed"]


@dataclass(frozen=True)
class Statistics(RoomEvent):
    name: Literal["statistics"]


@dataclass(frozen=True)
class NetworkQuality(RoomEvent):
    name: Literal["networkQuality"]


@dataclass(frozen=True)
class AttributesChanged(RoomEvent):
    name: Literal["attributesChanged"]


@dataclass(frozen=True)
class Message(RoomEvent):
    name: Literal["message"]


# == Participants ==


@dataclass(frozen=True)
class Joined(RoomEvent):
    name: Literal["joined"]


@dataclass(frozen=True)
class Left(RoomEvent):
    name: Literal["left"]


@dataclass(frozen=True)
class ConnectionChanged(RoomEvent):
    name: Literal["connectionChanged"]


@dataclass(frozen=True)
class PermissionsChanged(RoomEvent):
    name: Literal["permissionsChanged"]


@dataclass(frozen=True)
class Kicked(RoomEvent):
    name: Literal["kicked"]


@dataclass(frozen=True)
class KickedOut(RoomEvent):
    name: Literal["kickedOut"]


# == Tracks ==


@dataclass(frozen=True)
class Published(RoomEvent):
    name: Literal["published"]


@dataclass(frozen=True)
class Unpublished(RoomEvent):
    name: Literal["unpublished"]


@dataclass(frozen=True)
class MuteChanged(RoomEvent):
    name: Literal["muteChanged"]


@dataclass(frozen=True)
class StreamsChanged(RoomEvent):
    name: Literal["streams"]


@dataclass(frozen=True)
class TrackSubscribed(TrackEvent):
    """`track` is received from now on."""

    name: Literal["trackSubscribed"]


@dataclass(frozen=True)
class TrackUnsubscribed(TrackEvent):
    """`track` has ended."""

    name: Literal["trackUnsubscribed"]


@dataclass(frozen=True)
class FirstFrame(TrackEvent):
    """The first complete frame of `track` arrived."""

    name: Literal["firstFrame"]


@dataclass(frozen=True)
class FirstPicture(TrackEvent):
    """The first picture of `track` was decoded."""

    name: Literal["firstPicture"]


@dataclass(frozen=True)
class SubscribeFailed(RoomEvent):
    name: Literal["subscribeFailed"]


@dataclass(frozen=True)
class AudioLevels(RoomEvent):
    """The `levels`, five times a second."""

    name: Literal["audioLevels"]


@dataclass(frozen=True)
class ActiveSpeakers(RoomEvent):
    name: Literal["activeSpeakers"]


# == Seats and the stage ==


@dataclass(frozen=True)
class SeatChanged(RoomEvent):
    name: Literal["seatChanged"]


@dataclass(frozen=True)
class LayoutChanged(RoomEvent):
    name: Literal["layoutChanged"]


@dataclass(frozen=True)
class SeatRequested(RoomEvent):
    name: Literal["seatRequested"]


@dataclass(frozen=True)
class SeatRequestEnded(RoomEvent):
    name: Literal["seatRequestEnded"]


@dataclass(frozen=True)
class SeatInvited(RoomEvent):
    name: Literal["seatInvited"]


@dataclass(frozen=True)
class SeatInvitationEnded(RoomEvent):
    name: Literal["seatInvitationEnded"]


@dataclass(frozen=True)
class StageChanged(RoomEvent):
    name: Literal["stageChanged"]


# == PK ==


@dataclass(frozen=True)
class PKInvited(RoomEvent):
    """An invitation to a PK, for the admins of both rooms: `from_room` invited `to_room`."""

    name: Literal["pkInvited"]

    @property
    def pk_id(self) -> str:
        return str(self.data["pkId"])

    @property
    def by(self) -> str:
        """The user who invited, in `from_room`; empty for the REST API."""
        return str(self.data["by"])

    @property
    def from_room(self) -> str:
        """The name of the room that invited. It is this room's own if it equals Room.name."""
        return str(self.data["from"]["room"])

    @property
    def to_room(self) -> str:
        """The name of the room that is invited."""
        return str(self.data["to"]["room"])


@dataclass(frozen=True)
class PKInvitationEnded(RoomEvent):
    name: Literal["pkInvitationEnded"]


@dataclass(frozen=True)
class PKMatching(RoomEvent):
    name: Literal["pkMatching"]


@dataclass(frozen=True)
class PKMatchEnded(RoomEvent):
    """The search for an opponent ended; PKBegan follows if `outcome` is "matched"."""

    name: Literal["pkMatchEnded"]

    @property
    def outcome(self) -> str:
        """matched, cancelled or timedOut."""
        return str(self.data["outcome"])


@dataclass(frozen=True)
class PKBegan(RoomEvent):
    name: Literal["pkBegan"]


@dataclass(frozen=True)
class PKToken(RoomEvent):
    name: Literal["pkToken"]


@dataclass(frozen=True)
class PKOnAir(RoomEvent):
    name: Literal["pkOnAir"]


@dataclass(frozen=True)
class PKChanged(RoomEvent):
    name: Literal["pkChanged"]


@dataclass(frozen=True)
class PKEnded(RoomEvent):
    name: Literal["pkEnded"]


# == Relay jobs ==


@dataclass(frozen=True)
class JobChanged(RoomEvent):
    name: Literal["jobChanged"]


@dataclass(frozen=True)
class JobStatus(RoomEvent):
    name: Literal["jobStatus"]


@dataclass(frozen=True)
class JobEnded(RoomEvent):
    name: Literal["jobEnded"]


# == Players ==


@dataclass(frozen=True)
class PlayerChanged(RoomEvent):
    name: Literal["playerChanged"]


@dataclass(frozen=True)
class PlayerEnded(RoomEvent):
    name: Literal["playerEnded"]


Event = Union[
    StateChanged, MediaConnectionChanged, Refreshed, Statistics, NetworkQuality, AttributesChanged, Message, Joined,
    Left, ConnectionChanged, PermissionsChanged, Kicked, KickedOut, Published, Unpublished, MuteChanged,
    StreamsChanged, TrackSubscribed, TrackUnsubscribed, FirstFrame, FirstPicture, SubscribeFailed, AudioLevels,
    ActiveSpeakers, SeatChanged, LayoutChanged, SeatRequested, SeatRequestEnded, SeatInvited, SeatInvitationEnded,
    StageChanged, PKInvited, PKInvitationEnded, PKMatching, PKMatchEnded, PKBegan, PKToken, PKOnAir, PKChanged, PKEnded,
    JobChanged, JobStatus, JobEnded, PlayerChanged, PlayerEnded,
]
KINDS: dict[str, type[RoomEvent]] = {get_args(get_type_hints(kind)["name"])[0]: kind for kind in get_args(Event)}


def event_of(name: str, data: dict[str, Any], track: Optional[RemoteTrack], levels: list[Level]) -> Optional[Event]:
    """Returns the event of a name; None for an event of a track that the room has already forgotten."""
    kind = KINDS.get(name, RoomEvent)
    if issubclass(kind, TrackEvent) and track is None:
        return None
    return cast(Event, kind(name, data, track, levels))
