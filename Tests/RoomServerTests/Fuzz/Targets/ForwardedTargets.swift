import RoomFuzzSupport
import RoomWebRTC

@testable import RoomHTTPServer
@testable import RoomServer

/// Reads a line of trusted networks separated by blanks, one with the peer's address, and the lines of `X-Forwarded-For`.
@Sendable func fuzzForwarded(_ bytes: UnsafeRawBufferPointer) {
  let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  guard lines.count > 2, let peer = TransportAddress(host: lines[1], port: 80),
    let proxies = try? TrustedProxies(parsing: lines[0].split(separator: " ").map(String.init))
  else { return }
  let headers = Array(lines[2...])
  let found = proxies.client(of: peer, forwardedFor: headers)
  guard proxies.contains(peer) else {
    precondition(found == (peer, false), "nobody else is believed")
    return
  }
  precondition(found.client == peer || found.client.port == 0)
  guard !proxies.contains(found.client) else { return }
  precondition(!found.isCut, "the client was found before the end")
  let again = proxies.client(of: peer, forwardedFor: ["198.51.100.1, 10.0.0.1"] + headers)
  precondition(found == again, "the client can't move it")
}
