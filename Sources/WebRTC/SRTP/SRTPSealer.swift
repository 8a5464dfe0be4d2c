import RoomDigests
import RoomRTP

/// Seals the RTP packets of one transport out of place, with a cached key schedule (RFC 3711, RFC 7714).
///
/// - There is one per subscriber transport, shared by all its SSRCs. Not thread-safe: use it on one owning thread.
/// - It stores no packet state: the caller owns the 48-bit index of each SSRC and never seals two plaintexts under one index.
/// - It allocates nothing per packet. The output equals libsrtp2's.
public final class SRTPSealer {
  public let profile: SRTPProfile
  /// The number of bytes that `seal` adds to header and payload.
  public let overhead: Int

  private let cipher: SRTPCipher
  /// The ROC of the current packet, in network order.
  private let rollover: UnsafeMutableRawPointer

  /// Creates a sealer. `master` is key and salt from the DTLS exporter: 28 bytes for GCM, 30 for CM. Returns nil if the length
  /// differs or libcrypto fails.
  public convenience init?(profile: SRTPProfile, master: [UInt8]) {
    self.init(profile: profile, master: master, library: GCMCipher.Library.available[0])
  }

  /// Creates a sealer with one of this machine's libraries.
  init?(profile: SRTPProfile, master: [UInt8], library: GCMCipher.Library) {
    guard let cipher = SRTPCipher(profile: profile, master: master, keys: .srtp, library: library) else { return nil }
    self.profile = profile
    self.cipher = cipher
    overhead = profile.rtpOverhead
    rollover = .allocate(byteCount: 4, alignment: 4)
  }

  deinit { rollover.deallocate() }

  /// Writes header, ciphertext and tag to `into` and returns their length; 0 if libcrypto fails.
  ///
  /// - `header`: everything that is sent unencrypted: fixed header, CSRCs and extension. At least 12 bytes.
  /// - `index`: ROC << 16 | sequence number; its low 16 bits and `ssrc` are those of the header.
  /// - `into`: room for `headerLength + payloadLength + overhead` bytes. `header` and `payload` may already be at their final
  ///   positions; otherwise they must not overlap it.
  public func seal(
    header: UnsafeRawPointer, headerLength: Int, payload: UnsafeRawPointer, payloadLength: Int, index: UInt64, ssrc: SSRC,
    into: UnsafeMutableRawPointer
  ) -> Int {
    if UnsafeRawPointer(into) != header { into.copyMemory(from: header, byteCount: headerLength) }
    let body = into + headerLength
    let sealed =
      switch cipher.kind {
      case .gcm(let gcm): seal(gcm, into, headerLength, body, payload, payloadLength, index, ssrc)
      case .cm(let cm): seal(cm, into, headerLength, body, payload, payloadLength, index, ssrc)
      }
    return sealed ? headerLength &+ payloadLength &+ overhead : 0
  }

  @inline(__always) private func seal(
    _ gcm: GCMCipher, _ packet: UnsafeMutableRawPointer, _ headerLength: Int, _ body: UnsafeMutableRawPointer,
    _ payload: UnsafeRawPointer, _ count: Int, _ index: UInt64, _ ssrc: SSRC
  ) -> Bool {
    // RFC 7714 §8.1: 16 zero bits, SSRC, ROC, sequence number, XORed with the salt.
    let salt = cipher.salt
    let source = ssrc.rawValue
    let roc = UInt32(truncatingIfNeeded: index >> 16)
    let sequence = UInt32(truncatingIfNeeded: index & 0xFFFF)
    return gcm.seal(
      clear: packet, headerLength, payload, into: body, count: count,
      iv: (salt.0 ^ source >> 16, salt.1 ^ (source << 16 | roc >> 16), salt.2 ^ (roc << 16 | sequence)), tag: body + count)
  }

  private func seal(
    _ cm: CMCipher, _ packet: UnsafeMutableRawPointer, _ headerLength: Int, _ body: UnsafeMutableRawPointer,
    _ payload: UnsafeRawPointer, _ count: Int, _ index: UInt64, _ ssrc: SSRC
  ) -> Bool {
    // RFC 3711 §4.1.1: salt·2^16 ⊕ SSRC·2^64 ⊕ index·2^16.
    let salt = cipher.salt
    let roc = UInt32(truncatingIfNeeded: index >> 16)
    let iv = (salt.0, salt.1 ^ ssrc.rawValue, salt.2 ^ roc, salt.3 ^ UInt32(truncatingIfNeeded: index) << 16)
    guard cm.crypt(payload, into: body, count: count, iv: iv) else { return false }
    // RFC 3711 §4.2: HMAC-SHA1 over packet and ROC, truncated to 80 bits.
    rollover.storeBytes(of: roc.bigEndian, as: UInt32.self)
    cm.authentication.begin()
    cm.authentication.add(packet, count: headerLength &+ count)
    cm.authentication.add(rollover, count: 4)
    (body + count).copyMemory(from: cm.authentication.finish(), byteCount: 10)
    return true
  }
}
