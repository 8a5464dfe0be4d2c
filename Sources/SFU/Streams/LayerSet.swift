/// The layers of a simulcast at one moment, smallest first, and the choice among them.
struct LayerSet {
  struct Layer: Equatable {
    /// The index in the table of tracks.
    var index: Int
    /// In pixels; 0 while unknown.
    var width = 0
    var height = 0
    var framesPerSecond = 0
    /// The frame rate without the upper temporal layers; nil if there are none.
    var lowestFramesPerSecond: Int?
    var kbps = 0
    /// Whether packets have ever arrived.
    var isKnown = false
    /// Whether packets arrived lately.
    var isLive = false
    /// Whether packets have arrived for long enough to switch up to the layer.
    var isSteady = false
  }

  private(set) var ascending: [Layer]

  /// Returns the layers up to this one, by quality.
  func prefix(through index: Int) -> LayerSet {
    var part = self
    if let last = ascending.firstIndex(where: { $0.index == index }) { part.ascending = Array(ascending[...last]) }
    return part
  }

  /// Returns the live layers within the limits, or else the smallest: those among which the path decides.
  func possible(_ limits: SubscriptionSlot.Limits) -> [Layer] {
    let live = ascending.filter(\.isLive)
    let allowed = live.filter { limits.allow($0) }
    return allowed.isEmpty ? Array(live.prefix(1)) : allowed
  }

  /// Layers of unknown size are ordered by their bitrate.
  init(_ layers: [Layer]) {
    let sizesAreKnown = layers.allSatisfy { !$0.isKnown || $0.width > 0 }
    func quality(_ layer: Layer) -> (Int, Int, Int) {
      (sizesAreKnown ? layer.width * layer.height : 0, layer.kbps, layer.index)
    }
    ascending = layers.sorted { quality($0) < quality($1) }
  }

  /// The layer to ask of the publisher for these limits, live or not; nil before the first packet.
  func wanted(_ limits: SubscriptionSlot.Limits) -> Layer? { choice(limits) { $0.isKnown } }

  /// The layer to send now; nil if none is live. A layer that has just begun is not taken in place of the live `current` one.
  func sent(_ limits: SubscriptionSlot.Limits, current: Int) -> Layer? {
    choice(limits) { $0.isLive && ($0.isSteady || $0.index == current) } ?? choice(limits) { $0.isLive }
  }

  /// The layer to ask of the publisher for pictures of this size; nil is the full size.
  func wanted(enoughFor size: PictureSize?) -> Layer? { choice(size) { $0.isKnown } }

  /// The layer to use now for pictures of this size; nil if none is live.
  func sent(enoughFor size: PictureSize?, current: Int) -> Layer? {
    choice(size) { $0.isLive && ($0.isSteady || $0.index == current) } ?? choice(size) { $0.isLive }
  }

  /// The smallest layer that is enlarged by a half at most, or else the largest.
  private func choice(_ size: PictureSize?, _ isCandidate: (Layer) -> Bool) -> Layer? {
    let candidates = ascending.filter(isCandidate)
    guard let size else { return candidates.last }
    return candidates.first { $0.width * 3 >= size.width * 2 && $0.height * 3 >= size.height * 2 } ?? candidates.last
  }

  /// The largest layer within the limits, or else the smallest.
  private func choice(_ limits: SubscriptionSlot.Limits, _ isCandidate: (Layer) -> Bool) -> Layer? {
    ascending.last { isCandidate($0) && limits.allow($0) } ?? ascending.first(where: isCandidate)
  }
}

extension SubscriptionSlot {
  /// The limits of `Reception`; 0 for none.
  struct Limits: BitwiseCopyable, Equatable {
    var width: UInt16 = 0
    var height: UInt16 = 0
    var framesPerSecond: UInt16 = 0

    /// Measured rates vary by a frame or two.
    static let tolerance = 2

    func allow(_ layer: LayerSet.Layer) -> Bool {
      // A layer of unknown size is within no limit of size.
      if width > 0, layer.width == 0 || layer.width > Int(width) { return false }
      if height > 0, layer.height == 0 || layer.height > Int(height) { return false }
      let lowest = layer.lowestFramesPerSecond ?? layer.framesPerSecond
      return framesPerSecond == 0 || lowest <= Int(framesPerSecond) + Self.tolerance
    }
  }
}

extension SubscriptionSlot.Limits {
  init(_ reception: Reception) {
    func limit(_ value: Int?) -> UInt16 { value.map { UInt16(clamping: max(1, $0)) } ?? 0 }
    width = limit(reception.maxWidth)
    height = limit(reception.maxHeight)
    framesPerSecond = limit(reception.maxFps)
  }
}
