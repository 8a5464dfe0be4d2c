/// A stream in another size: `{stream}_{width}_{height}_{fps}`. Only the sizes and rates of the list exist, so that nobody can
/// make the server encode anything else.
public struct StreamVariant: Hashable, Sendable {
  /// The stream that it is made of.
  public let source: String
  /// Pixels.
  public let width: Int
  public let height: Int
  /// Pictures a second.
  public let frameRate: Int

  /// Pictures a second that there are.
  public static let frameRates: Set<Int> = [10, 15, 24, 30]

  /// Sizes that there are, upright and lying.
  static let sizes: Set<[Int]> = {
    let lying = [
      [176, 144], [180, 180], [256, 144], [240, 180], [320, 180], [240, 240], [320, 240], [360, 360], [480, 360], [640, 360],
      [480, 480], [640, 480], [720, 480], [848, 480], [960, 720], [1280, 720], [1920, 1080],
    ]
    return Set(lying + lying.map { [$0[1], $0[0]] })
  }()

  /// Nil where the name is none of a variant, or of one that is not in the list.
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

  /// The name of the variant.
  public var name: String { "\(source)_\(width)_\(height)_\(frameRate)" }
}
