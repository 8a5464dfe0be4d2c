import RoomLinkModel

/// The layers that a page asks for, one after the other.
struct LayerChangePlan: Encodable, Sendable {
  /// Heights in pixels, each other than the one before. The first is not the largest layer's, which is shown at the start.
  let heights: [Int]
  /// The least time from one request to the next, in ms. Its double is more than the server's interval of key frame requests for
  /// one layer.
  let pace = 350
  /// The longest wait for a picture of the layer, in ms.
  let patience = 3000

  var count: Int { heights.count }

  init(count: Int, seed: UInt64) {
    let sizes = NetworkMedia.sizes.map(\.height)
    var random = SeededGenerator(seed: seed)
    var last = sizes.max() ?? 0
    heights = (0..<count).map { _ in
      last = sizes.filter { $0 != last }.randomElement(using: &random) ?? last
      return last
    }
  }

  /// Returns the longest time for this number of changes in seconds; the usual time is a third.
  static func longest(_ count: Int) -> Double { 10 + 1.2 * Double(count) }
}

/// What a page showed while it changed layers. Times are in ms since the page was loaded.
struct LayerChanges: Codable, Sendable, Equatable {
  struct Change: Codable, Sendable, Equatable {
    var height: Double
    var asked: Double
    /// When the first picture of this height was shown; nil if none was in time.
    var shown: Double?
  }

  /// A picture that was shown, as `requestVideoFrameCallback` describes it.
  struct Picture: Codable, Sendable, Equatable {
    var at: Double
    var height: Double
    /// The count of pictures that were shown, of which a busy page does not learn all.
    var number: Double
  }

  var changes: [Change]
  var pictures: [Picture]
}
