import RoomLiveOrigin
import RoomRTMP
import RoomRTP
import RoomSRT
import RoomTransportStream
import Synchronization

/// One player of a stream by SRT: the stream's messages become a transport stream.
///
/// Reads from the hub only what its client takes. A slow client loses pictures as other viewers do, and what the library holds for it
/// is bounded.
final class SRTPlayer: Sendable {
  /// Bytes that may wait for the client's acknowledgement.
  private static let window = 1 << 20
  /// Messages that are read in a row before other players get a turn.
  private static let turn = 64
  /// The time in milliseconds that a client needs beyond its latency to deliver the last packets.
  private static let lag: Int64 = 300

  fileprivate struct State {
    let viewer: StreamViewer
    /// Nil until the stream's kinds of media are known.
    var muxer: MessageMuxer?
    var pending: [UInt8] = []
    var position = 0
    var countedDrops = 0
    /// Since when everything is sent, after the end of the stream.
    var ended: Instant?
  }

  let connection: SRTConnection
  private let viewing: Origin.Viewing
  private let counters: OriginCounters
  private let state: Mutex<State>

  /// Returns nil if the stream's limit of viewers is reached.
  init?(_ connection: SRTConnection, _ viewing: Origin.Viewing, _ counters: OriginCounters) {
    guard let viewer = viewing.hub.join(StreamViewer.Options()) else { return nil }
    self.connection = connection
    self.viewing = viewing
    self.counters = counters
    state = Mutex(State(viewer: viewer))
  }

  /// The codecs of a stream that players by SRT do not get.
  static func missing(_ codecs: MediaCodecs) -> [String] {
    [codecs.video.flatMap { $0.isAVC ? nil : $0.title }, codecs.audio.flatMap { $0.isAAC ? nil : $0.title }].compactMap { $0 }
  }

  /// Sends what the client takes. Returns false once the stream has ended and the client has it.
  func pump(now: Instant) -> Bool {
    state.withLock { state in
      if let ended = state.ended {
        return now - ended < (Int64(connection.latency) + Self.lag) * 1000
      }
      guard let kinds = viewing.hub.kinds else { return viewing.hub.statistics.isPublished }
      if state.muxer == nil {
        let codecs = viewing.hub.codecs
        state.muxer = MessageMuxer(
          hasVideo: kinds.contains(.video) && codecs.video?.isAVC == true,
          hasAudio: kinds.contains(.audio) && codecs.audio?.isAAC == true)
      }
      defer { state.countDrops(counters) }
      var turns = 0
      while turns < Self.turn, connection.unacknowledged < Self.window {
        if state.position < state.pending.count {
          let end = min(state.position + SRTConnection.messageLength, state.pending.count)
          guard connection.send(state.pending[state.position..<end]) else { break }
          counters.countSent(end - state.position, over: .srt)
          state.position = end
          continue
        }
        turns += 1
        switch state.viewer.next() {
        case .media(let media): state.fill(state.muxer?.packets(of: media.media) ?? [])
        case .nothing:
          let rest = state.muxer?.flush() ?? []
          guard !rest.isEmpty else { return true }
          state.fill(rest)
        case .end:
          state.ended = now
          return true
        }
      }
      return true
    }
  }
}

extension SRTPlayer.State {
  mutating func fill(_ packets: [UInt8]) { (pending, position) = (packets, 0) }

  mutating func countDrops(_ counters: OriginCounters) {
    let dropped = viewer.counters.droppedFrames &+ viewer.counters.missed
    if dropped != countedDrops { counters.countDropped(dropped - countedDrops) }
    countedDrops = dropped
  }
}
