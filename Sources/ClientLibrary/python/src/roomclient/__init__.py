"""Client of roomserver: rooms, tracks, studio, seats, PK, messages and streaming for asyncio.

    async with await roomclient.connect(url, token) as room:
        camera = roomclient.VideoTrack(640, 360, fps=24)
        await room.publish(camera)
        camera.push(picture)  # a NumPy array: height x width x 3, RGB

Everything of a room runs on the event loop that joined it.
"""

from ._errors import RoomError
from ._frames import EncodedFrame, Picture, Samples
from ._player import PlayerChange, StreamPlayer
from ._readers import Reader
from ._room import Room, check_network, connect
from ._sound import Echo, Effect, Gain, Loudness, Pitch, Reverb, SoundStudio
from ._streaming import Mix, Placement, StreamingEvent, StreamingSession, StreamingStatus, StreamingSwitches
from ._studio import Overlay, PictureStudio, Sticker, Text
from ._tracks import (
    AudioTrack, EncodedAudioTrack, EncodedVideoTrack, LocalTrack, RemoteTrack, SimulcastTrack, TestPicture, Tone,
    VideoTrack,
)
from .events import Event, Level, RoomEvent

__all__ = [
    "AudioTrack", "Echo", "Effect", "EncodedAudioTrack", "EncodedFrame", "EncodedVideoTrack", "Event", "Gain", "Level",
    "LocalTrack", "Loudness", "Mix", "Overlay", "Picture", "PictureStudio", "Pitch", "Placement", "PlayerChange", "Reader",
    "RemoteTrack", "Reverb", "Room", "RoomError", "RoomEvent", "Samples", "SimulcastTrack", "SoundStudio", "Sticker",
    "StreamPlayer", "StreamingEvent", "StreamingSession", "StreamingStatus", "StreamingSwitches", "TestPicture", "Text",
    "Tone", "VideoTrack", "check_network", "connect",
]
