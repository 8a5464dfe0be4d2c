import RoomDigests

/// The reason why a signed URL is rejected.
public enum HotlinkRefusal: String, Error, Sendable {
  /// The URL has no `wsSecret` or no `wsTime`.
  case missing
  /// `wsTime` is not a hexadecimal time.
  case malformed
  /// `wsSecret` does not match the path, time and key.
  case wrongSecret
  /// The URL is too old, or its time is in the future.
  case expired
}

/// Validates signed URLs. `wsSecret` is the MD5 of `wsTime`, path and key in hexadecimal. `wsTime` is the time of signing in
/// seconds since 1970, in hexadecimal. Publishing and playing use separate keys.
public struct HotlinkProtection: Sendable {
  /// The purpose of a URL.
  public enum Purpose: Sendable {
    case publish, play
  }

  /// The protection of one purpose.
  public struct Rule: Sendable {
    /// The shared secret of the server and the signer of the URLs.
    public var key: Secret
    /// The validity of a URL in seconds.
    public var validity: Int64

    /// Creates a rule. The default validity is one day.
    public init(key: String, validity: Int64 = 86_400) {
      self.key = Secret(key)
      self.validity = validity
    }
  }

  /// How far the signer's clock may be ahead, in seconds.
  private static let clockDifference: Int64 = 300

  /// The rule for publishing; nil if it needs no signature.
  public var publish: Rule?
  /// The rule for playing; nil if it needs no signature.
  public var play: Rule?

  /// Creates a protection. Without rules, every URL is accepted.
  public init(publish: Rule? = nil, play: Rule? = nil) {
    self.publish = publish
    self.play = play
  }

  /// Checks a URL's path ("/app/stream" with its extension) and query. The time is in seconds since 1970.
  public func check(path: String, query: String, for purpose: Purpose, unixTime: Int64) throws(HotlinkRefusal) {
    guard let rule = purpose == .publish ? publish : play else { return }
    var values: [Substring: Substring] = [:]
    for pair in query.split(separator: "&").prefix(64) {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if parts.count == 2, values[parts[0]] == nil { values[parts[0]] = parts[1] }
    }
    guard let secret = values["wsSecret"], let time = values["wsTime"] else { throw .missing }
    guard let made = Int64(time, radix: 16), made >= 0, time.utf8.count <= 16 else { throw .malformed }
    // The vendor's manual signs the path with its leading slash; the manual's sample program signs it without.
    let candidates = [path, String(path.drop { $0 == "/" })].map { Self.md5("\(time)\($0)\(rule.key.value)") }
    guard candidates.contains(where: { Self.isEqual($0, secret.lowercased()) }) else { throw .wrongSecret }
    let (age, overflow) = unixTime.subtractingReportingOverflow(made)
    guard !overflow, age <= rule.validity, age >= -Self.clockDifference else { throw .expired }
  }

  /// Returns the query that signs a URL with this path; nil if no signature is needed.
  public func query(path: String, for purpose: Purpose, unixTime: Int64) -> String? {
    guard let rule = purpose == .publish ? publish : play else { return nil }
    let time = String(max(0, unixTime), radix: 16)
    return "wsSecret=\(Self.md5("\(time)\(path)\(rule.key.value)"))&wsTime=\(time)"
  }

  /// Compares in constant time.
  private static func isEqual(_ a: String, _ b: String) -> Bool {
    Digest.isEqual(Array(a.utf8), Array(b.utf8))
  }

  private static func md5(_ text: String) -> String {
    Digest.md5.digest(of: Array(text.utf8)).hexadecimal
  }
}
