"""VLC, through libvlc: pictures as it shows them, and its log.

usage: vlc_player.py URL SECONDS REPORT [OPTION_OF_VLC…]
"""

import ctypes
import os
import sys
import tempfile
import time
import zlib

import vlc

from playout import Playout, write

url, seconds, report, *options = sys.argv[1:]
playout = Playout()
# VLC drops the contents of its video output when the size changes: as much as this cache, in milliseconds. The default is 1000.
CACHE = 300
log = tempfile.NamedTemporaryFile(suffix=".log")
# libavcodec in VLC writes to stderr what it can't decode, unless VLC is --quiet.
complaints = tempfile.TemporaryFile("w+", errors="replace")
sys.stderr = os.fdopen(os.dup(2), "w")
os.dup2(complaints.fileno(), 2)
instance = vlc.Instance(
    "--no-xlib", "--aout=adummy", "--file-logging", f"--logfile={log.name}", "--log-verbose=2", f"--network-caching={CACHE}",
    f"--file-caching={CACHE}", *options)
player = instance.media_player_new()
size = [0, 0]
memory = ctypes.create_string_buffer(2048 * 2048 * 4)
last = None


@vlc.CallbackDecorators.VideoFormatCb
def set_up(opaque, chroma, width, height, pitches, lines):
    ctypes.memmove(chroma, b"RV32", 4)
    size[:] = [width[0], height[0]]
    pitches[0], lines[0] = min(2048, width[0]) * 4, min(2048, height[0])
    return 1


@vlc.CallbackDecorators.VideoCleanupCb
def clean_up(opaque):
    pass


@vlc.CallbackDecorators.VideoLockCb
def lock(opaque, planes):
    planes[0] = ctypes.addressof(memory)
    return None


@vlc.CallbackDecorators.VideoUnlockCb
def unlock(opaque, picture, planes):
    pass


@vlc.CallbackDecorators.VideoDisplayCb
def display(opaque, picture):
    global last
    # VLC shows a picture again if the next one is late.
    picture = zlib.crc32(memoryview(memory)[:size[0] * size[1] * 4])
    if picture != last:
        playout.picture(*size)
    last = picture


player.video_set_format_callbacks(set_up, clean_up)
player.video_set_callbacks(lock, unlock, display, None)
player.set_media(instance.media_new(url))
player.play()
end = time.monotonic() + float(seconds)
while time.monotonic() < end:
    time.sleep(0.2)
    if player.get_state() in (vlc.State.Ended, vlc.State.Error):
        playout.end = f"ended by itself: {player.get_state()}"
        break
statistics = vlc.MediaStats()
player.get_media().get_stats(statistics)
player.stop()
# Messages for data that VLC could not demux or packetize.
trouble = ("decode_slice", "non-existing", "error while decoding", "no frame!", "moov before", "Invalid NAL", "sps_id", "pps_id")
for line in open(log.name, errors="replace"):
    if any(word.lower() in line.lower() for word in trouble):
        playout.error(line)
complaints.seek(0)
for line in complaints:
    # As "[h264 @ 0x7f66c40f6880] error while decoding MB 1 10".
    if " @ 0x" in line:
        playout.error(line)
write(report, playout.report(stall=round(playout.longest_pause()), lost=statistics.lost_pictures, decoded=statistics.decoded_video))
