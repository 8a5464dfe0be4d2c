import RoomPush
import Testing

@testable import RoomSRT

@Suite("SRT addresses and stream ids")
struct SRTAddressTests {
  @Test("the URL's options are read, percent-encoded or not")
  func url() throws {
    let address = try #require(
      SRTAddress("srt://[::1]:9000?streamid=%23!::r=live/studio,m=publish&passphrase=0123456789&latency=200&pbkeylen=32"))
    #expect(address.host == "::1" && address.port == 9000 && address.latency == 200 && address.keyLength == 32)
    #expect(address.streamID == "#!::r=live/studio,m=publish" && address.passphrase == "0123456789")
    #expect(SRTAddress("srt://example.org:9000?streamid=#!::r=live/a,m=publish")?.streamID == "#!::r=live/a,m=publish")
  }

  @Test(
    "what cannot be used is refused",
    arguments: [
      "srt://example.org", "srt://:9000", "rtmp://example.org:1", "srt://a:0", "srt://u:p@a:1", "srt://a:1?latency=1",
      "srt://a:1?mode=listener",
      "srt://a:1?passphrase=short", "srt://a:1?streamid=%zz", "srt://a:1?streamid=\(String(repeating: "a", count: 513))",
    ])
  func invalid(text: String) { #expect(SRTAddress(text) == nil) }

  @Test(
    "a URL made of an address is read as the same address",
    arguments: [
      "srt://[::1]:9000?streamid=%23!::r=live/a%26b%3Fc,m=publish&passphrase=%25%2B%20äöü%23&latency=200&pbkeylen=32",
      "srt://example.org:1?streamid=live/a?token=b", "srt://example.org:65535",
    ])
  func again(text: String) throws {
    let address = try #require(SRTAddress(text))
    #expect(SRTAddress(address.url) == address)
  }

  @Test("failures have the stable names of pushes")
  func failures() {
    #expect(PushFailure(.rejected(.badSecret)) == .rejected(code: "10", reason: "wrong passphrase"))
    #expect(PushFailure(.rejected(SRTRejection(code: 1234))) == .rejected(code: "1234", reason: ""))
    let names = [SRTFailure.nameNotFound("a"), .unusable("b"), .timedOut, .lost("c"), .stalled].map { PushFailure($0).name }
    #expect(names == ["dns", "refused", "timeout", "broken", "stalled"])
  }

  @Test("a stream id names the stream, the mode and the parameters")
  func streamID() throws {
    let keys = try #require(SRTStreamID("#!::r=room/demo,m=publish,u=camera,token=a.b-c_d"))
    #expect(keys.names == ("room", "demo") && keys.mode == .publish && keys.query == "token=a.b-c_d")
    let signed = try #require(SRTStreamID("#!::m=publish,r=/live/studio?wsSecret=1&wsTime=2,s=x"))
    #expect(signed.resource == "live/studio" && signed.query == "wsSecret=1&wsTime=2&token=x")
    let plain = try #require(SRTStreamID("live/studio?token=t"))
    #expect(plain.mode == .publish && plain.names == ("live", "studio") && plain.query == "token=t")
    #expect(SRTStreamID("#!::r=live/studio")?.mode == .request)
    for text in ["", "#!::m=publish", "#!::r=a,m=steal", "#!::r", "/", "a\u{0}b"] {
      #expect(SRTStreamID(text) == nil, "\(text)")
    }
  }
}
