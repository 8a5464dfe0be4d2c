import RoomHTTPServer
import RoomLiveKitProtocol
import RoomServer

/// What a LiveKit client says of itself when it connects.
struct LiveKitClient: Sendable {
  /// The oldest protocol that is served: older clients expect other messages.
  static let oldestProtocol = 9

  /// The oldest protocol with `room_moved`.
  static let roomMovedProtocol = 16

  var protocolNumber = 17
  /// The number by which other clients choose forms of data; passed on to them.
  var clientProtocol: Int32 = 0
  var capabilities: [LiveKit.ClientCapability] = []
  var autoSubscribe = true
  /// Whether it wants to resume a session.
  var reconnects = false
  /// The id by which it knows itself in that session.
  var sid = ""
  /// Its request, if it has a single peer connection.
  var joinRequest: LiveKit.JoinRequest?

  var hasSingleConnection: Bool { joinRequest != nil }

  /// The path at which clients with a single peer connection join.
  static let singleConnectionPath = "/rtc/v1"

  init() {}

  /// Reads what a client says in its URL.
  /// - Throws: if its join request is missing or malformed.
  static func read(_ request: HTTPRequest) throws(MessageError) -> Self {
    guard request.target.hasPrefix(singleConnectionPath) else { return Self(request) }
    return Self(try LiveKit.JoinRequest(parameter: request.query("join_request") ?? ""))
  }

  init(_ request: LiveKit.JoinRequest) {
    let info = request.clientInfo ?? LiveKit.ClientInfo()
    protocolNumber = Int(info.protocolNumber)
    clientProtocol = info.clientProtocol
    capabilities = Array(info.capabilities.prefix(16))
    autoSubscribe = request.connectionSettings?.autoSubscribe ?? true
    (reconnects, sid, joinRequest) = (request.reconnect, request.participantSID, request)
  }

  /// Reads the query of `/rtc`.
  private init(_ request: HTTPRequest) {
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
