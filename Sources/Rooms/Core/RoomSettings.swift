import RoomRTP
import RoomProtocol
import RoomState
import RoomSFU
import RoomWebRTC

extension RoomCore {
  /// The settings of a room. Some of them can change while the room is open.
  package struct Settings: Sendable {
    /// Time that a disconnected participant has to reconnect.
    package var graceTime: Duration
    /// Maximum grace time of an encoder.
    package var encoderGraceTime: Duration = .seconds(10)
    /// Time that a WHIP or WHEP session has to connect its media.
    package var connectTime: Duration = .seconds(20)
    /// Time that a room without participants stays open.
    package var emptyTime: Duration
    /// Maximum number of participants and viewers.
    package var participants: Int
    package var limits: RoomBounds
    /// The `pingInterval` sent to clients.
    package var pingInterval: Duration
    package var iceServers: [ICEServerSetting] = []
    package var push = PushPolicy()
    /// The picture of a PK; nil for one by the shape of both cameras.
    package var pk: PKPicture?
    /// The style of the composition of the users on stage.
    package var stage = StagePicture()
    package var audience = RoomAudience.mixed
    /// Who may watch without joining.
    package var watch = WatchPolicy()
    /// Whether a room without a live makes a program at the origin for viewers without WebRTC.
    package var watchFallback = true
    package var rules = RoomRules()
    /// The options of the request that created the room; nil members mean the default.
    package var options = RoomSettingsOptions()
    /// Maximum number of jobs.
    package var jobs = 16
    /// Interval of `jobStatus` events.
    package var jobStatusInterval: Duration = .seconds(3)
    /// This server's side of every transport, without credentials and role.
    package var fingerprints: [Fingerprint] = []
    /// Returns the candidates for the next transport: the media plane chooses its worker.
    package var candidates: @Sendable () -> [ICECandidate] = { [] }
    /// Returns the other server's side of the next transport at an annex; nil if the annex has ended.
    package var addresses: @Sendable (MediaAnnexID) -> (fingerprint: Fingerprint, candidates: [ICECandidate])? = { _ in nil }
    /// Whether the server has a directory for recordings.
    package var records = false
    /// Whether the room is stored, so that it survives a server restart.
    package var isStored = false
    /// Returns why no player can be started now; nil if one can.
    package var playerRefusal: @Sendable () -> String? = { nil }

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
