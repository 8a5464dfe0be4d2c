import RoomCodecs
import RoomRTP

/// Divides the bitrate that the path carries among the layers of a simulcast. The smaller layers have their nominal bitrates
/// first; the largest that is on has the rest.
///
/// The top layer is off if its minimum is not left, and below 1.2 times the nominal bitrates of the others.
struct LayerPlan: Sendable {
  /// How long a drop must last, in microseconds, before a layer is off, and before all are.
  private static let layerPatience: Int64 = 1_000_000
  private static let pausePatience: Int64 = 1_500_000

  private let layers: [VideoEncoderSettings]
  private let minimums: [Int]
  private var staircase: Staircase

  /// Creates a plan for these layers, the smallest first.
  /// - Parameters:
  ///   - minBitrate: the minimum of the top layer in bits per second; nil for 40 % of its nominal bitrate, as for the others.
  ///   - available: the bitrate in bits per second that the path carries; nil if it is unknown.
  init(_ layers: [VideoEncoderSettings], minBitrate: Int? = nil, available: Int? = nil) {
    self.layers = layers
    minimums = layers.indices.map { index in
      let nominal = layers[index].bitrate
      let chosen = index == layers.count - 1 ? minBitrate : nil
      let least = min(QualityLadder.leastBitrate, nominal)
      return min(max(chosen ?? nominal / 100 * QualityLadder.minimumPercent, least), nominal)
    }
    var steps: [Staircase.Step] = []
    var below = 0
    for (index, layer) in layers.enumerated() {
      steps.append(Staircase.Step(floor: max(below + minimums[index], below / 10 * 12), patience: Self.layerPatience))
      below += layer.bitrate
    }
    staircase = Staircase(steps.reversed(), offPatience: Self.pausePatience, available: available)
  }

  /// The lowest bitrate in bits per second with which there is a layer.
  var minimum: Int { minimums.first ?? 0 }

  /// The number of layers that the path carries, the smallest first.
  var count: Int { staircase.isOff ? 0 : layers.count - staircase.current }

  /// Updates the plan by the available bitrate in bits per second.
  mutating func update(available: Int, now: Instant) { staircase.update(available: available, now: now) }

  /// Returns the bitrate of each layer in bits per second; 0 if it is off.
  /// - Parameters:
  ///   - available: nil if it is unknown: every layer has its nominal bitrate.
  ///   - wanted: whether each layer has a receiver.
  func bitrates(available: Int?, wanted: [Bool]) -> [Int] {
    let isOn = layers.indices.map { $0 < count && $0 < wanted.count && wanted[$0] }
    guard let available else { return zip(layers, isOn).map { $1 ? $0.bitrate : 0 } }
    var left = available
    return layers.indices.map { index in
      guard isOn[index] else { return 0 }
      let bitrate = min(layers[index].bitrate, max(left, QualityLadder.leastBitrate))
      left -= bitrate
      return bitrate
    }
  }
}

extension VideoEncoderSettings {
  /// Returns the settings of the smallest layer of a simulcast: at most 176x144 pixels, or 144x176 for portrait, at 15 frames per
  /// second and 100 kbit/s.
  public static func smallLayer(of settings: VideoEncoderSettings) -> VideoEncoderSettings {
    let (long, short) = (max(settings.width, settings.height, 1), max(min(settings.width, settings.height), 1))
    let factor = min(1, 176 / Double(long), 144 / Double(short))
    func even(_ side: Int) -> Int { max(2, Int((Double(side) * factor / 2).rounded()) * 2) }
    let fps = min(settings.fps, 15)
    return VideoEncoderSettings(
      width: even(settings.width), height: even(settings.height), fps: fps, bitrate: min(settings.bitrate, 100_000),
      keyFrameInterval: settings.keyFrameInterval == 0 ? 0 : max(1, settings.keyFrameInterval / max(1, settings.fps) * fps),
      temporalLayers: settings.temporalLayers)
  }

  /// Returns the settings of the middle layer of a simulcast: half the size and three tenths of the bitrate.
  public static func middleLayer(of settings: VideoEncoderSettings) -> VideoEncoderSettings {
    var middle = settings
    middle.width = max(2, settings.width / 2 & ~1)
    middle.height = max(2, settings.height / 2 & ~1)
    middle.bitrate = max(min(settings.bitrate, QualityLadder.leastBitrate), settings.bitrate / 10 * 3)
    return middle
  }
}
