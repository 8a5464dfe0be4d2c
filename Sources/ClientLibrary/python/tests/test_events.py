"""Tests of the kinds of events, without a server."""

import json
import re
import sys
import unittest
from pathlib import Path
from typing import cast

from roomclient import Event, RemoteTrack, RoomEvent, events
from roomclient.events import KINDS, event_of

REPORT = Path(__file__).parents[2] / "Swift" / "Room" / "EventReport.swift"
INVITATION = {
    "pkId": "p", "from": {"room": "a", "userId": "ann"}, "to": {"room": "b", "userId": ""}, "way": "move", "by": "amy",
    "at": 5, "expiresAt": 9,
}


class EventTests(unittest.TestCase):
    def test_every_event_of_the_library_has_a_kind(self) -> None:
        names = re.findall(r'\("(\w+)", ', REPORT.read_text())
        self.assertEqual(set(names), set(KINDS))

    def test_invitation_names_the_room_and_the_user_that_invited(self) -> None:
        event = event_of("pkInvited", json.loads(json.dumps(INVITATION)), None, [])
        assert isinstance(event, events.PKInvited)
        self.assertEqual((event.pk_id, event.by, event.from_room, event.to_room), ("p", "amy", "a", "b"))
        self.assertEqual(event.data["from"]["userId"], "ann")

    def test_track_of_an_event_of_a_track_is_never_none(self) -> None:
        self.assertIsNone(event_of("trackSubscribed", {}, None, []))
        track = cast(RemoteTrack, object())
        event = event_of("trackSubscribed", {}, track, [])
        assert event is not None
        self.assertIs(event.track, track)

    def test_unknown_event_keeps_its_name(self) -> None:
        event: object = event_of("newEvent", {"a": 1}, None, [])
        assert type(event) is RoomEvent
        self.assertEqual((event.name, event.data, event.track, event.levels), ("newEvent", {"a": 1}, None, []))

    @unittest.skipIf(sys.version_info < (3, 10), "Python 3.9 has no match")
    def test_match_narrows(self) -> None:
        from narrowing import described

        invited = cast(Event, event_of("pkInvited", INVITATION, None, []))
        self.assertEqual(described(invited), "amy of a invites")
        self.assertEqual(described(cast(Event, event_of("joined", {}, None, []))), "joined")


if __name__ == "__main__":
    unittest.main()
