import Foundation
import RoomProtocol
import RoomTestSupport
import Testing

// A room with viewers, and a host who is on air.

extension TestServer {
  /// Creates the room "demo".
  /// - Parameter watch: its policy for viewers, as JSON.
  func openRoom(watch: String = #"{"public":true,"chat":true}"#) async throws {
    #expect(try await api("POST", "/v1/rooms", json: #"{"name":"demo","watch":\#(watch)}"#).status == 201)
  }

  /// Adds a host with a clock in its picture, on air at the origin as `live/demo`.
  func goLive() async throws -> Participant {
    let host = try await Participant.join(self, as: "host")
    try await host.publish(video: .h264, tone: 440)
    let job = #"{"jobId":"live","userId":"host","publishUrl":"rtmp://origin/live/demo"}"#
    #expect(try await api("POST", "/v1/rooms/demo/jobs", json: job).status == 201)
    try await eventually("the stream is on air") {
      String(decoding: try await self.api("GET", "/v1/streams").body, as: UTF8.self).contains("demo")
    }
    return host
  }

  /// Waits until the server has counted a page that shows nothing for this reason.
  func counts(_ reason: String) async throws {
    try await eventually("a page reports \(reason)") {
      try await self.metric("roomserver_watch_failures_total{reason=\"\(reason)\"}") == 1
    }
  }
}
