import RoomRTMP
import Testing
import RoomWebRTC

@testable import RoomRelay

@Suite("Relay targets")
struct TargetTests {
  private func address(_ host: String) throws -> TransportAddress { try #require(TransportAddress(host: host, port: 1935)) }

  @Test("two URLs that differ only in the serial number are one broadcast")
  func serial() throws {
    let one = try #require(PublishURL("rtmp://CDN.example.com/live/anchor?key=a&serialnum=1&x=2"))
    let two = try #require(PublishURL("rtmp://cdn.example.com:1935/live/anchor?key=a&x=2&serialnum=7"))
    let plain = try #require(PublishURL("rtmp://cdn.example.com/live/anchor?key=a&x=2"))
    #expect(one.broadcast == two.broadcast)
    #expect(one.broadcast == plain.broadcast)
    #expect(one.serialNumber == 1)
    #expect(two.serialNumber == 7)
    #expect(plain.serialNumber == nil)
    var dumped = ""
    dump(one, to: &dumped)
    #expect(!dumped.contains("key=a") && !"\(one) \(String(reflecting: one))".contains("key=a"))
    #expect(
      one.destination == RTMPAddress("rtmp://CDN.example.com/live/anchor?key=a&serialnum=1&x=2").map { .server(.rtmp($0)) })
    #expect(PublishURL("rtmp://cdn.example.com/live/anchor?serialnum=3")?.broadcast == "rtmp://cdn.example.com/live/anchor")
    #expect(PublishURL("rtmp://cdn.example.com/live/other?key=a&x=2")?.broadcast != one.broadcast)
  }

  @Test("SRT: the serial number is an option of the URL; logs show neither the passphrase nor a key in the stream id")
  func srt() throws {
    let text =
      "srt://CDN.example.com:9000?streamid=%23!::r=live/secretstreamkey,m=publish,token=hidden&passphrase=of%20ten%20bytes"
    let one = try #require(PublishURL(text + "&latency=120&serialnum=1"))
    let lower = try #require(PublishURL(text.replacing("CDN", with: "cdn") + "&serialnum=7&latency=120"))
    let two = try #require(PublishURL(lower.text))
    #expect(one.broadcast == two.broadcast && one.serialNumber == 1 && two.serialNumber == 7)
    #expect(one.stream == nil && one.destination != two.destination)
    guard case .server(.srt(let address)) = two.destination else {
      Issue.record("\(two)")
      return
    }
    #expect(address.streamID == "#!::r=live/secretstreamkey,m=publish,token=hidden" && address.latency == 120)
    #expect(address.passphrase == "of ten bytes" && address.host == "cdn.example.com" && address.port == 9000)
    #expect(PublishURL(text)?.broadcast != one.broadcast, "another latency is another broadcast")
    var dumped = ""
    dump(one, to: &dumped)
    for shown in [dumped, "\(one)", String(reflecting: one)] {
      for secret in ["secretstreamkey", "hidden", "ten"] { #expect(!shown.contains(secret), "\(shown)") }
    }
    #expect("\(one)" == "srt://CDN.example.com:9000?streamid=live/secr…")
    for (url, shown) in [
      ("srt://[::1]:9000?serialnum=2", "srt://[::1]:9000"),
      ("srt://a:1?streamid=studio?key=hidden", "srt://a:1?streamid=studio"),
      ("srt://a:1?streamid=publish:show:ann:hidden", "srt://a:1?streamid=publish"),
      ("srt://a:1?streamid=0123456789abcdef", "srt://a:1?streamid=0123…"),
    ] { #expect(PublishURL(url)?.description == shown) }
  }

  @Test("a recording's name is a publish URL")
  func files() throws {
    let one = try #require(PublishURL("file:show.mp4"))
    let two = try #require(PublishURL("file:show.mp4?serialnum=7"))
    #expect(one.broadcast == two.broadcast)
    #expect(two.serialNumber == 7)
    #expect(two.destination == RecordingName("show.mp4").map { .file($0) })
    #expect("\(two)" == "file:show.mp4")
    #expect(PublishURL("file:show.flv")?.broadcast != one.broadcast)
  }

  @Test(
    "an invalid publish URL is rejected",
    arguments: [
      "", "http://a/live/x", "rtmp://a/live", "rtmp://a", "rtmp:///live/x", "rtmp://a/live/x?serialnum=x",
      "file:", "file:a", "file:../a.mp4", "file:/a.mp4", "file:///a.mp4", "file:a/b.mp4", "file:.a.mp4", "file:a.mp4?x=1",
      "file:a.mp4?serialnum=x", "file:a.mp4?", "FILE:a.mp4", "file:%2e%2e/a.mp4",
      "rtmp://a/live/x?serialnum=1&serialnum=2", "rtmp://a/live/x?serialnum=-1", "rtmp://u:p@a/live/x", "rtmp://a/l\u{1}/x",
      "srt://a", "srt://a:0", "srt://u:p@a:1", "srt://a:1?latency=400000", "srt://a:1?passphrase=short",
      "srt://a:1?mode=listener",
      "srt://a:1?serialnum=x", "srt://a:1?serialnum=1&serialnum=2", "srt://a:1?streamid=a b", "srt://a:1?streamid=%zz",
      "rtmp://a/live/" + String(repeating: "x", count: 3000),
    ])
  func bad(url: String) { #expect(PublishURL(url) == nil) }

  @Test("a URL in a log does not contain the key")
  func logs() throws {
    let url = try #require(PublishURL("rtmp://a.example/live/secretstreamkey?token=hidden"))
    #expect(url.stream == "live/secretstreamkey")
    #expect(PublishURL("file:show.flv")?.stream == nil)
    #expect(!"\(url)".contains("hidden"))
    #expect(!"\(url)".contains("secretstreamkey"))
  }

  @Test(
    "by default only addresses on the public internet are allowed",
    arguments: [
      ("127.0.0.1", false), ("10.1.2.3", false), ("172.31.0.1", false), ("172.32.0.1", true), ("192.168.1.1", false),
      ("169.254.169.254", false), ("100.64.0.1", false), ("0.0.0.0", false), ("224.0.0.1", false), ("255.255.255.255", false),
      ("8.8.8.8", true), ("::1", false), ("::", false), ("fe80::1", false), ("fd00::1", false), ("ff02::1", false),
      ("::ffff:127.0.0.1", false), ("64:ff9b::7f00:1", false), ("2002:7f00:1::", false), ("2001:db8::1", false),
      ("2606:4700::1111", true),
    ])
  func publicOnly(host: String, isAllowed: Bool) throws {
    #expect(RelayTargets().allow(host: host, at: try address(host)) == isAllowed)
  }

  @Test("listed hosts, suffixes and networks are allowed at any address, and nothing else is")
  func rules() throws {
    let targets = try RelayTargets(parsing: ["origin.local", "*.cdn.example", "10.0.0.0/8", "fd00::/8"])
    #expect(targets.allow(host: "Origin.local", at: try address("127.0.0.1")))
    #expect(targets.allow(host: "a.cdn.example", at: try address("192.168.0.1")))
    #expect(!targets.allow(host: "cdn.example.evil", at: try address("192.168.0.1")))
    #expect(!targets.allow(host: "xcdn.example", at: try address("192.168.0.1")))
    #expect(targets.allow(host: "any", at: try address("10.200.1.1")))
    #expect(!targets.allow(host: "any", at: try address("11.0.0.1")))
    #expect(targets.allow(host: "any", at: try address("fd12::1")))
    #expect(!targets.allow(host: "any", at: try address("8.8.8.8")))
    #expect(throws: RelayTargetError.unreadable("10.0.0.0/40")) { try RelayTargets(parsing: ["public", "10.0.0.0/40"]) }
  }
}
