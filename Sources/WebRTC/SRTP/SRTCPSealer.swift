import RoomDigests
import RoomRTP

/// Seals RTCP compounds in place (RFC 3711 §3.4, RFC 7714 §9), with a tenth of the memory of a libsrtp2 session.
///
/// One counter numbers the compounds of all sender SSRCs. In each receiver context the index increases, and no index repeats
/// under the key, as the RFCs require.
final class SRTCPSealer {
  private let cipher: SRTPCipher
  private var index: UInt32
  /// The E flag and index of the current packet, in network order.
  private let trailer: UnsafeMutableRawPointer

  /// Creates a sealer. `index` is the number before that of the first compound.
  init?(profile: SRTPProfile, master: [UInt8], after index: UInt32 = 0) {
    guard let cipher = SRTPCipher(profile: profile, master: master, keys: .srtcp) else { return nil }
    self.cipher = cipher
    self.index = index
    trailer = .allocate(byteCount: 4, alignment: 4)
  }

  deinit { trailer.deallocate() }

  /// Protects a compound in place and returns its new length. Returns nil for fewer than 8 bytes, for a buffer without
  /// `rtcpOverhead` spare bytes, and once all 2^31 indices are used.
  func seal(_ buffer: UnsafeMutableRawBufferPointer, length: Int) -> Int? {
    guard length >= 8, length + cipher.profile.rtcpOverhead <= buffer.count, let base = buffer.baseAddress, index < 1 << 31 - 1
    else { return nil }
    index += 1
    trailer.storeBytes(of: (0x8000_0000 | index).bigEndian, as: UInt32.self)
    let ssrc = SSRC(UnsafeRawBufferPointer(buffer).bigEndian32(at: 4))
    let sealed =
      switch cipher.kind {
      case .gcm(let gcm): seal(gcm, base, length: length, ssrc: ssrc)
      case .cm(let cm): seal(cm, base, length: length, ssrc: ssrc)
      }
    return sealed ? length + cipher.profile.rtcpOverhead : nil
  }

  /// Layout: header, ciphertext, tag, E and index (RFC 7714 §9.2).
  private func seal(_ gcm: GCMCipher, _ packet: UnsafeMutableRawPointer, length: Int, ssrc: SSRC) -> Bool {
    let salt = cipher.salt
    let end = packet + length
    guard
      gcm.seal(
        clear: gcm.joined(packet, trailer), 12, packet + 8, into: packet + 8, count: length - 8,
        iv: (salt.0 ^ ssrc.rawValue >> 16, salt.1 ^ ssrc.rawValue << 16, salt.2 ^ index), tag: end)
    else { return false }
    (end + 16).copyMemory(from: trailer, byteCount: 4)
    return true
  }

  /// Layout: header, ciphertext, E and index, tag (RFC 3711 §3.4).
  private func seal(_ cm: CMCipher, _ packet: UnsafeMutableRawPointer, length: Int, ssrc: SSRC) -> Bool {
    let salt = cipher.salt
    let iv = (salt.0, salt.1 ^ ssrc.rawValue, salt.2 ^ index >> 16, salt.3 ^ index << 16)
    guard cm.crypt(packet + 8, into: packet + 8, count: length - 8, iv: iv) else { return false }
    let end = packet + length
    end.copyMemory(from: trailer, byteCount: 4)
    cm.authentication.begin()
    cm.authentication.add(packet, count: length + 4)
    (end + 4).copyMemory(from: cm.authentication.finish(), byteCount: 10)
    return true
  }
}
