"""An RTSP server on a free port of 127.0.0.1: a camera with H.264 and Opus at /camera. Prints the port."""

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer  # noqa: E402

PIPELINE = """(
  videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=15/1
  ! openh264enc gop-size=15 complexity=low ! h264parse ! rtph264pay name=pay0 pt=96 config-interval=-1
  audiotestsrc is-live=true ! audio/x-raw,channels=1 ! opusenc ! rtpopuspay name=pay1 pt=97 )"""

Gst.init(None)
server = GstRtspServer.RTSPServer(address="127.0.0.1", service="0")
camera = GstRtspServer.RTSPMediaFactory(shared=True)
camera.set_launch(PIPELINE)
server.get_mount_points().add_factory("/camera", camera)
server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
