import RoomTestSupport
import Testing

@testable import RoomWebRTC

/// Every description here is untrusted input: nothing traps, and invalid descriptions are errors.
@Suite struct HostileDescriptionTests {
  /// Parses the text in every way that a server or client would.
  private func feed(_ text: String) {
    if let description = try? SessionDescription(parsing: text) {
      _ = try? description.transport()
      for section in description.media {
        _ = section.codecs.map { ($0.canonical, $0.offeredForms) }
        _ = (section.headerExtensions, section.streams, section.simulcastRids)
      }
      _ = try? SessionDescription(parsing: description.text)
    }
    var publish = PublishNegotiation(local: Fixture.local(.server), simulcast: true)
    if let result = try? publish.answer(text) {
      // The answers must be parseable.
      #expect(throws: Never.self) { try SessionDescription(parsing: result.sdp) }
      _ = try? publish.answer(text)
    }
    if let view = try? ViewNegotiation(local: Fixture.local(.server)).answer(text, name: "u") {
      #expect(throws: Never.self) { try SessionDescription(parsing: view.sdp) }
    }
    _ = try? ICEFragment(parsing: text)
    var subscribe = SubscribeNegotiation(local: Fixture.local(.server))
    for (index, codec) in [RTPCodec.opus, .vp8].enumerated() {
      _ = try? subscribe.add(
        RTPParameters(mid: "", kind: index == 0 ? .audio : .video, codecs: [codec]), userID: "u", trackID: "\(index)")
    }
    _ = subscribe.makeOffer()
    _ = try? subscribe.accept(answer: text)
  }

  @Test("mutated descriptions", arguments: Fixture.names)
  func mutated(name: String) throws {
    let original = Array(try Fixture.text(name).utf8)
    var generator = SeededGenerator(seed: UInt64(name.utf8.count))
    for _ in 0..<12 {
      var bytes = original
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        let at = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeSubrange(at..<min(bytes.count, at + Int.random(in: 1...40, using: &generator)))
        case 2: bytes.insert(contentsOf: Array("99999999999999999999".utf8), at: at)
        default:
          let end = min(bytes.count, at + Int.random(in: 1...400, using: &generator))
          bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 0..<bytes.count, using: &generator))
        }
        if bytes.isEmpty { bytes = [0] }
      }
      feed(String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test("shuffled and dropped lines")
  func shuffled() throws {
    var generator = SeededGenerator(seed: 5)
    for name in Fixture.names {
      var lines = try Fixture.text(name).split(separator: "\r\n")
      for _ in 0..<5 {
        let from = Int.random(in: 0..<lines.count, using: &generator)
        lines.swapAt(from, Int.random(in: 0..<lines.count, using: &generator))
        if lines.count > 4 { lines.remove(at: Int.random(in: 0..<lines.count, using: &generator)) }
        feed(lines.joined(separator: "\r\n") + "\r\n")
      }
    }
  }

  @Test("random bytes and random attributes")
  func random() {
    var generator = SeededGenerator(seed: 7)
    let head = "v=0\r\no=- 1 1 IN IP4 0\r\n"
    let names = [
      "mid", "group", "rtpmap", "fmtp", "rtcp-fb", "extmap", "ssrc", "ssrc-group", "rid", "simulcast", "candidate",
      "fingerprint",
      "setup", "ice-ufrag", "ice-pwd", "rtcp-mux", "bundle-only",
    ]
    let words = [
      "0", "255", "-1", "4294967296", "96", "send", "FID", "SIM", "BUNDLE", "*", "", ";", "=", "/", "~", "apt=96", "VP8/90000",
      "é",
    ]
    for _ in 0..<120 {
      let noise = (0..<Int.random(in: 0...200, using: &generator)).map { _ in UInt8.random(in: 0...255, using: &generator) }
      feed(String(decoding: noise, as: UTF8.self))
      var text = head
      for _ in 0..<30 {
        if Int.random(in: 0..<6, using: &generator) == 0 { text += "m=video 9 UDP/TLS/RTP/SAVPF 96 97 98\r\n" }
        let value = (0..<Int.random(in: 0...5, using: &generator)).compactMap { _ in words.randomElement(using: &generator) }
        text += "a=\(names.randomElement(using: &generator) ?? ""):\(value.joined(separator: " "))\r\n"
      }
      feed(text)
    }
  }

  @Test("a description of 256 KiB of one attribute is cheap")
  func cost() throws {
    let base = try Fixture.text("chromium-publish-first")
    for line in ["a=x\r\n", "a=ssrc:1 a\r\n", "a=fmtp:96 a=b\r\n", "a=candidate:1 1 udp 1 1.2.3.4 5 typ host\r\n"] {
      let room = SessionDescription.maximumBytes - base.utf8.count
      let text = base + String(repeating: line, count: room / line.utf8.count)
      let start = ContinuousClock.now
      feed(text)
      #expect(
        ContinuousClock.now - start < .seconds(10), "the limit is far above linear cost: only quadratic growth exceeds it")
    }
  }
}
