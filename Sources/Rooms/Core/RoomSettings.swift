import RTP
import RoomProtocol
import RoomState
import WebRTC

extension RoomCore {
  /// What a room is made with. Some of it can change while the room is open.
  package struct Settings: Sendable {
    /// How long a participant that can't be reached keeps its place.
    package var graceTime: Duration
    /// The longest grace time of an encoder that publishes by RTMP.
    package var encoderGraceTime: Duration = .seconds(10)
    /// How long a session over HTTP may take to connect its media.
    package var connectTime: Duration = .seconds(20)
    /// How long a room without participants stays open.
    package var emptyTime: Duration
    /// Participants and viewers at once.
    package var participants: Int
    package var limits: RoomBounds
    /// The `pingInterval` that clients get.
    package var pingInterval: Duration
    package var iceServers: [ICEServerSetting] = []
    package var push = PushPolicy()
    package var pk = PKPicture()
    /// The picture of the room's own mix.
    package var stage = StagePicture()
    package var audience = RoomAudience.mixed
    package var rules = RoomRules()
    /// The options of the request that created the room; nil members mean the default.
    package var wishes = RoomWishes()
    /// Jobs at once.
    package var jobs = 16
    /// Between two `jobStatus` events.
    package var jobStatusInterval: Duration = .seconds(3)
    /// This server's side of every transport, but for its credentials and role.
    package var fingerprints: [Fingerprint] = []
    package var candidates: [ICECandidate] = []
    /// Whether the room is stored: it then survives the server's end.
    package var isStored = false

    /// The other settings have their defaults.
    package init(
      graceTime: Duration, emptyTime: Duration, participants: Int, limits: RoomBounds, pingInterval: Duration
    ) {
      self.graceTime = graceTime
      self.emptyTime = emptyTime
      self.participants = participants
      self.limits = limits
      self.pingInterval = pingInterval
    }
  }
}
