/// A stream in another size: `{stream}_{width}_{height}_{fps}`. Only the listed sizes and rates are allowed, so that clients
/// cannot make the server encode anything else.
public struct StreamVariant: Hashable, Sendable {
  /// The name of the source stream.
  public let source: String
  /// The width in pixels.
  public let width: Int
  public let height: Int
  /// The frame rate in frames per second.
  public let frameRate: Int

  /// The allowed frame rates in frames per second.
  public static let frameRates: Set<Int> = [10, 15, 24, 30]

  /// The allowed sizes, portrait and landscape.
  static let sizes: Set<[Int]> = {
    let lying = [
      [176, 144], [180, 180], [256, 144], [240, 180], [320, 180], [240, 240], [320, 240], [360, 360], [480, 360], [640, 360],
      [480, 480], [640, 480], [720, 480], [848, 480], [960, 720], [1280, 720], [1920, 1080],
    ]
    return Set(lying + lying.map { [$0[1], $0[0]] })
  }()

  /// Returns nil if the name is not a variant's name, or the variant is not allowed.
  public init?(_ name: String) {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count >= 4, parts.dropLast(3).contains(where: { !$0.isEmpty }) else { return nil }
    let numbers = parts.suffix(3).compactMap { part in
      part.count <= 4 && part.first != "0" && part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(part) : nil
    }
    guard numbers.count == 3, Self.sizes.contains([numbers[0], numbers[1]]), Self.frameRates.contains(numbers[2]) else {
      return nil
    }
    source = parts.dropLast(3).joined(separator: "_")
    width = numbers[0]
    height = numbers[1]
    frameRate = numbers[2]
  }

  /// The size and the rate of a variant.
  public struct Picture: Hashable, Sendable {
    /// The width in pixels.
    public let width: Int
    /// The height in pixels.
    public let height: Int
    /// Frames per second.
    public let frameRate: Int

    /// Returns nil if no variant has this size and rate.
    public init?(width: Int, height: Int, frameRate: Int) {
      guard StreamVariant.sizes.contains([width, height]), StreamVariant.frameRates.contains(frameRate) else { return nil }
      self.width = width
      self.height = height
      self.frameRate = frameRate
    }

    /// Returns the name of the variant of a stream.
    public func name(of source: String) -> String { "\(source)_\(width)_\(height)_\(frameRate)" }
  }

  /// The name of the variant.
  public var name: String { "\(source)_\(width)_\(height)_\(frameRate)" }
}
