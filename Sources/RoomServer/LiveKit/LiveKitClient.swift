import RoomHTTPServer
import RoomLiveKitProtocol

/// What a LiveKit client says of itself when it connects.
struct LiveKitClient: Sendable, Hashable {
  /// The oldest protocol that is served: older clients expect other messages.
  static let oldestProtocol = 9

  var protocolNumber = 17
  /// The number by which other clients choose forms of data; passed on to them.
  var clientProtocol: Int32 = 0
  var capabilities: [LiveKit.ClientCapability] = []
  var autoSubscribe = true
  /// Whether it wants to resume a session.
  var reconnects = false
  /// The id by which it knows itself in that session.
  var sid = ""

  init() {}

  /// Reads the query of `/rtc`.
  init(_ request: HTTPRequest) {
    protocolNumber = request.query("protocol").flatMap { Int($0) } ?? Self.oldestProtocol
    clientProtocol = request.query("client_protocol").flatMap { Int32($0) } ?? 0
    let names = (request.query("capabilities") ?? "").replacing("%2C", with: ",").split(separator: ",").prefix(16)
    capabilities = names.compactMap { name in
      LiveKit.ClientCapability.names.first { $0.value == name }.map { LiveKit.ClientCapability(rawValue: $0.key) }
    }
    autoSubscribe = !["0", "false"].contains(request.query("auto_subscribe") ?? "")
    sid = request.query("sid") ?? ""
    reconnects = ["1", "true"].contains(request.query("reconnect") ?? "")
  }
}
