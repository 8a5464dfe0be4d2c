/// Why a datagram or a packet counted for nothing.
public enum DropReason: UInt8, Sendable, Hashable, CaseIterable {
  /// First byte of no protocol spoken here (RFC 7983), or an empty datagram.
  case unknownKind
  /// Not one whole STUN message, or its FINGERPRINT is wrong.
  case malformedSTUN
  /// No USERNAME or MESSAGE-INTEGRITY, a user fragment that is not ours, or a wrong password.
  case unauthenticatedSTUN
  /// A request with attributes that must be understood and are not, or of another method than Binding.
  case unsupportedSTUN
  /// A request smaller than its reply, from an address that is not validated yet.
  case amplification
  /// Both sides claim one ICE role; one of them is about to change it.
  case roleConflict
  /// A response to no request of ours, or one from an address that was not asked.
  case unexpectedResponse
  /// DTLS or media from an address that STUN has not validated.
  case unvalidatedAddress
  /// Not a DTLS 1.2 record, or one that opens nothing.
  case malformedDTLS
  /// DTLS or media that came before this side can use it.
  case notReady
  /// RTP or RTCP too short, or with a header that overruns it.
  case malformedMedia
  /// SRTP or SRTCP authentication failed.
  case unauthenticatedMedia
  /// Seen before, or older than the replay window (RFC 3711 §3.3.2).
  case replayed
  /// An SSRC beyond the limit of streams.
  case tooManyStreams
  /// The association is closed or has failed.
  case closed
  /// Too many validated addresses or candidates.
  case tooManyAddresses
  /// A datagram to send that was thrown away since nobody took the ones before it.
  case outputFull
}

/// How often each reason was met.
public struct DropCounters: Sendable, Hashable {
  private var counts = [UInt64](repeating: 0, count: DropReason.allCases.count)

  public init() {}

  public subscript(reason: DropReason) -> UInt64 {
    counts[Int(reason.rawValue)]
  }

  /// All reasons together.
  public var total: UInt64 { counts.reduce(0, &+) }

  mutating func count(_ reason: DropReason, times: Int = 1) {
    counts[Int(reason.rawValue)] &+= UInt64(truncatingIfNeeded: times)
  }
}
