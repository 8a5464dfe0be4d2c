import RoomLiveOrigin

/// A stream as a watch page shows it.
package struct StreamShape: Sendable, Hashable {
  /// Whether its publisher is connected.
  package var isPublished: Bool
  /// The picture's size in pixels; nil if it is unknown, or there is no picture.
  package var width: Int?
  package var height: Int?
  /// The number of viewers over all protocols, with those of the stream's variants.
  package var viewers: Int
  /// The names of the codecs that HLS does not carry.
  package var notInHLS: [String] = []
}

extension StreamShape {
  /// Nil if the headers contain no picture with a known size.
  init(_ hub: StreamHub, viewers: Int) {
    let video = hub.headers.lazy.filter { $0.kind == .video }.compactMap { OriginAPI.Video($0) }.first
    self.init(
      isPublished: hub.statistics.isPublished, width: video?.width, height: video?.height, viewers: viewers,
      notInHLS: hub.codecs.notInHLS)
  }

  /// The smaller sizes that the server makes on demand, the largest first: those with the proportions of the stream's picture.
  package func variants(of path: StreamPath) -> [StreamVariant] {
    guard let width, let height, width > 0, height > 0, StreamVariant(path.stream) == nil else { return [] }
    let sizes = [(1280, 720), (848, 480), (640, 480), (640, 360), (320, 240), (320, 180)].map { wide in
      width < height ? (wide.1, wide.0) : wide
    }
    var chosen: [StreamVariant] = []
    for (w, h) in sizes where h < height && w < width {
      let ratio = Double(w * height) / Double(h * width)
      guard abs(ratio - 1) < 0.02, let variant = StreamVariant("\(path.stream)_\(w)_\(h)_30") else { continue }
      chosen.append(variant)
    }
    return chosen
  }
}
