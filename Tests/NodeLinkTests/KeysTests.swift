import RoomNodeLink
import Testing

@testable import RoomNodeLink

@Suite("Node link: keys") struct KeysTests {
  private let secret = [UInt8](repeating: 7, count: 32)
  private let a = LinkEnd(node: "a", incarnation: 1)
  private let b = LinkEnd(node: "b", incarnation: 2)

  private func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }

  @Test("HKDF computes the first test case of RFC 5869") func derivation() {
    let key = HKDF.extract(salt: bytes("000102030405060708090a0b0c"), secret: [UInt8](repeating: 0x0B, count: 22))
    #expect(key == bytes("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5"))
    #expect(
      HKDF.expand(key, info: bytes("f0f1f2f3f4f5f6f7f8f9"), count: 42)
        == bytes("3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865"))
  }

  @Test("both nodes have the same keys, one for each direction") func directions() throws {
    let near = try LinkKeys(secret: secret, local: a, remote: b)
    let far = try LinkKeys(secret: secret, local: b, remote: a)
    #expect(near.sending == far.receiving)
    #expect(near.receiving == far.sending)
    #expect(near.epoch == far.epoch)
    #expect(near.sending != near.receiving)
  }

  @Test("another incarnation, node or secret has other keys") func others() throws {
    let keys = try LinkKeys(secret: secret, local: a, remote: b)
    for other in [
      try LinkKeys(secret: secret, local: LinkEnd(node: "a", incarnation: 3), remote: b),
      try LinkKeys(secret: secret, local: a, remote: LinkEnd(node: "b", incarnation: 3)),
      try LinkKeys(secret: secret, local: LinkEnd(node: "c", incarnation: 1), remote: b),
      try LinkKeys(secret: [UInt8](repeating: 8, count: 32), local: a, remote: b),
    ] {
      #expect(other.sending != keys.sending)
      #expect(other.receiving != keys.receiving)
    }
  }

  @Test("a short secret, equal names and long names are refused") func refused() {
    #expect(throws: LinkError.secretTooShort) { try LinkKeys(secret: [1, 2, 3], local: a, remote: b) }
    #expect(throws: LinkError.invalidEnds) {
      try LinkKeys(secret: secret, local: a, remote: LinkEnd(node: "a", incarnation: 9))
    }
    #expect(throws: LinkError.invalidEnds) {
      try LinkKeys(secret: secret, local: a, remote: LinkEnd(node: String(repeating: "b", count: 256), incarnation: 2))
    }
  }
}
