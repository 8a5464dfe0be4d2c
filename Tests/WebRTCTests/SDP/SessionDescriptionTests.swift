import Testing

@testable import RoomWebRTC

@Suite struct SessionDescriptionTests {
  private static let minimal = "v=0\r\no=- 7 3 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"

  @Test("a parsed description is written so that it parses to the same values", arguments: Fixture.names)
  func roundTrip(name: String) throws {
    let first = try SessionDescription(parsing: try Fixture.text(name))
    #expect(!first.media.isEmpty)
    let second = try SessionDescription(parsing: first.text)
    #expect(second == first)
  }

  @Test("lines may end in LF only, and unused lines are ignored")
  func lineEnds() throws {
    let description = try SessionDescription(
      parsing: "v=0\no=- 7 3 IN IP4 ::1\ns=x\nb=AS:5\na=ice-lite\nm=audio 9 RTP/AVP 0 8\ni=title\na=mid:q\n")
    #expect(description.sessionID == 7 && description.version == 3)
    #expect(description.attributes == [SDPAttribute("ice-lite")])
    #expect(description.media.map(\.mid) == ["q"])
    #expect(description.media[0].formats == ["0", "8"])
  }

  @Test(
    "the error states the line",
    arguments: [
      ("", nil), ("hello", 1), ("a=x\r\n", 1), ("v=1\r\n", 1), ("v=0\r\nv=0\r\n", 2), ("v=0\r\n\r\nq\r\n", 3),
      ("v=0\r\no=- x 1 IN IP4 0\r\n", 2), ("v=0\r\ns=-\r\n", nil), (minimal + "m=audio\r\n", 5),
      (minimal + "m=audio 70000 RTP/AVP 0\r\n", 5), (minimal + "m=audio -1 RTP/AVP 0\r\n", 5),
      (minimal + "m=audio 9/2 RTP/AVP 0\r\n", 5), (minimal + "a=a\rb\r\n", 5), (minimal + "a=a\0b\r\n", 5),
      (minimal + "m=audio 9 RTP/AVP" + String(repeating: " 0", count: 129) + "\r\n", 5),
    ] as [(String, Int?)])
  func brokenLines(text: String, line: Int?) throws {
    let error = try #require(throws: SDPError.self) { try SessionDescription(parsing: text) }
    #expect(error.line == line)
    if let line { #expect(error.description.contains("line \(line)")) }
  }

  @Test("a description larger than 64 KiB is rejected, and so are too many m-lines")
  func limits() throws {
    let long = Self.minimal + "a=" + String(repeating: "x", count: SessionDescription.maximumBytes)
    #expect(throws: SDPError.self) { try SessionDescription(parsing: long) }
    let wide = Self.minimal + String(repeating: "m=audio 9 RTP/AVP 0\r\n", count: SessionDescription.maximumMedia + 1)
    #expect(throws: SDPError.self) { try SessionDescription(parsing: wide) }
  }

  @Test("codecs are parsed with their RTX, parameters and feedback")
  func codecs() throws {
    let offer = try SessionDescription(parsing: try Fixture.text("chromium-publish-first"))
    let audio = try #require(offer.media[0].codecs.first)
    #expect(audio.name == "opus" && audio.payloadType == 111 && audio.channels == 2 && audio.clockRate == 48000)
    #expect(audio.parameters == ["minptime": "10", "useinbandfec": "1"])
    let video = offer.media[1].codecs
    #expect(video[0].name == "vp8" && video[0].rtxPayloadType == 97)
    #expect(video[0].feedback == [.nack, .pli, .fir, .transportCC, .remb])
    #expect(Set(video.map(\.name)) == ["vp8", "vp9", "h264", "av1"])
    #expect(offer.media[1].streams.encodings == [RTPEncoding(ssrc: 3_192_000_193, rtxSSRC: 11_928_763)])
    #expect(offer.media[1].streams.cname == "0kV9PSbbQdKC3iLx")
  }

  @Test("feedback for all payload types, duplicate lines and payload types of RTCP are harmless")
  func oddCodecs() throws {
    let description = try SessionDescription(
      parsing: Self.minimal + """
        m=video 9 UDP/TLS/RTP/SAVPF 96 96 72 97 300 98
        a=rtpmap:96 VP8/90000
        a=rtpmap:96 H264/90000
        a=rtpmap:72 VP8/90000
        a=rtpmap:97 rtx/90000
        a=rtpmap:98 VP9/0
        a=fmtp:97 apt=96; rtx-time=3000
        a=fmtp:96  max-fr=30 ;  max-fs = 3600; flag
        a=rtcp-fb:* nack
        a=rtcp-fb:96 nack pli
        a=rtcp-fb:96 nack something
        """)
    let codecs = description.media[0].codecs
    #expect(codecs.map(\.payloadType) == [96])
    #expect(codecs[0].name == "vp8" && codecs[0].rtxPayloadType == 97)
    #expect(codecs[0].feedback == [.nack, .pli])
    #expect(codecs[0].parameters["max-fr"] == "30" && codecs[0].parameters["flag"] == "")
  }

  @Test("candidates for TCP, host names and RTCP are skipped")
  func candidates() {
    for other in ["tcptype active", "tcptype so", "tcptype", "generation 0", ""] {
      #expect(ICECandidate(attribute: "1 1 tcp 1518214911 127.0.0.1 9 typ host \(other)") == nil)
    }
    #expect(ICECandidate(attribute: "1 1 udp 2113937151 a3f0c1d2-1111-2222-3333-444455556666.local 5000 typ host") == nil)
    #expect(ICECandidate(attribute: "1 2 udp 2113937150 127.0.0.1 5001 typ host") == nil)
    #expect(ICECandidate(attribute: "1 1 udp 2113937150 127.0.0.1 0 typ host") == nil)
    #expect(ICECandidate(attribute: "1 1 udp 99999999999 127.0.0.1 5001 typ host") == nil)
    #expect(ICECandidate(attribute: "1 1 udp") == nil)
    let reflexive = ICECandidate(
      attribute: "abc 1 UDP 1677729535 203.0.113.9 5001 typ srflx raddr 10.0.0.1 rport 4 generation 0")
    #expect(reflexive?.kind == .srflx && reflexive?.address == TransportAddress(host: "203.0.113.9", port: 5001))
    #expect(reflexive.flatMap { ICECandidate(attribute: $0.attribute) } == reflexive)
    let six = ICECandidate(attribute: "2 1 udp 7 2001:db8::1 9 typ host")
    #expect(six?.address.host == "2001:db8::1")
  }

  @Test("a fingerprint is parsed and written unchanged, and a short one is rejected")
  func fingerprints() throws {
    let print = Fingerprint(algorithm: "sha-256", bytes: (0..<32).map { UInt8($0 * 7) })
    #expect(Fingerprint(attribute: print.attribute) == print)
    #expect(Fingerprint(attribute: print.attribute.uppercased()) == print)
    #expect(Fingerprint(attribute: "sha-256 AB:CD") == nil)
    #expect(Fingerprint(attribute: String(print.attribute.dropLast(3))) == nil)
    #expect(Fingerprint(attribute: "sha-256 " + String(repeating: "zz:", count: 31) + "zz") == nil)
    #expect(Fingerprint(attribute: "sha-256") == nil)
  }

  @Test("simulcast layers are in order, the first of alternatives, and only declared ones")
  func simulcast() throws {
    let offer = try SessionDescription(parsing: try Fixture.text("chromium-publish-simulcast"))
    #expect(offer.media[0].simulcastRids("send") == ["h", "m", "l"])
    let odd = try SessionDescription(
      parsing: Self.minimal + """
        m=video 9 UDP/TLS/RTP/SAVPF 96
        a=rid:1 send
        a=rid:2 send pt=96;max-width=1280
        a=rid:3 recv
        a=simulcast:recv 3 send ~1,4;2;9;2
        """)
    #expect(odd.media[0].simulcastRids("send") == ["1", "2"])
  }
}
