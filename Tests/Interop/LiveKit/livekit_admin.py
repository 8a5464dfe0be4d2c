"""One call of LiveKit's server API by its Python SDK, unmodified. Prints the answer, or the error, as JSON.

Usage: livekit_admin.py URL KEY SECRET METHOD REQUEST, with the request as JSON
"""

import asyncio
import json
import sys

from google.protobuf import json_format
from livekit import api

REQUESTS = {
    "create_room": api.CreateRoomRequest,
    "list_rooms": api.ListRoomsRequest,
    "delete_room": api.DeleteRoomRequest,
    "update_room_metadata": api.UpdateRoomMetadataRequest,
    "list_participants": api.ListParticipantsRequest,
    "get_participant": api.RoomParticipantIdentity,
    "remove_participant": api.RoomParticipantIdentity,
    "mute_published_track": api.MuteRoomTrackRequest,
    "update_participant": api.UpdateParticipantRequest,
    "update_subscriptions": api.UpdateSubscriptionsRequest,
    "send_data": api.SendDataRequest,
}


async def main():
    url, key, secret, method, text = sys.argv[1:]
    request = json_format.Parse(text, REQUESTS[method]())
    async with api.LiveKitAPI(url, key, secret) as server:
        try:
            answer = await getattr(server.room, method)(request)
            print(json_format.MessageToJson(answer))
        except api.TwirpError as error:
            print(json.dumps({"error": error.code, "status": error.status}))


asyncio.run(main())
