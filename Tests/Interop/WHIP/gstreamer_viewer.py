"""A WHEP viewer with GStreamer's webrtcbin: gstreamer_viewer.py URL TOKEN

Prints twice a second what it decoded and which ciphers its SRTP uses. Runs with Debian's own Python, where `gi` is.
"""

import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstSdp", "1.0")
gi.require_version("GstWebRTC", "1.0")
from gi.repository import GLib, Gst, GstSdp, GstWebRTC  # noqa: E402

from peer import Session, say, when_told_to_end  # noqa: E402

CAPS = {
    "video": "application/x-rtp,media=video,encoding-name=VP8,payload=96,clock-rate=90000,rtcp-fb-nack-pli=true",
    "audio": "application/x-rtp,media=audio,encoding-name=OPUS,payload=97,clock-rate=48000,encoding-params=(string)2",
}


class Viewer:
    def __init__(self, url, token):
        self.session = Session(url, token)
        self.loop = GLib.MainLoop()
        self.frames = {"video": 0, "audio": 0}
        self.size = None
        self.offered = False
        self.pipeline = Gst.Pipeline()
        self.peer = Gst.ElementFactory.make("webrtcbin")
        self.peer.set_property("bundle-policy", GstWebRTC.WebRTCBundlePolicy.MAX_BUNDLE)
        self.pipeline.add(self.peer)
        # libnice omits loopback, where the tests' server runs.
        # Retained, because the bindings assume ownership of the agent and would free it.
        self.agent = self.peer.get_property("ice-agent")
        self.agent.emit("add-local-ip-address", "127.0.0.1")
        self.peer.connect("pad-added", self.on_pad)
        self.peer.connect("notify::ice-gathering-state", self.on_gathering)
        self.peer.connect("notify::connection-state", self.on_state)
        for caps in CAPS.values():
            direction = GstWebRTC.WebRTCRTPTransceiverDirection.RECVONLY
            self.peer.emit("add-transceiver", direction, Gst.Caps.from_string(caps))

    def run(self):
        self.pipeline.set_state(Gst.State.PLAYING)
        self.peer.emit("create-offer", None, Gst.Promise.new_with_change_func(self.on_offer))
        when_told_to_end(lambda: GLib.idle_add(self.loop.quit))
        GLib.timeout_add(500, self.report)
        self.loop.run()
        self.session.end()
        self.pipeline.set_state(Gst.State.NULL)

    def on_offer(self, promise):
        # Retained while its offer is used, because the offer is freed with the reply.
        self.reply = promise.get_reply()
        offer = self.reply.get_value("offer")
        self.peer.emit("set-local-description", offer, Gst.Promise.new())

    def on_gathering(self, *_):
        if self.peer.get_property("ice-gathering-state") == GstWebRTC.WebRTCICEGatheringState.COMPLETE:
            GLib.idle_add(self.post)

    def post(self):
        if self.offered:
            return False
        self.offered = True
        sdp = self.peer.get_property("local-description").sdp.as_text()
        _, answer = GstSdp.SDPMessage.new_from_text(self.session.offer(sdp))
        description = GstWebRTC.WebRTCSessionDescription.new(GstWebRTC.WebRTCSDPType.ANSWER, answer)
        self.peer.emit("set-remote-description", description, Gst.Promise.new())
        return False

    def on_state(self, *_):
        say(event="state", state=self.peer.get_property("connection-state").value_nick)

    def on_pad(self, _, pad):
        if pad.direction != Gst.PadDirection.SRC:
            return
        kind = pad.get_current_caps().get_structure(0).get_string("media")
        decode = "rtpvp8depay ! vp8dec" if kind == "video" else "rtpopusdepay ! opusdec"
        branch = Gst.parse_bin_from_description(f"queue ! {decode} ! fakesink name=end sync=false signal-handoffs=true", True)
        branch.get_by_name("end").connect("handoff", self.on_decoded, kind)
        self.pipeline.add(branch)
        branch.sync_state_with_parent()
        pad.link(branch.get_static_pad("sink"))

    def on_decoded(self, _, buffer, pad, kind):
        self.frames[kind] += 1
        if kind == "video" and self.size is None:
            shape = pad.get_current_caps().get_structure(0)
            self.size = [shape.get_int("width")[1], shape.get_int("height")[1]]

    def report(self):
        ciphers = []
        found = self.pipeline.iterate_recurse()
        while True:
            result, element = found.next()
            if result != Gst.IteratorResult.OK:
                break
            if element.get_factory() and element.get_factory().get_name() == "dtlsdec":
                ciphers.append([element.get_property("srtp-cipher"), element.get_property("srtp-auth")])
        say(event="decoded", frames=self.frames["video"], samples=self.frames["audio"], size=self.size, ciphers=ciphers)
        return True


Gst.init(None)
Viewer(*sys.argv[1:3]).run()
