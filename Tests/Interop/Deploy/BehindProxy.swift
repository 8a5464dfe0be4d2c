import RoomPeers
import RoomClient
import RoomHTTPServer
import RoomServer
import RoomTestSupport
import Testing

/// Configures a server to trust a proxy on this machine, and to allow each address one join.
func grantOneJoinEach(_ configuration: inout ServerConfiguration) throws {
  configuration.trustedProxies = try TrustedProxies(parsing: ["127.0.0.1"])
  configuration.limits.joinBurst = 1
  configuration.limits.joinsPerSecond = 0.001
}

/// Expects signalling, HTTP-FLV and HLS to work through a TLS proxy with any certificate.
/// - Parameters:
///   - port: the proxy's port.
///   - server: the server behind the proxy.
func expectAllPasses(_ port: UInt16, before server: TestServer) async throws {
  var options = RoomOptions()
  options.trust = .none
  let room = try await Room.connect(
    to: "wss://127.0.0.1:\(port)/v1/signal", token: try await server.token(user: "alice"), options: options)

  let token = try await server.token(user: "encoder", room: "studio", grants: [.publish])
  let encoder = try Peer.encoder(try server.rtmp("live/studio?token=\(token)"))
  try await eventually("the stream is published") {
    String(decoding: try await server.api("GET", "/v1/streams").body, as: UTF8.self).contains("h264")
  }
  // ffprobe accepts any certificate. With a buffering proxy it would wait for the end of a stream that does not end.
  for stream in ["studio.flv", "studio.m3u8"] {
    let probe = try Peer.probe("https://127.0.0.1:\(port)/live/\(stream)", packets: 60)
    #expect(try await probe.finish() == 0, "\(stream): \(probe.text)")
    #expect(probe.text.contains("\"h264\"") && probe.text.contains("\"aac\""), "\(stream)")
  }
  #expect(encoder.isRunning)
  #expect(try await server.metric("roomserver_signalling_sockets") == 1, "alice's socket is up all the time")
  await room.leave()
}

/// Returns whether the server rejects a client for joining too often, if the client claims `origin` as its address to the proxy
/// at `port`.
func isRefusedToJoin(from origin: String, _ port: UInt16, before server: TestServer) async throws -> Bool {
  let offer = try Program(
    "curl",
    [
      "--insecure", "--silent", "--show-error", "--write-out", "status %{http_code}", "--header", "X-Forwarded-For: \(origin)",
      "--oauth2-bearer", try await server.token(user: "bob"), "--header", "Content-Type: application/sdp", "--data", "none",
      "https://127.0.0.1:\(port)/whep/demo",
    ])
  #expect(try await offer.finish() == 0, "\(offer.text)")
  return offer.text.hasSuffix("status 429")
}
