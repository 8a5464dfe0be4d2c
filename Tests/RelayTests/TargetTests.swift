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
    #expect(one.destination == RTMPAddress("rtmp://CDN.example.com/live/anchor?key=a&serialnum=1&x=2").map { .server($0) })
    #expect(PublishURL("rtmp://cdn.example.com/live/anchor?serialnum=3")?.broadcast == "rtmp://cdn.example.com/live/anchor")
    #expect(PublishURL("rtmp://cdn.example.com/live/other?key=a&x=2")?.broadcast != one.broadcast)
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
