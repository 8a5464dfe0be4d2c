import Foundation
import Logging
import RoomCluster
import RoomRelay
import RoomProtocol
import RoomToken
import RoomSFU
import RoomWebRTC

/// The services of the server that rooms use.
package struct RoomDependencies: Sendable {
  package var fingerprint: Fingerprint
  /// Revokes a kicked user's token.
  package var kicked: @Sendable (RoomToken) -> Void
  /// Removes a room that has closed.
  package var closed: @Sendable (Room) async -> Void
  /// Counts events for the metrics.
  package var count: @Sendable (RoomCount) -> Void
  package var broadcasts: BroadcastDirectory
  package var mixes: MixDirectory
  /// Plays files and URLs; nil for a server that plays none.
  package var players: (any RoomPlayers)?
  /// Finds another room, of this server or of its cluster.
  package var peer: @Sendable (RoomName) async -> (any PeerRoom)?
  /// The queue of the rooms that look for a PK opponent, which all rooms share.
  package var matchmaking: any Matchmaking = LocalMatchmaking()
  /// Signs a token with one of the server's keys; nil if it has none.
  package var sign: @Sendable (RoomToken) -> String?
  /// Receives what lists show of a room, after each change; nil when the room closes. Must not block.
  package var listed: @Sendable (RoomName, RoomSummary?) -> Void
  /// The store that survives a server restart; nil if nothing is stored.
  package var store: StoreWriter?
  package var relay: RelaySettings
  /// The addresses at which an audience reaches the server.
  package var play: @Sendable () -> PlayAddresses
  package var log: Logger
  /// The sink of events for the app's own server.
  package var events: any WebhookEventSink

  package init(
    fingerprint: Fingerprint, kicked: @escaping @Sendable (RoomToken) -> Void, closed: @escaping @Sendable (Room) async -> Void,
    count: @escaping @Sendable (RoomCount) -> Void = { _ in }, broadcasts: BroadcastDirectory, mixes: MixDirectory,
    players: (any RoomPlayers)? = nil, peer: @escaping @Sendable (RoomName) async -> (any PeerRoom)?,
    sign: @escaping @Sendable (RoomToken) -> String?,
    listed: @escaping @Sendable (RoomName, RoomSummary?) -> Void = { _, _ in }, store: StoreWriter? = nil, relay: RelaySettings,
    play: @escaping @Sendable () -> PlayAddresses = { PlayAddresses() },
    log: Logger, events: any WebhookEventSink = NoWebhookEvents()
  ) {
    self.fingerprint = fingerprint
    self.kicked = kicked
    self.closed = closed
    self.count = count
    self.broadcasts = broadcasts
    self.mixes = mixes
    self.players = players
    self.peer = peer
    self.sign = sign
    self.listed = listed
    self.store = store
    self.relay = relay
    self.play = play
    self.log = log
    self.events = events
  }

  package func report(_ name: WebhookEvent.Name, _ data: any Encodable & Sendable, room: RoomName, session: String) {
    events.tell(
      WebhookEvent(
        room: room, session: session, name: name, time: Int64(Date().timeIntervalSince1970 * 1000), data: data))
  }

  /// Returns the recorders of a room's jobs. The recorders report the end of a recording even after the room has closed.
  func recorder(of room: RoomName, session: String) -> @Sendable (JobID) -> BroadcastDirectory.Recorder {
    { job in
      let owner = RecordingOwner(room: room.rawValue, session: session, job: job.rawValue)
      return BroadcastDirectory.Recorder(owner: owner) { recording, summary in
        let failure = summary.failure.map { JobFailure(cause: JobFailureCause(rawValue: $0.name), message: $0.description) }
        report(
          .recordingFinished,
          WebhookEventData.Recording(
            name: "\(recording)", files: summary.files, bytes: summary.bytes, droppedPictures: summary.droppedPictures,
            failure: failure), room: room, session: session)
      }
    }
  }
}

extension RoomCore.Settings {
  /// Returns the settings completed with those that the server gives every room.
  func completed(by dependencies: RoomDependencies, _ media: MediaRoom) -> Self {
    var settings = self
    settings.fingerprints = [dependencies.fingerprint]
    settings.candidates = { media.candidates }
    settings.addresses = { media.addresses(of: $0) }
    settings.isStored = dependencies.store != nil
    settings.playerRefusal = { [weak players = dependencies.players] in
      players == nil ? "this server plays no files and URLs" : players?.refusal
    }
    settings.jobs = dependencies.relay.jobsPerRoom
    settings.jobStatusInterval = dependencies.relay.statusInterval
    return settings
  }
}
