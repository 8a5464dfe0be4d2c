"""One call of LiveKit's server API by its Python SDK, unmodified. Prints the answer, or the error, as JSON.

Usage: livekit_admin.py URL KEY SECRET METHOD REQUEST [json], with the request as JSON. With `json` the bodies are JSON, as those of
other SDKs are, and not protobuf: only the transport is replaced.
"""

import asyncio
import json
import sys

from google.protobuf import json_format
from livekit import api
from livekit.api.twirp_client import TwirpClient
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


async def request_json(self, service, method, data, headers, response_class, *, timeout=None):
    url = f"{self.host}/{self.prefix}/{self.pkg}.{service}/{method}"
    headers = {**headers, "Content-Type": "application/json;charset=UTF-8"}
    async with self._session.post(url, headers=headers, data=json_format.MessageToJson(data)) as answer:
        if answer.status != 200:
            error = await answer.json()
            raise api.TwirpError(error["code"], error["msg"], status=answer.status)
        # Members that the message does not have are errors.
        return json_format.Parse(await answer.text(), response_class())


async def main():
    url, key, secret, method, text, *form = sys.argv[1:]
    if form == ["json"]:
        TwirpClient.request = request_json
    service, requests = next((name, requests) for name, requests in SERVICES.items() if method in requests)
    request = json_format.Parse(text, requests[method]())
    async with api.LiveKitAPI(url, key, secret) as server:
        try:
            answer = await perform(getattr(getattr(server, service), method), request)
            print(json_format.MessageToJson(answer) if answer is not None else "{}")
        except api.TwirpError as error:
            print(json.dumps({"error": error.code, "status": error.status}))


asyncio.run(main())
