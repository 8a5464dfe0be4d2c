import RoomCSRTP
import RoomRTP
import Testing

@testable import RoomWebRTC

/// A libsrtp2 session as the reference, which either protects or opens.
final class SRTPReference {
  private var session: srtp_t?

  init(_ profile: SRTPProfile, master: [UInt8], opening: Bool = false) throws {
    try #require(SRTPSession.libraryIsReady)
    var policy = srtp_policy_t()
    if profile == .aeadAES128GCM {
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtp)
      srtp_crypto_policy_set_aes_gcm_128_16_auth(&policy.rtcp)
    } else {
      srtp_crypto_policy_set_rtp_default(&policy.rtp)
      srtp_crypto_policy_set_rtcp_default(&policy.rtcp)
    }
    policy.ssrc.type = opening ? ssrc_any_inbound : ssrc_any_outbound
    policy.window_size = 1024
    var master = master
    let status = master.withUnsafeMutableBufferPointer { key in
      policy.key = key.baseAddress
      return srtp_create(&session, &policy)
    }
    try #require(status == srtp_err_status_ok)
  }

  deinit { srtp_dealloc(session) }

  func setROC(_ roc: UInt32, ssrc: SSRC) throws {
    try #require(srtp_set_stream_roc(session, ssrc.rawValue, roc) == srtp_err_status_ok)
  }

  func protect(_ packet: [UInt8]) throws -> [UInt8] {
    var buffer = packet + [UInt8](repeating: 0, count: 32)
    var length = Int32(packet.count)
    try #require(srtp_protect(session, &buffer, &length) == srtp_err_status_ok)
    return Array(buffer.prefix(Int(length)))
  }

  func protectRTCP(_ packet: [UInt8]) throws -> [UInt8] {
    var buffer = packet + [UInt8](repeating: 0, count: 32)
    var length = Int32(packet.count)
    try #require(srtp_protect_rtcp(session, &buffer, &length) == srtp_err_status_ok)
    return Array(buffer.prefix(Int(length)))
  }

  /// Returns the plain packet; nil if it is rejected.
  func unprotect(_ packet: [UInt8]) -> [UInt8]? {
    var buffer = packet
    var length = Int32(packet.count)
    return srtp_unprotect(session, &buffer, &length) == srtp_err_status_ok ? Array(buffer.prefix(Int(length))) : nil
  }

  func unprotectRTCP(_ packet: [UInt8]) -> [UInt8]? {
    var buffer = packet
    var length = Int32(packet.count)
    return srtp_unprotect_rtcp(session, &buffer, &length) == srtp_err_status_ok ? Array(buffer.prefix(Int(length))) : nil
  }
}
