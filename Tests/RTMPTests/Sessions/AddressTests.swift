import RoomRTMP
import Testing

@Suite struct AddressTests {
  @Test("a URL is parsed as in ffmpeg")
  func parts() throws {
    func parts(_ text: String) -> [String]? {
      RTMPAddress(text).map { [$0.host, String($0.port), $0.app, $0.stream, $0.tcURL] }
    }
    #expect(parts("rtmp://a.example/live/x") == ["a.example", "1935", "live", "x", "rtmp://a.example/live"])
    #expect(
      parts("rtmps://a.example/live/x?k=v&w=a/b") == ["a.example", "443", "live", "x?k=v&w=a/b", "rtmps://a.example/live"])
    #expect(parts("rtmp://a:1936/app/inst/x/y") == ["a", "1936", "app/inst", "x/y", "rtmp://a:1936/app/inst"])
    #expect(parts("RTMP://[::1]:1936/live/x") == ["::1", "1936", "live", "x", "rtmp://[::1]:1936/live"])
    #expect(parts("rtmp://[::1]/live/x") == ["::1", "1935", "live", "x", "rtmp://[::1]/live"])
    #expect(parts("rtmp://a/app?vhost=b/x") == ["a", "1935", "app?vhost=b", "x", "rtmp://a/app?vhost=b"])
  }

  @Test(
    "an invalid URL is refused",
    arguments: [
      "", "rtmp://", "rtmp://a", "rtmp://a/", "rtmp://a/live", "rtmp://a/live/", "http://a/live/x", "rtmp://a:0/live/x",
      "rtmp://a:99999/live/x", "rtmp://:1935/live/x", "rtmp://u:p@a/live/x", "rtmp://::1/live/x", "rtmp://a/li ve/x",
      "rtmp://a/live/x\r\n", "rtmp://[::1/live/x", "rtmp:///live/x",
    ])
  func refused(text: String) { #expect(RTMPAddress(text) == nil) }

  @Test("an address's description is the original URL")
  func description() {
    for text in ["rtmp://a.example/live/x?k=v", "rtmps://a:444/app/inst/x", "rtmp://[::1]:1936/live/x"] {
      #expect(RTMPAddress(text)?.description == text)
    }
  }

  @Test("an application's name and query are separated")
  func connect() {
    let request = ConnectRequest(["app": "live/?token=a?b", "tcUrl": "rtmp://h/live/"])
    #expect(request.appName == "live" && request.query == "token=a?b")
    #expect(ConnectRequest(["app": "live", "tcUrl": "rtmp://h/live?t=1"]).query == "t=1")
    #expect(ConnectRequest(AMFObject()).appName.isEmpty)
    #expect(ConnectRequest(["capsEx": .number(.nan)]).capabilities == [])
  }
}
