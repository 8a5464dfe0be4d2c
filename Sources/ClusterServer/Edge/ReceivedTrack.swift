import RoomNodeLink
import RoomSFU

/// A track that a link brings to an edge. When the track comes from another node, both send for a moment: subscribers see no gap.
struct ReceivedTrack {
  /// How long both nodes send at most.
  static let overlap = Duration.milliseconds(1_500)

  let injection: TrackInjection
  private var streams: LayerStreams?
  private var stream: UInt32 = 0
  /// Those of nodes that sent before.
  private var former: [LayerStreams] = []
  /// Layers that may lack packets which the former node has sent.
  private var incomplete = 0

  init(_ injection: TrackInjection) { self.injection = injection }

  /// Receives the track from streams of a link, the first of which has the number `first`.
  /// - Parameter continues: called for each layer once it is complete up to now, if the track came from another node before.
  /// - Returns: whether it did not.
  mutating func begin(at first: UInt32, of link: OpenLink, continues: @escaping @Sendable () -> Void) -> Bool {
    let isFirst = streams == nil
    if let streams { former.append(streams) }
    var new = LayerStreams(link, isSending: false)
    new.begin(.only, injection, at: first, continues: isFirst ? nil : continues)
    streams = new
    stream = first
    incomplete = LayerStreams.layers(of: injection).count
    return isFirst
  }

  /// Notes that a layer is complete up to now. Returns whether all are.
  mutating func continues(at first: UInt32) -> Bool {
    guard first == stream else { return false }
    incomplete -= 1
    return incomplete == 0
  }

  /// Ends the streams of nodes that sent before. Returns false if there are none, or the track comes from another node by now.
  mutating func settle(at first: UInt32) -> Bool {
    guard first == stream, !former.isEmpty else { return false }
    for index in former.indices { former[index].endAll() }
    former = []
    return true
  }

  mutating func end() {
    _ = settle(at: stream)
    streams?.endAll()
    streams = nil
  }
}

extension MediaTrackID {
  /// Of streams that carry one track.
  fileprivate static var only: Self { Self(0) }
}
