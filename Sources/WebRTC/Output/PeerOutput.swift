/// The result of `Peer.receive` for a datagram.
public enum Received: Sendable, Hashable {
  /// Valid STUN or DTLS; there may be output now.
  case consumed
  /// The first `length` bytes of the datagram are a plain RTP packet.
  case rtp(length: Int)
  /// The first `length` bytes of the datagram are a plain RTCP compound.
  case rtcp(length: Int)
  /// Dropped and counted; the output may contain an error reply.
  case dropped(DropReason)
}

/// The output of `Peer.nextOutput`: datagrams to send and events, in order.
public enum PeerOutput: Sendable, Hashable {
  /// Send these bytes from the transport's socket.
  case transmit([UInt8], to: TransportAddress)
  case event(PeerEvent)
}

/// An event of a peer.
public enum PeerEvent: Sendable, Hashable {
  /// DTLS is complete, the certificate matches and media can flow. Sent once.
  case connected(SRTPProfile)
  /// The other side is now reached at this address; not sent for the first address.
  case addressChanged(TransportAddress)
  /// Nothing was received for 8 s. The connection may recover.
  case disconnected
  /// The connection recovered after `disconnected` or after a lost consent.
  case reconnected
  /// The peer failed. Only `lostConsent` can be recovered from, by an ICE restart or a late check.
  case failed(PeerFailure)
  /// The other side closed with close_notify.
  case closed
  /// Something happened to the data channels. No event of `PeerEvent` follows from it.
  case channel(DataChannelEvent)
}

/// The reason why a peer failed.
public enum PeerFailure: Error, Sendable, Hashable {
  /// No candidate pair answered within 30 s.
  case iceTimeout
  /// Nothing was received for 30 s (RFC 7675 §5.1); sending stopped.
  case lostConsent
  /// The handshake did not complete within 30 s.
  case dtlsTimeout
  /// The certificate does not match the signalled fingerprint (RFC 8122).
  case fingerprint
  /// OpenSSL ended the handshake with this reason: "wrong curve", "sslv3 alert illegal parameter".
  case handshake(String)
  /// There is no common SRTP profile.
  case noCommonProfile
  /// A fatal alert arrived after the handshake.
  case alert
  /// Both sides claim the same DTLS role.
  case dtlsRole
  /// The SRTP keys could not be set up.
  case srtp
}
