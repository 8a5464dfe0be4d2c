import Foundation
import RoomProtocol
import RoomSFU

/// A snapshot of a room's media, as returned by `GET /v1/rooms/{room}/statistics`. Rates cover about the last second.
package struct RoomStatistics: Encodable, Sendable {
  /// One direction of a participant's media.
  struct Transport: Encodable, Sendable {
    var connected: Bool
    /// The participant's address in use; absent until ICE completes.
    var remoteAddress: String?
    /// Milliseconds; absent before the first report.
    var roundTripMs: Double?
    var receiveKbps: Int
    var sendKbps: Int
    var packetsReceived: UInt64
    var packetsSent: UInt64
    /// The estimate of what the path to the participant carries; absent without one.
    var targetKbps: Int?
    /// The time that packets wait on that path, in milliseconds.
    var queueMs: Double?
    /// Whether video waits for its turn on that path.
    var paced: Bool

    init(_ media: TransportStatistics) {
      connected = media.isConnected
      remoteAddress = media.remoteAddress
      roundTripMs = media.roundTripMilliseconds
      receiveKbps = media.receiveKbps
      sendKbps = media.sendKbps
      packetsReceived = media.packetsReceived
      packetsSent = media.packetsSent
      targetKbps = media.targetKbps
      queueMs = media.queueMilliseconds
      paced = media.isPaced
    }
  }

  /// Statistics of a published track as received from its publisher.
  struct Track: Encodable, Sendable {
    var trackId: TrackID
    var kind: TrackKind
    var codec: String
    /// What the server transcodes the track from; nil if it passes unchanged.
    var transcodedFrom: String?
    var muted: Bool
    var kbps: Int
    /// 0 for audio.
    var fps: Int
    var packets: UInt64
    var bytes: UInt64
    var lost: Int64
    /// Over the last report interval, 0…1.
    var fractionLost: Double
    var jitterMs: Double
    var frames: UInt64
    var keyFrames: UInt64
    var nacksSent: UInt64
    var keyFrameRequests: UInt64
    /// dBov, −127…0; audio only.
    var audioLevel: Int?
    /// Number of subscriptions.
    var subscriptions: Int

    init(_ track: PublishedTrack, _ media: TrackStatistics) {
      trackId = track.info.trackId
      kind = track.info.kind
      codec = track.info.codec?.rawValue ?? media.codec.lowercased()
      transcodedFrom = track.transcodedFrom
      muted = track.info.muted
      kbps = media.kbps
      fps = media.framesPerSecond
      packets = media.packets
      bytes = media.bytes
      lost = media.lost
      fractionLost = media.fractionLost
      jitterMs = media.jitterMilliseconds
      frames = media.frames
      keyFrames = media.keyFrames
      nacksSent = media.nacksSent
      keyFrameRequests = media.keyFrameRequests
      audioLevel = media.audioLevel
      subscriptions = media.subscriptions
    }
  }

  /// Statistics of everything a participant receives: one entry, however many tracks.
  struct Reception: Encodable, Sendable {
    var tracks = 0
    var kbps = 0
    var packets: UInt64 = 0
    /// From the receiver's reports.
    var lost: Int64 = 0
    /// Of the worst track, over the last report interval, 0…1.
    var fractionLost = 0.0
    /// Of the worst track, in milliseconds.
    var jitterMs = 0.0
    var nacks: UInt64 = 0
    var retransmitted: UInt64 = 0
    var keyFrameRequests: UInt64 = 0

    mutating func add(_ media: SubscriptionStatistics) {
      tracks += 1
      kbps += media.kbps
      packets &+= media.packets
      lost &+= media.lost
      fractionLost = max(fractionLost, media.fractionLost)
      jitterMs = max(jitterMs, media.jitterMilliseconds)
      nacks &+= media.nacks
      retransmitted &+= media.retransmitted
      keyFrameRequests &+= media.keyFrameRequests
    }
  }

  struct Person: Encodable, Sendable {
    var userId: UserID
    /// Absent if there is no publish transport.
    var publishing: Transport?
    var subscribing: Transport?
    var receiving: Reception
    var tracks: [Track]
  }

  var name: RoomName
  /// Time of the snapshot in milliseconds since 1970.
  var at = Int64(Date().timeIntervalSince1970 * 1000)
  /// Loudest first.
  var activeSpeakers: [UserID]
  /// In the order of joining, including hidden ones.
  var participants: [Person]
}

extension RoomStatistics {
  /// Converts media statistics to the room's public ids.
  init(of room: RoomCore, _ media: MediaStatistics) {
    var receptions: [TransportID: Reception] = [:]
    for subscription in media.subscriptions.values {
      receptions[subscription.transport, default: .init()].add(subscription)
    }
    name = room.name
    activeSpeakers = room.activeSpeakers.filter { room.roster[$0] != nil }
    participants = room.roster.order.compactMap { room.roster[$0] }.map { participant in
      let receiving = participant.receiving.transport?.id
      return Person(
        userId: participant.user, publishing: participant.publishing.flatMap { media.transports[$0.id] }.map { .init($0) },
        subscribing: receiving.flatMap { media.transports[$0] }.map { .init($0) },
        receiving: receiving.flatMap { receptions[$0] } ?? .init(),
        tracks: participant.tracks.map { .init($0, media.tracks[$0.id] ?? .init()) })
    }
  }
}
