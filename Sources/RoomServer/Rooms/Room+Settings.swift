import Logging
import RoomProtocol
import RoomState
import RoomToken
import WebRTC

// What a room is made with, and what is around it.

extension Room {
  /// What a room is made with.
  struct Settings: Sendable {
    var graceTime: Duration
    var connectTime: Duration = .seconds(20)
    var emptyTime: Duration
    var participants: Int
    var limits: ServerLimits
    /// What clients are told as their `pingInterval`.
    var pingInterval: Duration
    var iceServers: [ICEServerSetting] = []
    var push = PushPolicy()
    var pk = PKPicture()
    /// Of the room's own mix, where its audience gets one.
    var stage = StagePicture()
    var audience = RoomAudience.mixed
    var rules = RoomRules()
    /// What of it was asked for.
    var wishes = RoomDirectory.Wishes()
  }

  /// What rooms share with the rest of the server.
  struct Surroundings: Sendable {
    var fingerprint: Fingerprint
    var kicked: @Sendable (RoomToken) -> Void
    /// The room is closed and wants to be forgotten.
    var closed: @Sendable (Room) async -> Void
    var counters: ServerCounters
    var broadcasts: BroadcastDirectory
    var mixes: MixDirectory
    /// Another room of this server.
    var peer: @Sendable (RoomName) async -> Room?
    /// Signs a token with one of the server's keys; nil where it has none.
    var sign: @Sendable (RoomToken) -> String?
    /// What outlives the server; nil where nothing does.
    var store: StoreWriter?
    var relay: RelaySettings
    var log: Logger
    /// What the app's own server hears.
    var events: any RoomEventSink = NoRoomEvents()
  }
}
