"""One call of LiveKit's server API by its Python SDK, unmodified. Prints the answer, or the error, as JSON.

Usage: livekit_admin.py URL KEY SECRET METHOD REQUEST, with the request as JSON
"""

import asyncio
import json
import sys

from google.protobuf import json_format
from livekit import api
from livekit.protocol import room

SERVICES = {
    "room": {
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
        "forward_participant": room.ForwardParticipantRequest,
        "move_participant": room.MoveParticipantRequest,
    },
    "egress": {
        "start_room_composite_egress": api.RoomCompositeEgressRequest,
        "start_participant_egress": api.ParticipantEgressRequest,
        "start_track_composite_egress": api.TrackCompositeEgressRequest,
        "start_track_egress": api.TrackEgressRequest,
        "start_web_egress": api.WebEgressRequest,
        "start_egress": api.StartEgressRequest,
        "update_layout": api.UpdateLayoutRequest,
        "update_stream": api.UpdateStreamRequest,
        "list_egress": api.ListEgressRequest,
        "stop_egress": api.StopEgressRequest,
    },
    "ingress": {
        "create_ingress": api.CreateIngressRequest,
        "update_ingress": api.UpdateIngressRequest,
        "list_ingress": api.ListIngressRequest,
        "delete_ingress": api.DeleteIngressRequest,
    },
    "agent_dispatch": {
        "create_dispatch": api.CreateAgentDispatchRequest,
        "list_dispatch": api.ListAgentDispatchRequest,
        "delete_dispatch": api.DeleteAgentDispatchRequest,
    },
}


async def perform(method, request):
    # These two take members of their requests.
    if isinstance(request, api.DeleteAgentDispatchRequest):
        return await method(request.dispatch_id, request.room)
    if isinstance(request, api.ListAgentDispatchRequest):
        return api.ListAgentDispatchResponse(agent_dispatches=await method(request.room))
    return await method(request)


async def main():
    url, key, secret, method, text = sys.argv[1:]
    service, requests = next((name, requests) for name, requests in SERVICES.items() if method in requests)
    request = json_format.Parse(text, requests[method]())
    async with api.LiveKitAPI(url, key, secret) as server:
        try:
            answer = await perform(getattr(getattr(server, service), method), request)
            print(json_format.MessageToJson(answer) if answer is not None else "{}")
        except api.TwirpError as error:
            print(json.dumps({"error": error.code, "status": error.status}))


asyncio.run(main())
