/// Decides which layers of which videos cross a link that carries less than all of them.
///
/// The level of a video is the number of its largest layers that are held back: 0 holds back none, and the number of its layers
/// holds back the whole video. In place of a wanted layer that is held back, the largest one that is not crosses, wanted or not.
///
/// Layers are held back in this order: the largest one that crosses of any video, until each video has its smallest layer only;
/// then whole videos, that with the largest smallest layer first. Of about equal ones, that with the higher
/// number goes first.
enum LinkAllocation {
  struct Layer: Hashable {
    var stream: UInt32
    /// In bits per second, now or when it was sent last: its place among the layers.
    var rate: Int
    var isWanted: Bool
    /// The bits per second that it takes: 0 while the publisher sends nothing.
    var cost: Int

    init(stream: UInt32, rate: Int, isWanted: Bool, isIdle: Bool = false) {
      self.stream = stream
      self.rate = rate
      self.isWanted = isWanted
      cost = isIdle ? 0 : rate
    }
  }

  struct Video: Hashable {
    let track: UInt32
    /// The largest first.
    let layers: [Layer]

    init(track: UInt32, layers: [Layer]) {
      self.track = track
      self.layers = layers.sorted { ($0.rate, $1.stream) > ($1.rate, $0.stream) }
    }

    var isWanted: Bool { layers.contains(where: \.isWanted) }

    /// Returns the indices of the layers that cross at a level, in ascending order.
    func sent(at level: Int) -> [Int] {
      var indices: [Int] = []
      for (index, layer) in layers.enumerated() where layer.isWanted {
        let sent = max(index, level)
        if sent < layers.count, indices.last != sent { indices.append(sent) }
      }
      return indices
    }

    /// Returns the bitrate at a level.
    func rate(at level: Int) -> Int { sent(at: level).reduce(0) { $0 &+ layers[$1].cost } }

    /// The bitrate of the smallest layer, if the video is wanted.
    var leastRate: Int { isWanted ? rate(at: layers.count - 1) : 0 }
  }

  /// Returns the levels at which the videos fit in a bitrate, none lower than `levels`.
  /// - Parameters:
  ///   - levels: one for each video.
  ///   - budget: the bits per second that audio leaves.
  static func levels(_ videos: [Video], from levels: [Int], budget: Int) -> [Int] {
    var levels = levels
    var total = videos.indices.reduce(0) { $0 &+ videos[$1].rate(at: levels[$1]) }
    guard total > budget else { return levels }
    var least = videos.indices.reduce(0) { $0 &+ (levels[$1] < videos[$1].layers.count ? videos[$1].leastRate : 0) }
    func isBefore(_ one: (rate: Int, track: UInt32), _ other: (rate: Int, track: UInt32)?) -> Bool {
      other.map { (coarse(one.rate), one.track) > (coarse($0.rate), $0.track) } ?? true
    }
    while least > budget {
      var largest: (rate: Int, track: UInt32)?
      var dropped: Int?
      for (index, video) in videos.enumerated() where levels[index] < video.layers.count && video.leastRate > 0 {
        let one = (video.leastRate, video.track)
        if isBefore(one, largest) { (largest, dropped) = (one, index) }
      }
      guard let dropped else { break }
      total &-= videos[dropped].rate(at: levels[dropped])
      least &-= videos[dropped].leastRate
      levels[dropped] = videos[dropped].layers.count
    }
    while total > budget {
      var largest: (rate: Int, track: UInt32)?
      var lowered: (video: Int, level: Int)?
      for (index, video) in videos.enumerated() {
        guard let first = video.sent(at: levels[index]).first, first + 1 < video.layers.count else { continue }
        let one = (video.layers[first].rate, video.track)
        if isBefore(one, largest) { (largest, lowered) = (one, (index, first + 1)) }
      }
      guard let (index, level) = lowered else { break }
      total &-= videos[index].rate(at: levels[index])
      levels[index] = level
      total &+= videos[index].rate(at: level)
    }
    return levels
  }

  /// Three bits of a bitrate: the order of layers that are about equal must not change from one moment to the next.
  private static func coarse(_ rate: Int) -> Int {
    let shift = max(0, Int.bitWidth - rate.leadingZeroBitCount - 3)
    return (rate >> shift) << shift
  }
}
