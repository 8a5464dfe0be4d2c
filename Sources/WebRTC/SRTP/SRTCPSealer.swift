import RTP

/// Seals RTCP compounds in place with libcrypto (RFC 3711 §3.4, RFC 7714 §9): a tenth of the memory of a libsrtp2 session.
///
/// One counter numbers the compounds of all sender SSRCs. Each receiver context sees it grow, and no number repeats under
/// the key, which is what the RFCs ask for.
final class SRTCPSealer {
  private let cipher: SRTPCipher
  private var index: UInt32
  /// The E flag and index of the packet at hand, network order.
  private let trailer: UnsafeMutableRawPointer

  /// `index` is the number before the first compound's.
  init?(profile: SRTPProfile, master: [UInt8], after index: UInt32 = 0) {
    guard let cipher = SRTPCipher(profile: profile, master: master, keys: .srtcp) else { return nil }
    self.cipher = cipher
    self.index = index
    trailer = .allocate(byteCount: 4, alignment: 4)
  }

  deinit { trailer.deallocate() }

  /// Gives the protected compound's length. Nil for fewer than 8 bytes, for a buffer without `rtcpOverhead` spare bytes,
  /// and once all 2^31 numbers are used.
  func seal(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    guard length >= 8, length + cipher.profile.rtcpOverhead <= buffer.count, let base = buffer.baseAddress, index < 1 << 31 - 1
    else { return nil }
    index += 1
    trailer.storeBytes(of: (0x8000_0000 | index).bigEndian, as: UInt32.self)
    let ssrc = SSRC(UnsafeRawBufferPointer(buffer).bigEndian32(at: 4))
    let sealed =
      cipher.profile == .aeadAES128GCM
      ? sealGCM(base, length: length, ssrc: ssrc) : sealCM(base, length: length, ssrc: ssrc)
    return sealed ? length + cipher.profile.rtcpOverhead : nil
  }

  /// Header, ciphertext, tag, E and index (RFC 7714 §9.2).
  private func sealGCM(_ packet: UnsafeMutableRawPointer, length: Int, ssrc: SSRC) -> Bool {
    let salt = cipher.salt
    let end = packet + length
    guard cipher.begin(salt.0 ^ ssrc.rawValue >> 16, salt.1 ^ ssrc.rawValue << 16, salt.2 ^ index, 0),
      cipher.add(clear: packet, count: 8),
      cipher.add(clear: trailer, count: 4), cipher.crypt(packet + 8, into: packet + 8, count: length - 8),
      cipher.writeTag(to: end)
    else { return false }
    (end + 16).copyMemory(from: trailer, byteCount: 4)
    return true
  }

  /// Header, ciphertext, E and index, tag (RFC 3711 §3.4).
  private func sealCM(_ packet: UnsafeMutableRawPointer, length: Int, ssrc: SSRC) -> Bool {
    let salt = cipher.salt
    guard let authentication = cipher.authentication,
      cipher.begin(salt.0, salt.1 ^ ssrc.rawValue, salt.2 ^ index >> 16, salt.3 ^ index << 16),
      cipher.crypt(packet + 8, into: packet + 8, count: length - 8)
    else { return false }
    let end = packet + length
    end.copyMemory(from: trailer, byteCount: 4)
    authentication.begin()
    authentication.add(packet, count: length + 4)
    (end + 4).copyMemory(from: authentication.finish(), byteCount: 10)
    return true
  }
}
