"""Makes and verifies tokens with the PyPI package livekit-api.

Usage: tokens.py INPUT OUTPUT. INPUT has an API key, its secret, tokens to verify and webhooks to receive. OUTPUT gets their claims
and events, and tokens for the tests to verify.
"""

import dataclasses
import datetime
import json
import sys

from livekit import api
from livekit.protocol.room import RoomConfiguration


def claims(verifier, token):
    read = dataclasses.asdict(dataclasses.replace(verifier.verify(token), room_config=None))
    return {k: v for k, v in read.items() if v is not None}


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        given = json.load(file)
    key, secret = given["key"], given["secret"]
    verifier = api.TokenVerifier(key, secret)
    receiver = api.WebhookReceiver(verifier)

    def token():
        return api.AccessToken(key, secret)

    full = api.VideoGrants(
        room_create=True, room_list=True, room_record=True, room_admin=True, room_join=True, room="großer Raum 房",
        destination_room="other", can_publish=True, can_subscribe=False, can_publish_data=False,
        can_publish_sources=["camera", "screen_share_audio"], can_update_own_metadata=True, ingress_admin=True, hidden=True,
        recorder=True, agent=True, can_manage_agent_session=True, can_subscribe_metrics=True,
    )  # fmt: skip
    made = {
        "full": token().with_identity("ann+x@example.org").with_name("Ann 安").with_metadata('{"a":1}').with_kind("agent")
        .with_attributes({"seat": "2", "é": ""}).with_grants(full)
        .with_sip_grants(api.SIPGrants(admin=True)).with_room_preset("p")
        .with_room_config(RoomConfiguration(empty_timeout=7, metadata="m")),
        "plain": token().with_identity("ann").with_grants(api.VideoGrants(room_join=True, room="demo")),
        "server": token().with_grants(api.VideoGrants(room_list=True)),
        "expired": token().with_identity("ann").with_ttl(datetime.timedelta(seconds=-61))
        .with_grants(api.VideoGrants(room_join=True, room="demo")),
        "just expired": token().with_identity("ann").with_ttl(datetime.timedelta(seconds=-20))
        .with_grants(api.VideoGrants(room_join=True, room="demo")),
        "other secret": api.AccessToken(key, secret[::-1]).with_identity("ann")
        .with_grants(api.VideoGrants(room_join=True, room="demo")),
        "other key": api.AccessToken("stranger", secret).with_identity("ann")
        .with_grants(api.VideoGrants(room_join=True, room="demo")),
    }  # fmt: skip
    answer = {
        "claims": [claims(verifier, t) for t in given["tokens"]],
        "events": [receiver.receive(w["body"], w["authorization"]).event for w in given["webhooks"]],
        "made": {name: t.to_jwt() for name, t in made.items()},
    }
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        json.dump(answer, file)


main()
