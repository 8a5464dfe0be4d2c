/// What `Peer.receive` made of a datagram.
public enum Received: Sendable, Hashable {
  /// STUN or DTLS that was authentic or in order; there may be output now.
  case consumed
  /// A plain RTP packet lies in the datagram's first `length` bytes.
  case rtp(length: Int)
  /// A plain RTCP compound lies in the datagram's first `length` bytes.
  case rtcp(length: Int)
  /// Counted and forgotten; there may be an error reply among the output.
  case dropped(DropReason)
}

/// What `Peer.nextOutput` gives: datagrams to send and things that happened, in order.
public enum PeerOutput: Sendable, Hashable {
  /// Send these bytes from the transport's socket.
  case transmit([UInt8], to: TransportAddress)
  case event(PeerEvent)
}

/// What happened to a peer.
public enum PeerEvent: Sendable, Hashable {
  /// DTLS is done, the certificate is the right one, media can flow. Once.
  case connected(SRTPProfile)
  /// The other side is now reached at this address; the first one is no change.
  case addressChanged(TransportAddress)
  /// Nothing was heard for 8 s. It may come back.
  case disconnected
  /// It came back after `disconnected` or after a lost consent.
  case reconnected
  /// The end, but for `lostConsent`, from which an ICE restart or a late check recovers.
  case failed(PeerFailure)
  /// The other side closed with close_notify.
  case closed
}

/// Why a peer failed.
public enum PeerFailure: Error, Sendable, Hashable {
  /// No candidate pair answered within 30 s.
  case iceTimeout
  /// Nothing was heard for 30 s (RFC 7675 §5.1); sending stopped.
  case lostConsent
  /// The handshake did not end within 30 s.
  case dtlsTimeout
  /// The certificate is not the one that signalling told of (RFC 8122).
  case fingerprint
  /// OpenSSL ended the handshake, for this reason in its own words: "wrong curve", "sslv3 alert illegal parameter".
  case handshake(String)
  /// No SRTP profile in common.
  case noCommonProfile
  /// A fatal alert after the handshake.
  case alert
  /// Both sides want to be the same end of DTLS.
  case dtlsRole
  /// The keys of SRTP could not be set up.
  case srtp
}
