/// A resource next to a playlist, identified by the name that the playlist uses.
public enum HLSResource: Hashable, Sendable {
  /// The initialization section introduced with this segment.
  case initialisation(Int)
  case segment(Int)
  case part(Int, of: Int)

  /// Returns nil for a name that ``name`` never returns.
  public init?(_ name: String) {
    guard name.utf8.count <= 48 else { return nil }
    if let number = Self.numbers(in: name, "init-", ".mp4", count: 1) {
      self = .initialisation(number[0])
    } else if let number = Self.numbers(in: name, "seg-", ".m4s", count: 1) {
      self = .segment(number[0])
    } else if let numbers = Self.numbers(in: name, "part-", ".m4s", count: 2) {
      self = .part(numbers[1], of: numbers[0])
    } else {
      return nil
    }
  }

  /// The file name.
  public var name: String {
    switch self {
    case .initialisation(let number): "init-\(number).mp4"
    case .segment(let number): "seg-\(number).m4s"
    case .part(let part, let number): "part-\(number).\(part).m4s"
    }
  }

  private static func numbers(in name: String, _ prefix: String, _ suffix: String, count: Int) -> [Int]? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count else {
      return nil
    }
    let middle = name.dropFirst(prefix.count).dropLast(suffix.count)
    let numbers = middle.split(separator: ".", omittingEmptySubsequences: false).compactMap { HLSReload.number($0) }
    return numbers.count == count && middle.utf8.count { $0 == UInt8(ascii: ".") } == count - 1 ? numbers : nil
  }
}
