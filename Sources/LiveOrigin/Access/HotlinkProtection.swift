import Digests

/// Why a protected URL is refused.
public enum HotlinkRefusal: String, Error, Sendable {
  /// The URL has no wsSecret or no wsTime.
  case missing
  /// wsTime is no hexadecimal time.
  case malformed
  /// wsSecret is not the one of this path, time and key.
  case wrongSecret
  /// The URL was made too long ago, or is from the future.
  case expired
}

/// Signed URLs: `wsSecret` = MD5 of `wsTime`, path and key in hexadecimal, `wsTime` = the time at which the URL was made, in
/// seconds since 1970 in hexadecimal. Publishing and playing have keys of their own.
public struct HotlinkProtection: Sendable {
  /// What a URL is for.
  public enum Purpose: Sendable {
    case publish, play
  }

  /// How one purpose is protected.
  public struct Rule: Sendable {
    /// What only the server and who makes the URLs know.
    public var key: Secret
    /// Seconds for which a URL is good.
    public var validity: Int64

    /// The default is a day.
    public init(key: String, validity: Int64 = 86_400) {
      self.key = Secret(key)
      self.validity = validity
    }
  }

  /// Seconds by which the clock of who made the URL may be ahead.
  private static let clockDifference: Int64 = 300

  /// Nil where publishing needs no signature.
  public var publish: Rule?
  /// Nil where playing needs no signature.
  public var play: Rule?

  /// No rule, no protection.
  public init(publish: Rule? = nil, play: Rule? = nil) {
    self.publish = publish
    self.play = play
  }

  /// Checks a URL's path, "/app/stream" with the extension that it has, and its query. The time is in seconds since 1970.
  public func check(path: String, query: String, for purpose: Purpose, unixTime: Int64) throws(HotlinkRefusal) {
    guard let rule = purpose == .publish ? publish : play else { return }
    var values: [Substring: Substring] = [:]
    for pair in query.split(separator: "&").prefix(64) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, values[parts[0]] == nil { values[parts[0]] = parts[1] }
    }
    guard let secret = values["wsSecret"], let time = values["wsTime"] else { throw .missing }
    guard let made = Int64(time, radix: 16), made >= 0, time.utf8.count <= 16 else { throw .malformed }
    // The vendor's manual signs the path with its first slash, the program in it without.
    let candidates = [path, String(path.drop { $0 == "/" })].map { Self.md5("\(time)\($0)\(rule.key.value)") }
    guard candidates.contains(where: { Self.isEqual($0, secret.lowercased()) }) else { throw .wrongSecret }
    let (age, overflow) = unixTime.subtractingReportingOverflow(made)
    guard !overflow, age <= rule.validity, age >= -Self.clockDifference else { throw .expired }
  }

  /// The query that lets a URL of this path through; nil where none is needed.
  public func query(path: String, for purpose: Purpose, unixTime: Int64) -> String? {
    guard let rule = purpose == .publish ? publish : play else { return nil }
    let time = String(max(0, unixTime), radix: 16)
    return "wsSecret=\(Self.md5("\(time)\(path)\(rule.key.value)"))&wsTime=\(time)"
  }

  /// Takes the same time wherever the two differ.
  private static func isEqual(_ a: String, _ b: String) -> Bool {
    Digest.isEqual(Array(a.utf8), Array(b.utf8))
  }

  private static func md5(_ text: String) -> String {
    Digest.md5.digest(of: Array(text.utf8)).hexadecimal
  }
}
