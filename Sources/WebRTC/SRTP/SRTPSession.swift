import CSRTP
import RTP

/// libsrtp2 for the RTP that a client sends (RFC 3711, RFC 7714): in place, all SSRCs under one master key.
///
/// It keeps each SSRC's index itself and protects no sequence number twice: under GCM that would give away the authentication key.
/// A server, which keeps the indices anyway, seals with `SRTPSealer`.
final class SRTPSession {
  private let session: srtp_t
  private let profile: SRTPProfile

  /// `master` is key and salt. Nil if libsrtp2 refuses.
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

  /// srtp_init must run once in a process: a global constant's initialiser does.
  static let libraryIsReady = srtp_init() == srtp_err_status_ok

  /// Gives the protected packet's length; nil if the buffer is too small, the packet malformed, or its number used.
  func protectRTP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    guard length >= 12, length + profile.rtpOverhead <= buffer.count, let base = buffer.baseAddress else { return nil }
    var count = Int32(truncatingIfNeeded: length)
    return srtp_protect(session, base, &count) == srtp_err_status_ok ? Int(count) : nil
  }

  /// Forgets an SSRC's numbers.
  func removeStream(_ ssrc: SSRC) { _ = srtp_remove_stream(session, ssrc.rawValue.bigEndian) }
}
