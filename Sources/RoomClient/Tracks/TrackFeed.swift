import RoomRTP
import RoomProtocol
import Synchronization

/// The internal part of a local track: it passes frames to the rooms that publish the track.
///
/// One room has a track, on a `TrackLine`; two rooms have it while an anchor moves from one to the other.
package final class TrackFeed: Sendable {
  private struct State {
    /// The lines in the order in which rooms claimed the track.
    var lines: [TrackLine] = []
    var target: Int?
    var minimum = 0
    var wanted: Set<Rid>
    var dropped: UInt64 = 0
  }

  /// The old room and the new one.
  private static let lineLimit = 2

  let kind: TrackKind
  /// The layers of a simulcast, the smallest first; empty without.
  let layers: [Rid]
  let keyFrameRequests = Broadcaster<Void>()
  private let layerRequests = Broadcaster<Rid>()
  private let wants = Broadcaster<Set<Rid>>()
  private let targets = Broadcaster<Int>()
  private let losses = Broadcaster<Double>()
  private let state: Mutex<State>

  init(kind: TrackKind, layers: [Rid] = []) {
    self.kind = kind
    self.layers = layers
    state = Mutex(State(wanted: Set(layers)))
  }

  /// The most recently assigned id.
  ///
  /// Not lazy: a lazy `compactMap` reads each value twice, and another thread may clear it in between.
  var trackId: TrackID? { lines.reversed().compactMap(\.trackId).first }
  /// Whether the newest room mutes the track.
  var isMuted: Bool { lines.last?.isMuted ?? false }
  /// The number of frames that a connected room dropped.
  var dropped: UInt64 { state.withLock { $0.dropped } }
  /// The lowest useful bitrate of a video in bits per second; 0 if any is.
  var minimum: Int { state.withLock { $0.minimum } }
  /// The share of audio packets that the path to the server lost, 0…1, once a second. Each access returns a new stream.
  package var lossReports: AsyncStream<Double> { losses.stream(backlog: 3) }
  var targetBitrates: AsyncStream<Int> { targets.stream(backlog: 1, first: state.withLock { $0.target }) }

  private var lines: [TrackLine] { state.withLock { $0.lines } }

  /// The layers for which a key frame is requested. Each access returns a new stream.
  var layerKeyFrameRequests: AsyncStream<Rid> { layerRequests.stream(backlog: 4 * max(1, layers.count)) }
  /// The layers that are in use. Each access returns a new stream, which starts with the current ones.
  var wantedLayers: AsyncStream<Set<Rid>> { wants.stream(backlog: 1, first: state.withLock { $0.wanted }) }

  /// Requests a key frame of a layer, or of all that there are.
  func askForKeyFrame(_ rid: Rid? = nil) {
    keyFrameRequests.send(())
    for layer in layers where rid == nil || rid == layer { layerRequests.send(layer) }
  }

  /// Sends the layers that any line wants, if they changed.
  func spreadWanted() {
    let new: Set<Rid>? = state.withLock { state in
      var wanted: Set<Rid> = state.lines.isEmpty ? Set(layers) : []
      for line in state.lines { wanted.formUnion(line.wanted ?? Set(layers)) }
      defer { state.wanted = wanted }
      return state.wanted == wanted ? nil : wanted
    }
    if let new { wants.send(new) }
  }

  /// Sends a frame. Returns true if a room accepted it.
  /// - Parameter rid: the layer, if the track has layers.
  func send(_ frame: EncodedFrame, rid: Rid? = nil, level: Int?) -> Bool {
    var (isSent, isDropped, asks) = (false, false, false)
    for line in lines {
      switch line.send(frame, rid: rid, level: level) {
      case .sent: isSent = true
      case .notConnected: break
      case .dropped(let needsKeyFrame):
        isDropped = true
        asks = asks || needsKeyFrame
      }
    }
    if isDropped { state.withLock { $0.dropped &+= 1 } }
    if asks { askForKeyFrame(rid) }
    return isSent
  }

  /// Claims the track for a room. Returns nil if a room already has it.
  /// - Parameter sharing: whether to claim it in addition to the room that has it, with the same mute state.
  func claim(sharing: Bool = false) -> TrackLine? {
    state.withLock { state in
      guard state.lines.count < (sharing ? Self.lineLimit : 1) else { return nil }
      let line = TrackLine(self, muted: state.lines.last?.isMuted ?? false)
      state.lines.append(line)
      return line
    }
  }

  /// Removes a room's claim.
  func remove(_ line: TrackLine) {
    state.withLock { $0.lines.removeAll { $0 === line } }
    spreadTarget()
    spreadWanted()
  }

  /// Sets the lowest useful bitrate of a video. A path that carries less assigns it 0.
  package func setMinimum(_ bitsPerSecond: Int) { state.withLock { $0.minimum = bitsPerSecond } }

  func lossReported(_ share: Double) { losses.send(share) }

  /// Sends the bitrate that all lines can carry.
  func spreadTarget() {
    let new: Int? = state.withLock { state in
      guard let least = state.lines.compactMap(\.target).min() else { return nil }
      state.target = least
      return least
    }
    if let new { targets.send(new) }
  }
}
