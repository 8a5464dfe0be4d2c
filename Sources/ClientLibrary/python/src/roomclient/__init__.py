"""Client of roomserver: rooms, tracks, seats, PK and messages for asyncio.

    async with await roomclient.connect(url, token) as room:
        camera = roomclient.VideoTrack(640, 360, fps=24)
        await room.publish(camera)
        camera.push(picture)  # a NumPy array: height x width x 3, RGB

Everything of a room runs on the event loop that joined it.
"""

from ._errors import RoomError
from ._frames import EncodedFrame, Picture, Samples
from ._room import Event, Level, Room, connect
from ._tracks import (
    AudioTrack, EncodedAudioTrack, EncodedVideoTrack, LocalTrack, Reader, RemoteTrack, TestPicture, Tone, VideoTrack,
)

__all__ = [
    "AudioTrack", "EncodedAudioTrack", "EncodedFrame", "EncodedVideoTrack", "Event", "Level", "LocalTrack", "Picture",
    "Reader", "RemoteTrack", "Room", "RoomError", "Samples", "TestPicture", "Tone", "VideoTrack", "connect",
]
