/// The reason why a datagram or packet was dropped.
public enum DropReason: UInt8, Sendable, Hashable, CaseIterable {
  /// The first byte belongs to no supported protocol (RFC 7983), or the datagram is empty.
  case unknownKind
  /// Not one whole STUN message, or its FINGERPRINT is wrong.
  case malformedSTUN
  /// No USERNAME or MESSAGE-INTEGRITY, an unknown user fragment, or a wrong password.
  case unauthenticatedSTUN
  /// A request with unsupported comprehension-required attributes, or of another method than Binding.
  case unsupportedSTUN
  /// A request smaller than its reply, from an address that is not yet validated.
  case amplification
  /// Both sides claim the same ICE role; one of them will change it.
  case roleConflict
  /// A response that matches no request of this side, or that is from another address.
  case unexpectedResponse
  /// DTLS or media from an address that STUN has not validated.
  case unvalidatedAddress
  /// Not a DTLS 1.2 record, or one that cannot start an association.
  case malformedDTLS
  /// DTLS or media that arrived before this side can process it.
  case notReady
  /// RTP or RTCP that is too short, or whose header overruns it.
  case malformedMedia
  /// SRTP or SRTCP authentication failed.
  case unauthenticatedMedia
  /// A replay, or older than the replay window (RFC 3711 §3.3.2).
  case replayed
  /// An SSRC above the stream limit.
  case tooManyStreams
  /// The association is closed or has failed.
  case closed
  /// Too many validated addresses or candidates.
  case tooManyAddresses
  /// An outgoing datagram that was discarded because earlier ones had not been taken.
  case outputFull
}

/// The number of drops per reason.
public struct DropCounters: Sendable, Hashable {
  private var counts = [UInt64](repeating: 0, count: DropReason.allCases.count)

  public init() {}

  public subscript(reason: DropReason) -> UInt64 {
    counts[Int(reason.rawValue)]
  }

  /// The sum over all reasons.
  public var total: UInt64 { counts.reduce(0, &+) }

  mutating func count(_ reason: DropReason, times: Int = 1) {
    counts[Int(reason.rawValue)] &+= UInt64(truncatingIfNeeded: times)
  }
}
