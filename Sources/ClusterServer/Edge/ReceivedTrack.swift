import RoomCluster
import RoomNodeLink
import RoomSFU

/// A track that a link brings to an edge. When the track comes from another node, both send for a moment: subscribers see no gap.
struct ReceivedTrack {
  /// How long both nodes send at most.
  static let overlap = Duration.milliseconds(1_500)
  /// The maximum number of nodes that still send. A further move ends the oldest.
  private static let formerLimit = 4

  let injection: TrackInjection
  /// The node that sends the track; nil before the first.
  private(set) var source: Incarnation?
  private var streams: TrackStreams?
  /// Those of nodes that sent before.
  private var former: [TrackStreams] = []
  /// Layers that may lack packets which the former node has sent.
  private var incomplete = 0

  init(_ injection: TrackInjection) { self.injection = injection }

  /// Receives the track from streams of the link to a node, the first of which has the number `first`.
  /// - Parameter continues: called for each layer once it is complete up to now, if the track came from another node before.
  /// - Returns: whether it did not.
  mutating func begin(
    at first: UInt32, of link: OpenLink, from source: Incarnation, continues: @escaping @Sendable () -> Void
  ) -> Bool {
    let isFirst = streams == nil
    if let streams { former.append(streams) }
    if former.count > Self.formerLimit { former.removeFirst().end() }
    streams = TrackStreams(receiving: injection, at: first, of: link, continues: isFirst ? nil : continues)
    self.source = source
    incomplete = TrackStreams.layers(of: injection).count
    return isFirst
  }

  /// Notes that a layer is complete up to now. Returns whether all are.
  mutating func continues(at first: UInt32) -> Bool {
    guard first == streams?.first else { return false }
    incomplete -= 1
    return incomplete == 0
  }

  /// Ends the streams of nodes that sent before. Returns false if there are none, or the track comes from another node by now.
  mutating func settle(at first: UInt32) -> Bool {
    guard first == streams?.first, !former.isEmpty else { return false }
    for streams in former { streams.end() }
    former = []
    return true
  }

  func end() {
    for streams in former { streams.end() }
    streams?.end()
  }
}
