import RTP
import RoomProtocol
import RoomState
import WebRTC

extension RoomCore {
  /// What a room is made with. Some of it can change while the room is open.
  struct Settings: Sendable {
    /// How long a participant that can't be reached keeps its place.
    var graceTime: Duration
    /// The longest grace time of an encoder that publishes by RTMP.
    var encoderGraceTime: Duration = .seconds(10)
    /// How long a session over HTTP may take to connect its media.
    var connectTime: Duration = .seconds(20)
    /// How long a room without participants stays open.
    var emptyTime: Duration
    /// Participants and viewers at once.
    var participants: Int
    var limits: ServerLimits
    /// The `pingInterval` that clients get.
    var pingInterval: Duration
    var iceServers: [ICEServerSetting] = []
    var push = PushPolicy()
    var pk = PKPicture()
    /// The picture of the room's own mix.
    var stage = StagePicture()
    var audience = RoomAudience.mixed
    var rules = RoomRules()
    /// The options of the request that created the room; nil members mean the default.
    var wishes = RoomDirectory.Wishes()
    /// Jobs at once.
    var jobs = 16
    /// Between two `jobStatus` events.
    var jobStatusInterval: Duration = .seconds(3)
    /// This server's side of every transport, but for its credentials and role.
    var fingerprints: [Fingerprint] = []
    var candidates: [ICECandidate] = []
    /// Whether the room is stored: it then survives the server's end.
    var isStored = false
  }
}

/// A moment, by the clocks that a room needs.
struct RoomTime: Sendable, Hashable {
  /// Monotonic.
  var instant: Instant
  /// Milliseconds since 1970.
  var unix: Int64
}
