import RoomDigests
import RoomTestSupport
import Testing

@Suite("AES-GCM") struct GCMCipherTests {
  private static let iv: (UInt32, UInt32, UInt32) = (0xCAFE_BABE, 0xFACE_DBAD, 0xDECA_F888)

  private func seal(_ plain: [UInt8], clear: [UInt8], key: [UInt8], _ library: GCMCipher.Library) throws -> [UInt8] {
    let cipher = try #require(GCMCipher(key: key, opening: false, library: library))
    defer { cipher.deallocate() }
    var sealed = [UInt8](repeating: 0, count: plain.count + GCMCipher.tagLength)
    let isSealed = sealed.withUnsafeMutableBytes { target in
      plain.withUnsafeBytes { source in
        clear.withUnsafeBytes { clear in
          guard let target = target.baseAddress, let from = source.baseAddress, let header = clear.baseAddress else {
            return false
          }
          return cipher.seal(
            clear: header, clear.count, from, into: target, count: source.count, iv: Self.iv, tag: target + source.count)
        }
      }
    }
    try #require(isSealed)
    return sealed
  }

  private func open(_ sealed: [UInt8], clear: [UInt8], key: [UInt8], _ library: GCMCipher.Library) throws -> [UInt8]? {
    let cipher = try #require(GCMCipher(key: key, opening: true, library: library))
    defer { cipher.deallocate() }
    var bytes = sealed
    let length = sealed.count - GCMCipher.tagLength
    let isOpened = bytes.withUnsafeMutableBytes { place in
      clear.withUnsafeBytes { clear in
        guard let place = place.baseAddress, let header = clear.baseAddress else { return false }
        return cipher.open(clear: header, clear.count, place, into: place, count: length, iv: Self.iv, tag: place + length)
      }
    }
    return isOpened ? Array(bytes.prefix(length)) : nil
  }

  @Test("test case 4 of the GCM specification", arguments: GCMCipher.Library.available)
  func knownAnswer(library: GCMCipher.Library) throws {
    func bytes(_ hex: String) -> [UInt8] {
      stride(from: 0, to: hex.utf8.count, by: 2).map { place in
        let start = hex.index(hex.startIndex, offsetBy: place)
        return UInt8(hex[start..<hex.index(start, offsetBy: 2)], radix: 16) ?? 0
      }
    }
    let sealed = try seal(
      bytes(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
          + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"),
      clear: bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2"), key: bytes("feffe9928665731c6d6a8f9467308308"), library)
    #expect(
      sealed
        == bytes(
          "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
            + "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e091"
            + "5bc94fbc3221a5db94fae95ae7121a47"))
  }

  @Test("each library opens what another one sealed, for all lengths, and no changed byte")
  func libraries() throws {
    var generator = SeededGenerator(seed: 5)
    for length in Array(0...80) + [255, 256, 1023, 1200, 1300] {
      let key = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let clear = (0..<Int.random(in: 12...84, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let plain = [UInt8](repeating: UInt8(truncatingIfNeeded: length), count: length) + [1]
      let sealed = try GCMCipher.Library.available.map { try seal(plain, clear: clear, key: key, $0) }
      #expect(Set(sealed).count == 1)
      for library in GCMCipher.Library.available {
        #expect(try open(sealed[0], clear: clear, key: key, library) == plain)
        var changed = sealed[0]
        changed[Int.random(in: changed.indices, using: &generator)] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        #expect(try open(changed, clear: clear, key: key, library) == nil)
        var otherClear = clear
        otherClear[Int.random(in: clear.indices, using: &generator)] ^= 0x80
        #expect(try open(sealed[0], clear: otherClear, key: key, library) == nil)
      }
    }
  }
}
