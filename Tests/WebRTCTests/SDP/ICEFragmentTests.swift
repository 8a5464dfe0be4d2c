import RoomTestSupport
import Testing

@testable import RoomWebRTC

@Suite struct ICEFragmentTests {
  @Test("the trickle fragment of RFC 9725 is parsed without its TCP candidates")
  func trickle() throws {
    let fragment = try ICEFragment(
      parsing: """
        a=group:BUNDLE 0 1
        m=audio 9 RTP/AVP 0
        a=mid:0
        a=ice-ufrag:EsAw
        a=ice-pwd:P2uYro0UCOQ4zxjKXaWCBui1
        a=candidate:1387637174 1 udp 2122260223 192.0.2.1 61764 typ host generation 0 ufrag EsAw network-id 1
        a=candidate:473322822 1 tcp 1518280447 192.0.2.1 9 typ host tcptype active generation 0 ufrag EsAw network-id 1
        a=end-of-candidates

        """)
    #expect(fragment.credentials == ICECredentials(ufrag: "EsAw", password: "P2uYro0UCOQ4zxjKXaWCBui1"))
    #expect(fragment.candidates.count == 1 && fragment.mid == "0" && fragment.kind == "audio" && !fragment.iceLite)
  }

  @Test("a fragment without credentials, as some clients send it, is parsed")
  func candidatesOnly() throws {
    let fragment = try ICEFragment(parsing: "m=video 9 UDP/TLS/RTP/SAVPF 96\r\na=mid:v\r\na=end-of-candidates\r\n")
    #expect(fragment.credentials == nil && fragment.candidates.isEmpty)
  }

  @Test("a written fragment is parseable")
  func roundTrip() throws {
    let local = Fixture.local(.server)
    let fragment = ICEFragment(
      credentials: local.credentials, candidates: local.candidates, iceLite: true, mid: "0", kind: "video")
    #expect(try ICEFragment(parsing: fragment.text) == fragment)
  }

  @Test(
    "malformed fragments are rejected",
    arguments: [
      "", "\r\n", "hello", "a=ice-ufrag:abcd\r\n", "a=ice-pwd:0123456789012345678901\r\n",
      "a=ice-ufrag:abc\r\na=ice-pwd:0123456789012345678901\r\n", "a=ice-ufrag:abcd\r\na=ice-pwd:short\r\n",
      "a=ice-ufrag:ab cd\r\na=ice-pwd:0123456789012345678901\r\n", "a=mid:0\rb\r\n", "a=x\0\r\n",
      String(repeating: "a=x\r\n", count: 20_000),
    ])
  func malformed(text: String) {
    #expect(throws: SDPError.self) { try ICEFragment(parsing: text) }
  }

  @Test("random and mutated fragments never trap")
  func hostile() throws {
    var generator = SeededGenerator(seed: 11)
    let local = Fixture.local(.server)
    let original = Array(
      ICEFragment(credentials: local.credentials, candidates: local.candidates, iceLite: true, mid: "0").text.utf8)
    for _ in 0..<2000 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...8, using: &generator) where !bytes.isEmpty {
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...20, using: &generator)))
        default: bytes.insert(contentsOf: Array("99999999999 = :".utf8), at: at)
        }
      }
      if let fragment = try? ICEFragment(parsing: String(decoding: bytes, as: UTF8.self)) {
        #expect((try? ICEFragment(parsing: fragment.text)) != nil || fragment.text.isEmpty)
      }
    }
  }
}
