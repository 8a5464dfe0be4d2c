import RoomRTP
import RoomTestSupport
import Testing

@testable import RoomWebRTC

extension SRTPOpener {
  /// Opens a copy of a packet. Returns the plain packet or the drop reason.
  func openRTP(copy packet: [UInt8]) -> Result<[UInt8], DropReason> {
    var buffer = packet
    return buffer.withUnsafeMutableBytes { openRTP($0) }.map { Array(buffer.prefix($0)) }
  }

  func openRTCP(copy packet: [UInt8]) -> Result<[UInt8], DropReason> {
    var buffer = packet
    return buffer.withUnsafeMutableBytes { openRTCP($0) }.map { Array(buffer.prefix($0)) }
  }
}

@Suite("SRTPOpener") struct SRTPOpenerTests {
  private func pair(_ profile: SRTPProfile, limit: Int = 8) throws -> (SRTPReference, SRTPOpener) {
    let master = SRTPSealerTests.master(profile, seed: 21)
    return (
      try SRTPReference(profile, master: master),
      try #require(SRTPOpener(profile: profile, master: master, streamLimit: limit))
    )
  }

  @Test("packets protected by libsrtp2 open across two wraps", arguments: SRTPProfile.allCases)
  func wraps(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile)
    var differing = 0
    for index in 20_000..<200_000 where index % 16 == 0 || (index + 40) & 0xFFFF < 80 {
      let packet = rtpPacket(sequence: UInt16(truncatingIfNeeded: index))
      if opener.openRTP(copy: try reference.protect(packet)) != .success(packet) { differing += 1 }
    }
    #expect(differing == 0)
  }

  @Test("packets reordered across a wrap open once, and a replay is rejected", arguments: SRTPProfile.allCases)
  func reordering(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile)
    let plain = (65_400..<65_700).map { rtpPacket(sequence: UInt16(truncatingIfNeeded: $0)) }
    var packets = try plain.map { ($0, try reference.protect($0)) }
    // The first packet fixes the ROC.
    #expect(opener.openRTP(copy: packets[0].1) == .success(packets[0].0))
    packets.removeFirst()
    var generator = SeededGenerator(seed: 22)
    for (plain, sealed) in packets.shuffled(using: &generator) {
      #expect(opener.openRTP(copy: sealed) == .success(plain))
      #expect(opener.openRTP(copy: sealed) == .failure(.replayed))
    }
    for (_, sealed) in packets { #expect(opener.openRTP(copy: sealed) == .failure(.replayed)) }
  }

  @Test("a packet older than the window is rejected, the oldest one in it is not", arguments: SRTPProfile.allCases)
  func late(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile)
    let sealed = try (0...1024).map { try reference.protect(rtpPacket(sequence: UInt16($0))) }
    #expect(opener.openRTP(copy: sealed[1024]) == .success(rtpPacket(sequence: 1024)))
    #expect(opener.openRTP(copy: sealed[0]) == .failure(.replayed))
    #expect(opener.openRTP(copy: sealed[1]) == .success(rtpPacket(sequence: 1)))
  }

  @Test("a modified packet is rejected and changes no state; random bytes never trap", arguments: SRTPProfile.allCases)
  func forged(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile, limit: 1)
    var generator = SeededGenerator(seed: 23)
    for sequence in UInt16(0)..<500 {
      let plain = rtpPacket(sequence: sequence)
      let sealed = try reference.protect(plain)
      var mutated = sealed
      mutated[.random(in: 0..<mutated.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      if case .success = opener.openRTP(copy: mutated) { Issue.record("a forged packet opened") }
      _ = opener.openRTP(copy: Array(mutated.prefix(.random(in: 0...mutated.count, using: &generator))))
      let noise = (0..<Int.random(in: 0...80, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      if case .success = opener.openRTP(copy: noise) { Issue.record("noise opened") }
      if case .success = opener.openRTCP(copy: noise) { Issue.record("noise opened") }
      #expect(opener.openRTP(copy: sealed) == .success(plain))
    }
  }

  @Test("streams above the limit are rejected until one is removed", arguments: SRTPProfile.allCases)
  func limit(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile, limit: 2)
    let plain = (UInt32(1)...3).map { rtpPacket(sequence: 9, ssrc: SSRC($0)) }
    let sealed = try plain.map { try reference.protect($0) }
    #expect(opener.openRTP(copy: sealed[0]) == .success(plain[0]))
    #expect(opener.openRTP(copy: sealed[1]) == .success(plain[1]))
    #expect(opener.openRTP(copy: sealed[2]) == .failure(.tooManyStreams))
    opener.removeStream(1)
    #expect(opener.openRTP(copy: sealed[2]) == .success(plain[2]))
    #expect(opener.openRTP(copy: sealed[1]) == .failure(.replayed))
  }

  @Test("libsrtp2's RTCP opens once, and late compounds are rejected", arguments: SRTPProfile.allCases)
  func reports(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile)
    let plain = receiverReport() + [1, 2, 3, 4]
    let sealed = try (0..<200).map { _ in try reference.protectRTCP(plain) }
    for packet in sealed.dropFirst() {
      var forged = packet
      forged[9] ^= 1
      #expect(opener.openRTCP(copy: forged) == .failure(.unauthenticatedMedia))
      #expect(opener.openRTCP(copy: packet) == .success(plain))
      #expect(opener.openRTCP(copy: packet) == .failure(.replayed))
    }
    #expect(opener.openRTCP(copy: sealed[0]) == .failure(.replayed))
  }

  @Test("CSRCs, extensions of both forms and empty payloads open as with libsrtp2", arguments: SRTPProfile.allCases)
  func shapes(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile)
    let other = try SRTPReference(profile, master: SRTPSealerTests.master(profile, seed: 21), opening: true)
    var generator = SeededGenerator(seed: 24)
    for sequence in UInt16(0)..<800 {
      var packet = Array(rtpPacket(sequence: sequence, ssrc: SSRC(.random(in: 0...3, using: &generator))).prefix(12))
      let sources = Int.random(in: 0...15, using: &generator)
      packet[0] |= UInt8(sources)
      packet += [UInt8](repeating: 7, count: 4 * sources)
      if let profile = [[UInt8]]([[], [0xBE, 0xDE], [0x10, 0x00]]).randomElement(using: &generator), !profile.isEmpty {
        packet[0] |= 0x10
        let words = Int.random(in: 0...20, using: &generator)
        packet += profile + [0, UInt8(words)] + [UInt8](repeating: 0x11, count: 4 * words)
      }
      let payload = Bool.random(using: &generator) ? Int.random(in: 0...1300, using: &generator) : 0
      packet += (0..<payload).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let sealed = try reference.protect(packet)
      #expect(opener.openRTP(copy: sealed) == .success(packet))
      #expect(other.unprotect(sealed) == packet)
    }
  }

  @Test("packets that libsrtp2 rejects are rejected, others open to the same bytes", arguments: SRTPProfile.allCases)
  func agrees(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile)
    let other = try SRTPReference(profile, master: SRTPSealerTests.master(profile, seed: 21), opening: true)
    var generator = SeededGenerator(seed: 25)
    var sent: [[UInt8]] = []
    var opened = 0
    for round in 0..<6000 {
      // In order with jumps; any sent packet may be sent again.
      if round % 3 == 0 {
        let sequence = UInt16(truncatingIfNeeded: 65_000 + round * 40 / 3)
        let size = Int.random(in: 0...60, using: &generator)
        sent.append(try reference.protect(rtpPacket(sequence: sequence, payload: [UInt8](repeating: 5, count: size))))
      }
      var packet = sent[max(0, sent.count - Int.random(in: 1...120, using: &generator))]
      if round % 5 == 4 {
        packet[.random(in: 1..<packet.count, using: &generator)] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      }
      let expected = other.unprotect(packet)
      #expect((try? opener.openRTP(copy: packet).get()) == expected)
      if expected != nil { opened += 1 }
    }
    #expect(opened > 1000)
  }

  @Test("the ROC increases up to its last value, and nothing opens after it", arguments: SRTPProfile.allCases)
  func lastRollover(profile: SRTPProfile) throws {
    let master = SRTPSealerTests.master(profile, seed: 21)
    let (_, opener) = try pair(profile)
    let sealer = try #require(SRTPSealer(profile: profile, master: master))
    let last: UInt64 = 1 << 48 - 1
    func open(_ index: UInt64) -> Result<[UInt8], DropReason> {
      opener.openRTP(copy: sealer.seal(rtpPacket(sequence: UInt16(truncatingIfNeeded: index)), index: index))
    }
    let start = last - 70_000
    opener.note(0x1122_3344, at: nil).pointee.rtp.insert(start)
    #expect(open(start) == .failure(.replayed))
    for index in (start + 1)...last where index % 64 == 0 || index & 0xFFFF < 3 || index & 0xFFFF > 0xFFF0 {
      #expect(open(index) == .success(rtpPacket(sequence: UInt16(truncatingIfNeeded: index))))
    }
    // By its sequence number it would be the first packet of a ROC that does not exist.
    #expect(open(0) == .failure(.unauthenticatedMedia))
    #expect(open(last) == .failure(.replayed))
    #expect(open(last - 5) == .failure(.replayed))
  }

  @Test("an index is the nearest one with its sequence number, and never negative")
  func nearestIndex() {
    for highest in [0, 1, 5, 0x7FFF, 0x8000, 0x8001, 0xFFFF, 0x1_0000, 0x1_7FFF, 0x1_8000, 0x1_FFFF, 0x1234_5678_9ABC]
      as [UInt64]
    {
      var window = ReplayWindow(size: 64)
      defer { window.deallocate() }
      window.insert(highest)
      for sequence in stride(from: UInt64(0), through: 0xFFFF, by: 13) {
        let index = window.index(of: sequence)
        let base = highest & ~0xFFFF
        let candidates = [base + sequence, base + 0x1_0000 + sequence] + (base > 0 ? [base - 0x1_0000 + sequence] : [])
        let least = candidates.map { $0 > highest ? $0 - highest : highest - $0 }.min()
        #expect(index & 0xFFFF == sequence)
        #expect((index > highest ? index - highest : highest - index) == least)
      }
    }
  }

  @Test("a window contains the same indices as a set")
  func window() {
    var generator = SeededGenerator(seed: 26)
    for size in [64, 128, 1024] {
      var window = ReplayWindow(size: size)
      defer { window.deallocate() }
      var seen: Set<UInt64> = []
      var highest: UInt64 = 0
      for _ in 0..<20_000 {
        let step = Int64.random(in: 0..<40, using: &generator) == 0 ? Int64(size * 3) : 40
        let index = UInt64(max(0, Int64(highest) + .random(in: -step...(step > 40 ? step : 5), using: &generator)))
        let expected = index > highest || (highest - index < UInt64(size) && !seen.contains(index))
        #expect(window.accepts(index) == expected)
        guard expected else { continue }
        window.insert(index)
        seen.insert(index)
        highest = max(highest, index)
      }
    }
  }

  @Test("SRTCP indices end at 2³¹ − 1, and an unencrypted compound is rejected", arguments: SRTPProfile.allCases)
  func lastReport(profile: SRTPProfile) throws {
    let master = SRTPSealerTests.master(profile, seed: 21)
    let (_, opener) = try pair(profile)
    let sealer = try #require(SRTCPSealer(profile: profile, master: master, after: 1 << 31 - 4))
    let fresh = try #require(SRTCPSealer(profile: profile, master: master))
    let plain = receiverReport() + [1, 2, 3, 4]
    func seal(_ sealer: SRTCPSealer) -> [UInt8]? {
      var buffer = plain + [UInt8](repeating: 0, count: profile.rtcpOverhead)
      return buffer.withUnsafeMutableBytes { sealer.seal($0, length: plain.count) } == nil ? nil : buffer
    }
    for _ in 0..<3 {
      let sealed = try #require(seal(sealer))
      // The E flag precedes the index: at the end in GCM, before the tag in CM.
      var unencrypted = sealed
      unencrypted[profile == .aeadAES128GCM ? sealed.count - 4 : plain.count] &= 0x7F
      #expect(opener.openRTCP(copy: unencrypted) == .failure(.unauthenticatedMedia))
      #expect(opener.openRTCP(copy: sealed) == .success(plain))
    }
    #expect(seal(sealer) == nil, "no index is used twice")
    // The index does not wrap (RFC 3711 §9.2): the first indices are now old.
    #expect(opener.openRTCP(copy: try #require(seal(fresh))) == .failure(.replayed))
  }

  @Test("RTP and RTCP of one SSRC are one stream, and many streams are independent", arguments: SRTPProfile.allCases)
  func streams(profile: SRTPProfile) throws {
    let (reference, opener) = try pair(profile, limit: 40)
    for round in 0..<3 as Range<UInt16> {
      for ssrc in (UInt32(1)...40).map({ SSRC($0) }) {
        let packet = rtpPacket(sequence: round, ssrc: ssrc)
        #expect(
          opener.openRTCP(copy: try reference.protectRTCP(receiverReport(ssrc: ssrc))) == .success(receiverReport(ssrc: ssrc)))
        #expect(opener.openRTP(copy: try reference.protect(packet)) == .success(packet))
      }
    }
    for number in UInt32(1)...20 { opener.removeStream(SSRC(number * 2)) }
    for number in UInt32(1)...20 {
      let packet = rtpPacket(sequence: 3, ssrc: SSRC(number * 2 - 1))
      #expect(opener.openRTP(copy: try reference.protect(packet)) == .success(packet))
    }
    #expect(
      opener.openRTP(copy: try reference.protect(rtpPacket(sequence: 1, ssrc: 100)))
        == .success(rtpPacket(sequence: 1, ssrc: 100)))
  }

  @Test(
    "packets too short for a header and a tag, or whose header overruns them, are malformed", arguments: SRTPProfile.allCases)
  func malformed(profile: SRTPProfile) throws {
    let (_, opener) = try pair(profile)
    for count in 0..<(12 + profile.rtpOverhead) {
      #expect(opener.openRTP(copy: [UInt8](repeating: 0x80, count: count)) == .failure(.malformedMedia))
    }
    for count in 0..<(8 + profile.rtcpOverhead) {
      #expect(opener.openRTCP(copy: [UInt8](repeating: 0x80, count: count)) == .failure(.malformedMedia))
    }
    let body = [UInt8](repeating: 0xFF, count: 12 + profile.rtpOverhead)
    #expect(opener.openRTP(copy: [0x81] + body) == .failure(.malformedMedia), "a CSRC in the tag")
    #expect(opener.openRTP(copy: [0x90] + body + [0, 0, 0, 0]) == .failure(.malformedMedia), "an extension of 64 kB")
  }
}
