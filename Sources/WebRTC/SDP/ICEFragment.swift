import RoomRTP

/// An SDP fragment that only carries ICE, `application/trickle-ice-sdpfrag` (RFC 8840): the credentials and candidates of one
/// side, for trickling and for ICE restarts over HTTP (RFC 9725 §4.3).
public struct ICEFragment: Sendable, Hashable {
  private static let maximumBytes = 64 * 1024

  /// The credentials; nil if the fragment contains none.
  public var credentials: ICECredentials?
  /// The UDP candidates; others are ignored.
  public var candidates: [ICECandidate]
  public var iceLite: Bool
  /// The m-line of the candidates: the first of the bundle.
  public var mid: Mid?
  /// "audio" or "video".
  public var kind: String

  public init(
    credentials: ICECredentials? = nil, candidates: [ICECandidate] = [], iceLite: Bool = false, mid: Mid? = nil,
    kind: String = "audio"
  ) {
    self.credentials = credentials
    self.candidates = candidates
    self.iceLite = iceLite
    self.mid = mid
    self.kind = kind
  }

  /// Parses a fragment whose lines end in CRLF or LF. Ignores lines other than `a=` and `m=`. Of an `m=` line the format is not
  /// checked, because its port and formats have no effect here.
  /// - Throws: `SDPError` for a line that is not SDP, for credentials that ICE does not allow or that are incomplete, and for
  ///   more than 64 KiB.
  public init(parsing text: String) throws(SDPError) {
    guard text.utf8.count <= Self.maximumBytes else {
      throw SDPError("\(text.utf8.count) bytes exceed the limit of \(Self.maximumBytes)")
    }
    self.init()
    var ufrag: String?
    var password: String?
    var number = 0
    var isEmpty = true
    for raw in text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let bytes = raw.last == UInt8(ascii: "\r") ? raw.dropLast() : raw
      if bytes.isEmpty { continue }
      isEmpty = false
      guard bytes.dropFirst().first == UInt8(ascii: "="), !bytes.contains(UInt8(ascii: "\r")), !bytes.contains(0) else {
        throw SDPError(line: number, "the line does not start with a letter and an equals sign, or contains a CR or NUL byte")
      }
      let value = String(Substring(bytes.dropFirst(2)))
      if bytes.first == UInt8(ascii: "m"), mid == nil, let word = value.split(separator: " ").first { kind = String(word) }
      guard bytes.first == UInt8(ascii: "a") else { continue }
      let attribute = SDPAttribute(line: value)
      switch attribute.name {
      case "ice-ufrag": ufrag = ufrag ?? attribute.value
      case "ice-pwd": password = password ?? attribute.value
      case "ice-lite": iceLite = true
      case "mid": mid = mid ?? attribute.value.map(Mid.init(_:))
      case "candidate" where candidates.count < SessionDescription.maximumCandidates:
        if let candidate = attribute.value.flatMap({ ICECandidate(attribute: $0) }) { candidates.append(candidate) }
      default: break
      }
    }
    guard !isEmpty else { throw SDPError("the fragment is empty") }
    switch (ufrag, password) {
    case (nil, nil): break
    case (let ufrag?, let password?):
      let given = ICECredentials(ufrag: ufrag, password: password)
      guard given.isWellFormed else {
        throw SDPError("a=ice-ufrag or a=ice-pwd has a length or a character that ICE does not allow")
      }
      credentials = given
    default: throw SDPError("a=ice-ufrag and a=ice-pwd must both be present")
    }
  }

  /// The fragment as text, with the credentials before the m-line because they apply to the whole bundle.
  public var text: String {
    var lines: [String] = []
    if iceLite { lines.append("a=ice-lite") }
    if let credentials {
      lines.append("a=ice-ufrag:\(credentials.ufrag)")
      lines.append("a=ice-pwd:\(credentials.password)")
    }
    if let mid {
      lines.append("m=\(kind) 9 UDP/TLS/RTP/SAVPF 0")
      lines.append("a=mid:\(mid)")
      lines += candidates.map { "a=candidate:\($0.attribute)" }
      lines.append("a=end-of-candidates")
    }
    return lines.map { $0 + "\r\n" }.joined()
  }
}
