"""What a type checker knows of an event after each form of a check. Python 3.10 is the first with `match`."""

from typing import Optional

from roomclient import Event, RemoteTrack, events


def track_by_name(event: Event) -> Optional[RemoteTrack]:
    if event.name == "trackSubscribed" and event.track.kind == "video":
        track: RemoteTrack = event.track
        return track
    return None


def track_by_class(event: Event) -> Optional[RemoteTrack]:
    if isinstance(event, events.TrackEvent):
        track: RemoteTrack = event.track
        return track
    return None


def described(event: Event) -> str:
    match event:
        case events.TrackSubscribed(track=track):
            return f"{track.user_id} sends {track.kind}"
        case events.PKInvited(by=by, from_room=room):
            return f"{by} of {room} invites"
        case _:
            return event.name


def unchecked(event: Event) -> Optional[str]:
    # mypy reports the comment itself if `track` of every event became non-optional.
    return event.track.kind  # type: ignore[union-attr]
