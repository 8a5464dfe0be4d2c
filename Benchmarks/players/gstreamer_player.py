"""GStreamer's playbin3: pictures as its sink shows them.

usage: gstreamer_player.py URL SECONDS REPORT
"""

import sys
import time

import gi

gi.require_version("Gst", "1.0")
from gi.repository import GLib, Gst  # noqa: E402

from playout import Playout, write  # noqa: E402

url, seconds, report = sys.argv[1:]
Gst.init(None)
playout = Playout()
player = Gst.ElementFactory.make("playbin3", None)
picture_sink = Gst.ElementFactory.make("fakesink", None)
sound_sink = Gst.ElementFactory.make("fakesink", None)
for sink in (picture_sink, sound_sink):
    sink.set_property("sync", True)
picture_sink.set_property("signal-handoffs", True)
sounds = []


def shown(_, buffer, pad):
    caps = pad.get_current_caps()
    structure = caps.get_structure(0) if caps else None
    width, height = (structure.get_value(name) or 0 for name in ("width", "height")) if structure else (0, 0)
    playout.picture(width, height)


picture_sink.connect("handoff", shown)
player.set_property("video-sink", picture_sink)
player.set_property("audio-sink", sound_sink)
player.set_property("uri", url)
loop = GLib.MainLoop()


def message(_, what):
    if what.type == Gst.MessageType.EOS:
        playout.end = "ended by itself"
        loop.quit()
    elif what.type == Gst.MessageType.ERROR:
        playout.end = str(what.parse_error()[0].message)
        loop.quit()
    elif what.type == Gst.MessageType.WARNING:
        playout.error(str(what.parse_warning()[0].message))
    return True


bus = player.get_bus()
bus.add_signal_watch()
bus.connect("message", message)
GLib.timeout_add(int(float(seconds) * 1000), loop.quit)
player.set_state(Gst.State.PLAYING)
loop.run()
player.set_state(Gst.State.NULL)
write(report, playout.report(stall=round(playout.longest_pause())))
