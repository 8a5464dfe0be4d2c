import RoomCSRTP
import RoomRTP

/// Protects the RTP packets of a client with libsrtp2 (RFC 3711, RFC 7714): in place, all SSRCs under one master key.
///
/// The session tracks the index of each SSRC and protects no sequence number twice: under GCM that would reveal the
/// authentication key. A server, which tracks the indices itself, uses `SRTPSealer`.
final class SRTPSession {
  private let session: srtp_t
  private let profile: SRTPProfile

  /// Creates a session. `master` is key and salt. Returns nil if libsrtp2 rejects them.
  init?(profile: SRTPProfile, master: [UInt8]) {
    guard Self.libraryIsReady, master.count == SRTPProfile.masterKeyLength + profile.masterSaltLength else { return nil }
    var policy = srtp_policy_t()
    switch profile {
    case .aeadAES128GCM:
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
    case .aesCM128HMACSHA1_80:
      srtp_crypto_policy_set_rtp_default(&policy.rtp)
      srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
    }
    policy.ssrc.type = ssrc_any_outbound
    policy.window_size = 1024
    policy.allow_repeat_tx = 0
    var master = master
    var created: srtp_t?
    let status = master.withUnsafeMutableBufferPointer { key in
      policy.key = key.baseAddress
      return srtp_create(&created, &policy)
    }
    guard status == srtp_err_status_ok, let created else { return nil }
    session = created
    self.profile = profile
  }

  deinit { srtp_dealloc(session) }

  /// srtp_init must run once per process, which the initialiser of a global constant guarantees.
  static let libraryIsReady = srtp_init() == srtp_err_status_ok

  /// Protects a packet in place and returns its new length. Returns nil if the buffer is too small, the packet is malformed, or
  /// its sequence number was already used.
  func protectRTP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    guard length >= 12, length + profile.rtpOverhead <= buffer.count, let base = buffer.baseAddress else { return nil }
    var count = Int32(truncatingIfNeeded: length)
    return srtp_protect(session, base, &count) == srtp_err_status_ok ? Int(count) : nil
  }

  /// Removes the state of an SSRC.
  func removeStream(_ ssrc: SSRC) { _ = srtp_remove_stream(session, ssrc.rawValue.bigEndian) }
}
