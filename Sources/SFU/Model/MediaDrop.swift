import RoomWebRTC

/// Why a packet was dropped. `Forwarder` counts each; the metric is `roomserver_media_dropped_total{reason}`.
public enum MediaDrop: UInt8, Sendable, Hashable, CaseIterable {
  // Received datagrams, before their stream is known.
  /// Neither STUN, DTLS nor SRTP by its first byte (RFC 7983).
  case unknownKind
  /// Longer than 1600 bytes, or a payload longer than a slot of the track's ring.
  case oversized
  /// From an address that no transport has validated.
  case unknownAddress
  /// STUN with a user name that no transport has.
  case unknownUser
  /// The peer refused it: wrong STUN integrity, unexpected DTLS, or media before keys.
  case peer
  /// SRTP authentication failed.
  case authentication
  /// The SRTP index was seen before, or is too old.
  case replay
  /// Not an RTP packet with consistent lengths (RFC 3550 §5.1).
  case malformedRTP
  /// Not an RTCP compound packet, or a packet in it does not match its length.
  case malformedRTCP

  // A publisher's packets.
  /// No published track has this SSRC, mid or rid.
  case unknownSSRC
  /// A payload type that the track or its receiver does not have.
  case unknownPayloadType
  /// More SSRCs than a transport may have.
  case ssrcLimit
  /// A sequence number that was received before, is older than the ring, or is a stray far ahead.
  case duplicate
  /// RTX without an original sequence number, or of a packet that is too old. Padding that probes bandwidth is one.
  case uselessRetransmission
  /// A packet of a muted track. It is stored in the ring, but not forwarded.
  case muted

  // Packets to a subscriber.
  /// A video packet before the subscription's first key frame.
  case awaitingKeyFrame
  /// A video packet of a frame that a lagging subscriber did not get in full.
  case lagging
  /// The socket's send buffer was full.
  case sendBufferFull
  /// The socket failed with another error.
  case sendFailed
  /// A packet is no longer in the ring: a NACK was too late, or a publisher overwrote it before it was forwarded.
  case historyMiss
  /// A retransmission that was requested again within a round trip, or beyond `ResendThrottle.packetsPerSecond`.
  case nackThrottled
  /// A retransmission that would make a full path fuller: beyond a quarter of what the path to the subscriber carries for video, or
  /// half of its bitrate for audio (twice that while the path shows no limit; `Path.allowsRepair`), or, on a paced path, of a layer
  /// that the subscriber has left (`resend` in `Feedback.swift`). On a lossy path it may be the second copy of a repair.
  case repairBudget
  /// The subscription's transport is not connected.
  case notConnected
  /// The queue of the subscriber's TCP connection is full.
  case tcpQueueFull
}

extension MediaDrop {
  /// Maps the peer's reason.
  init(_ reason: DropReason) {
    switch reason {
    case .unauthenticatedMedia: self = .authentication
    case .replayed: self = .replay
    case .unvalidatedAddress: self = .unknownAddress
    case .malformedMedia: self = .malformedRTP
    case .tooManyStreams: self = .ssrcLimit
    case .unknownKind: self = .unknownKind
    default: self = .peer
    }
  }
}
