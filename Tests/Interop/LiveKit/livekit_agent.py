"""A worker of LiveKit's agents framework, unmodified. Its agent joins the room of its job and plays a tone.

Usage: livekit_agent.py URL KEY SECRET NAME HERTZ, with an empty name for the agent of every room. Prints a line when the worker is
registered.
"""

import asyncio
import sys

import numpy
from livekit import rtc
from livekit.agents import AgentServer, JobContext

RATE, SAMPLES = 48000, 480
url, key, secret, name, hertz = sys.argv[1:]

# It listens for health checks, and keeps one process for the next job.
server = AgentServer(
    ws_url=url, api_key=key, api_secret=secret, host="127.0.0.1", port=0, num_idle_processes=1, shutdown_process_timeout=3.0,
)


async def sound(source):
    count = 0
    while True:
        time = (numpy.arange(SAMPLES) + count * SAMPLES) / RATE
        tone = (numpy.sin(2 * numpy.pi * float(hertz) * time) * 12000).astype(numpy.int16)
        count += 1
        await source.capture_frame(rtc.AudioFrame(tone.tobytes(), RATE, 1, SAMPLES))


@server.rtc_session(agent_name=name)
async def play(job: JobContext):
    await job.connect()
    source = rtc.AudioSource(RATE, 1)
    track = rtc.LocalAudioTrack.create_audio_track("tone", source)
    options = rtc.TrackPublishOptions(source=rtc.TrackSource.SOURCE_MICROPHONE)
    await job.room.local_participant.publish_track(track, options)
    # When a job ends, the framework waits up to 15 s for this function. The job keeps the task.
    job.proc.userdata["sound"] = asyncio.create_task(sound(source))


if __name__ == "__main__":
    server.on("worker_registered", lambda *_: print("registered", flush=True))
    # Without the limit of load, which the tests of a busy machine exceed.
    asyncio.run(server.run(devmode=True))
