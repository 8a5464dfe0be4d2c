"""VLC, through libvlc: pictures as it shows them, and its log.

usage: vlc_player.py URL SECONDS REPORT
"""

import ctypes
import sys
import tempfile
import time

import vlc

from playout import Playout, write

url, seconds, report = sys.argv[1:]
playout = Playout()
# VLC drops the contents of its video output when the size changes: as much as this cache, in milliseconds. The default is 1000.
CACHE = 300
log = tempfile.NamedTemporaryFile(suffix=".log")
instance = vlc.Instance(
    "--quiet", "--no-xlib", "--aout=adummy", "--file-logging", f"--logfile={log.name}", "--log-verbose=2", f"--network-caching={CACHE}")
player = instance.media_player_new()
size = [0, 0]
memory = ctypes.create_string_buffer(2048 * 2048 * 4)


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
    playout.picture(*size)


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
# VLC's log messages for data that could not be decoded or demuxed.
trouble = ("decode_slice", "non-existing", "error while decoding", "no frame!", "moov before", "Invalid NAL", "sps_id", "pps_id")
for line in open(log.name, errors="replace"):
    if any(word.lower() in line.lower() for word in trouble):
        playout.error(line)
write(report, playout.report(stall=round(playout.longest_pause()), lost=statistics.lost_pictures, decoded=statistics.decoded_video))
