import RoomCOpenSSL
import RoomDigests
import RoomRTP

/// Opens the SRTP and SRTCP packets that one transport receives, in place (RFC 3711, RFC 7714).
///
/// - An SSRC becomes a stream only with a packet that authenticates, and only while there are fewer than `streamLimit` streams.
/// - Replays are rejected, as are RTP packets more than 1024 packets old and RTCP packets more than 128 old.
/// - Only the first packet of a stream allocates. A rejected packet changes no state, but its bytes may be scrambled.
final class SRTPOpener {
  static let replayWindow = 1024
  static let rtcpReplayWindow = 128

  /// The state of one SSRC. Freed by `deallocate`.
  struct Stream {
    var rtp = ReplayWindow(size: SRTPOpener.replayWindow)
    var rtcp = ReplayWindow(size: SRTPOpener.rtcpReplayWindow)

    func deallocate() {
      rtp.deallocate()
      rtcp.deallocate()
    }
  }

  private let profile: SRTPProfile
  private let rtp: SRTPCipher
  private let rtcp: SRTPCipher
  private let streamLimit: Int
  /// The SSRCs of the streams and, at the same indices, the streams; most transports have two.
  private var known: UnsafeMutablePointer<SSRC>
  private var streams: UnsafeMutablePointer<Stream>
  private var capacity = 4
  private var count = 0
  private var lastPlace = 0
  /// The ROC of the current packet, in network order.
  private let rollover: UnsafeMutableRawPointer

  /// Creates an opener. `master` is key and salt. Returns nil if its length differs from the profile's or libcrypto fails.
  init?(
    profile: SRTPProfile, master: [UInt8], streamLimit: Int, library: GCMCipher.Library = GCMCipher.Library.available[0]
  ) {
    guard let rtp = SRTPCipher(profile: profile, master: master, keys: .srtp, opening: true, library: library),
      let rtcp = SRTPCipher(profile: profile, master: master, keys: .srtcp, opening: true, library: library)
    else { return nil }
    self.profile = profile
    self.rtp = rtp
    self.rtcp = rtcp
    self.streamLimit = streamLimit
    known = .allocate(capacity: capacity)
    streams = .allocate(capacity: capacity)
    rollover = .allocate(byteCount: 4, alignment: 4)
  }

  deinit {
    for place in 0..<count { streams[place].deallocate() }
    known.deallocate()
    streams.deallocate()
    rollover.deallocate()
  }

  // MARK: RTP

  /// Decrypts a packet in place and returns the length of the plain packet.
  func openRTP(_ packet: UnsafeMutableRawBufferPointer) -> Result<Int, DropReason> {
    let length = packet.count - profile.rtpOverhead
    guard length >= 12, let base = packet.baseAddress else { return .failure(.malformedMedia) }
    let bytes = UnsafeRawBufferPointer(packet)
    let ssrc = SSRC(bytes.bigEndian32(at: 8))
    let place = find(ssrc)
    guard place != nil || count < streamLimit else { return .failure(.tooManyStreams) }
    guard let header = Self.headerLength(bytes, upTo: length) else { return .failure(.malformedMedia) }
    let sequence = UInt64(bytes[2]) << 8 | UInt64(bytes[3])
    let index = place.map { streams[$0].rtp.index(of: sequence) } ?? sequence
    // The packet indices under one key end at 2^48 (RFC 3711 §9.2).
    guard index < 1 << 48 else { return .failure(.unauthenticatedMedia) }
    if let place, !streams[place].rtp.accepts(index) { return .failure(.replayed) }
    let opened =
      switch rtp.kind {
      case .gcm(let gcm): open(gcm, base, header, length, index, ssrc)
      case .cm(let cm): open(cm, base, header, length, index, ssrc)
      }
    guard opened else { return .failure(.unauthenticatedMedia) }
    note(ssrc, at: place).pointee.rtp.insert(index)
    return .success(length)
  }

  /// Returns the length of the fixed header, CSRCs and extension; nil if they overrun `length`.
  private static func headerLength(_ bytes: UnsafeRawBufferPointer, upTo length: Int) -> Int? {
    var header = 12 + 4 * Int(bytes[0] & 0x0F)
    if bytes[0] & 0x10 != 0 {
      guard header + 4 <= length else { return nil }
      header += 4 + 4 * (Int(bytes[header + 2]) << 8 | Int(bytes[header + 3]))
    }
    return header <= length ? header : nil
  }

  private func open(
    _ gcm: GCMCipher, _ packet: UnsafeMutableRawPointer, _ header: Int, _ length: Int, _ index: UInt64, _ ssrc: SSRC
  ) -> Bool {
    // RFC 7714 §8.1: 16 zero bits, SSRC, ROC, sequence number, XORed with the salt.
    let salt = rtp.salt
    let source = ssrc.rawValue
    let roc = UInt32(truncatingIfNeeded: index >> 16)
    let sequence = UInt32(truncatingIfNeeded: index & 0xFFFF)
    return gcm.open(
      clear: packet, header, packet + header, into: packet + header, count: length - header,
      iv: (salt.0 ^ source >> 16, salt.1 ^ (source << 16 | roc >> 16), salt.2 ^ (roc << 16 | sequence)), tag: packet + length)
  }

  private func open(
    _ cm: CMCipher, _ packet: UnsafeMutableRawPointer, _ header: Int, _ length: Int, _ index: UInt64, _ ssrc: SSRC
  ) -> Bool {
    let salt = rtp.salt
    let roc = UInt32(truncatingIfNeeded: index >> 16)
    rollover.storeBytes(of: roc.bigEndian, as: UInt32.self)
    cm.authentication.begin()
    cm.authentication.add(packet, count: length)
    cm.authentication.add(rollover, count: 4)
    let body = packet + header
    let iv = (salt.0, salt.1 ^ ssrc.rawValue, salt.2 ^ roc, salt.3 ^ UInt32(truncatingIfNeeded: index) << 16)
    return CRYPTO_memcmp(cm.authentication.finish(), packet + length, 10) == 0
      && cm.crypt(body, into: body, count: length - header, iv: iv)
  }

  // MARK: RTCP

  /// Decrypts a compound in place and returns the length of the plain compound.
  func openRTCP(_ packet: UnsafeMutableRawBufferPointer) -> Result<Int, DropReason> {
    let length = packet.count - profile.rtcpOverhead
    guard length >= 8, let base = packet.baseAddress else { return .failure(.malformedMedia) }
    let bytes = UnsafeRawBufferPointer(packet)
    let ssrc = SSRC(bytes.bigEndian32(at: 4))
    let place = find(ssrc)
    guard place != nil || count < streamLimit else { return .failure(.tooManyStreams) }
    let trailer = bytes.bigEndian32(at: profile == .aeadAES128GCM ? length + 16 : length)
    // Both profiles encrypt, so an unencrypted compound is not from the other side.
    guard trailer & 0x8000_0000 != 0 else { return .failure(.unauthenticatedMedia) }
    let index = trailer & 0x7FFF_FFFF
    if let place, !streams[place].rtcp.accepts(UInt64(index)) { return .failure(.replayed) }
    let opened =
      switch rtcp.kind {
      case .gcm(let gcm): open(gcm, base, length, index, ssrc)
      case .cm(let cm): open(cm, base, length, index, ssrc)
      }
    guard opened else { return .failure(.unauthenticatedMedia) }
    note(ssrc, at: place).pointee.rtcp.insert(UInt64(index))
    return .success(length)
  }

  /// Layout: header, ciphertext, tag, E and index (RFC 7714 §9.2).
  private func open(_ gcm: GCMCipher, _ packet: UnsafeMutableRawPointer, _ length: Int, _ index: UInt32, _ ssrc: SSRC) -> Bool {
    let salt = rtcp.salt
    let tag = packet + length
    return gcm.open(
      clear: gcm.joined(packet, tag + 16), 12, packet + 8, into: packet + 8, count: length - 8,
      iv: (salt.0 ^ ssrc.rawValue >> 16, salt.1 ^ ssrc.rawValue << 16, salt.2 ^ index), tag: tag)
  }

  /// Layout: header, ciphertext, E and index, tag (RFC 3711 §3.4).
  private func open(_ cm: CMCipher, _ packet: UnsafeMutableRawPointer, _ length: Int, _ index: UInt32, _ ssrc: SSRC) -> Bool {
    let salt = rtcp.salt
    cm.authentication.begin()
    cm.authentication.add(packet, count: length + 4)
    let body = packet + 8
    let iv = (salt.0, salt.1 ^ ssrc.rawValue, salt.2 ^ index >> 16, salt.3 ^ index << 16)
    return CRYPTO_memcmp(cm.authentication.finish(), packet + length + 4, 10) == 0
      && cm.crypt(body, into: body, count: length - 8, iv: iv)
  }

  // MARK: Streams

  /// Removes the state of an SSRC and makes room for another.
  func removeStream(_ ssrc: SSRC) {
    guard let place = find(ssrc) else { return }
    streams[place].deallocate()
    count -= 1
    // The last entry moves into the free slot.
    known[place] = known[count]
    streams[place] = streams[count]
    lastPlace = 0
  }

  /// Returns the stream of an SSRC whose packet was authentic: the one at `place`, or a new one.
  @inline(__always) func note(_ ssrc: SSRC, at place: Int?) -> UnsafeMutablePointer<Stream> {
    if let place { return streams + place }
    if count == capacity { grow() }
    known[count] = ssrc
    (streams + count).initialize(to: Stream())
    count += 1
    return streams + (count - 1)
  }

  private func grow() {
    let more = UnsafeMutablePointer<SSRC>.allocate(capacity: capacity * 2)
    more.moveInitialize(from: known, count: count)
    known.deallocate()
    known = more
    let wider = UnsafeMutablePointer<Stream>.allocate(capacity: capacity * 2)
    wider.moveInitialize(from: streams, count: count)
    streams.deallocate()
    streams = wider
    capacity *= 2
  }

  private func find(_ ssrc: SSRC) -> Int? {
    if lastPlace < count, known[lastPlace] == ssrc { return lastPlace }
    for place in 0..<count where known[place] == ssrc {
      lastPlace = place
      return place
    }
    return nil
  }
}

extension DropReason: Error {}
