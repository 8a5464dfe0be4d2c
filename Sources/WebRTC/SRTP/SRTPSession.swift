import CSRTP

/// libsrtp2 for one direction of a transport (RFC 3711, RFC 7714): in place, all SSRCs under one master key.
///
/// - Inbound, an SSRC becomes a stream only by a packet that authenticates, and only while there are fewer than `streamLimit`.
/// - Replays and packets older than 1024 are refused.
/// - Outbound, no sequence number is protected twice: under GCM that would give away the authentication key.
final class SRTPSession {
  enum Direction { case inbound, outbound }

  static let replayWindow: UInt = 1024

  private let session: srtp_t
  private let profile: SRTPProfile
  /// SSRCs that are streams already, in the order they came.
  private let known: UnsafeMutablePointer<UInt32>
  private let streamLimit: Int
  private var knownCount = 0
  private var lastIndex = 0

  /// `master` is key and salt. Nil where libsrtp2 refuses.
  init?(_ direction: Direction, profile: SRTPProfile, master: [UInt8], streamLimit: Int) {
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
    policy.ssrc.type = direction == .inbound ? ssrc_any_inbound : ssrc_any_outbound
    policy.window_size = Self.replayWindow
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
    self.streamLimit = streamLimit
    known = .allocate(capacity: streamLimit)
  }

  deinit {
    srtp_dealloc(session)
    known.deallocate()
  }

  /// srtp_init must run once in a process: a global constant's initialiser does.
  private static let libraryIsReady = srtp_init() == srtp_err_status_ok

  // MARK: Inbound

  /// Gives the plain packet's length.
  func unprotectRTP(_ packet: UnsafeMutableRawBufferPointer) -> Result<Int, DropReason> {
    guard packet.count >= 12 + profile.rtpOverhead, let base = packet.baseAddress else { return .failure(.malformedMedia) }
    let ssrc = UnsafeRawBufferPointer(packet).bigEndian32(at: 8)
    let isNew = !isKnown(ssrc)
    guard !isNew || knownCount < streamLimit else { return .failure(.tooManyStreams) }
    var length = Int32(truncatingIfNeeded: packet.count)
    return finish(srtp_unprotect(session, base, &length), ssrc, isNew, length)
  }

  /// Gives the plain compound's length.
  func unprotectRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Result<Int, DropReason> {
    guard packet.count >= 8 + profile.rtcpOverhead, let base = packet.baseAddress else { return .failure(.malformedMedia) }
    let ssrc = UnsafeRawBufferPointer(packet).bigEndian32(at: 4)
    let isNew = !isKnown(ssrc)
    guard !isNew || knownCount < streamLimit else { return .failure(.tooManyStreams) }
    var length = Int32(truncatingIfNeeded: packet.count)
    return finish(srtp_unprotect_rtcp(session, base, &length), ssrc, isNew, length)
  }

  private func finish(_ status: srtp_err_status_t, _ ssrc: UInt32, _ isNew: Bool, _ length: Int32) -> Result<Int, DropReason> {
    switch status {
    case srtp_err_status_ok:
      if isNew {
        known[knownCount] = ssrc
        knownCount += 1
      }
      return .success(Int(length))
    case srtp_err_status_replay_fail, srtp_err_status_replay_old, srtp_err_status_pkt_idx_old: return .failure(.replayed)
    case srtp_err_status_bad_param, srtp_err_status_parse_err: return .failure(.malformedMedia)
    default: return .failure(.unauthenticatedMedia)
    }
  }

  // MARK: Outbound

  /// Gives the protected packet's length; nil where the buffer is too small, the packet malformed, or its number used.
  func protectRTP(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    guard length >= 12, length + profile.rtpOverhead <= buffer.count, let base = buffer.baseAddress else { return nil }
    var count = Int32(truncatingIfNeeded: length)
    return srtp_protect(session, base, &count) == srtp_err_status_ok ? Int(count) : nil
  }

  // MARK: Streams

  /// Forgets an SSRC's numbers and makes room for another.
  func removeStream(_ ssrc: UInt32) {
    _ = srtp_remove_stream(session, ssrc.bigEndian)
    guard isKnown(ssrc) else { return }
    knownCount -= 1
    known[lastIndex] = known[knownCount]
    lastIndex = 0
  }

  private func isKnown(_ ssrc: UInt32) -> Bool {
    if lastIndex < knownCount, known[lastIndex] == ssrc { return true }
    for index in 0..<knownCount where known[index] == ssrc {
      lastIndex = index
      return true
    }
    return false
  }
}

extension DropReason: Error {}
