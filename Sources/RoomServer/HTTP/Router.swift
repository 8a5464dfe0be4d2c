import Foundation
import RoomProtocol

/// One operation of the API: what it is called by, who may call it, and what it does.
struct Endpoint: Sendable {
  enum Access: Sendable {
    /// Anybody.
    case open
    /// `Authorization: Bearer` with an API token.
    case api
  }

  enum Action: Sendable {
    /// `parameters` are the path's variable segments, decoded, in their order.
    case answer(@Sendable (_ request: HTTPRequest, _ parameters: [String]) async -> HTTPResponse)
    /// The connection becomes a signalling socket.
    case signalling
  }

  var method: String
  /// Segments; nil stands for any one, which becomes a parameter.
  var path: [String?]
  var access: Access
  /// Whether the operation reads a JSON body.
  var takesBody: Bool
  var action: Action

  /// - Parameter path: "/v1/rooms/*", a star for a segment that is a parameter.
  init(_ method: String, _ path: String, access: Access, takesBody: Bool = false, action: Action) {
    self.method = method
    self.path = path.split(separator: "/").map { $0 == "*" ? nil : String($0) }
    self.access = access
    self.takesBody = takesBody
    self.action = action
  }
}

/// Finds the operation that a request asks for.
struct Router: Sendable {
  var endpoints: [Endpoint]

  enum Match: Sendable {
    case found(Endpoint, parameters: [String])
    /// The path is known, with these methods.
    case otherMethods([String])
    case none
  }

  func match(method: String, target: String) -> Match {
    guard target.hasPrefix("/"), let segments = Self.segments(target) else { return .none }
    var methods: [String] = []
    for endpoint in endpoints {
      guard let parameters = Self.parameters(of: segments, in: endpoint.path) else { continue }
      if endpoint.method == method { return .found(endpoint, parameters: parameters) }
      methods.append(endpoint.method)
    }
    return methods.isEmpty ? .none : .otherMethods(methods)
  }

  /// The decoded segments; nil where one is not valid UTF-8 after decoding.
  private static func segments(_ target: String) -> [String]? {
    guard target != "/" else { return [] }
    var segments: [String] = []
    for part in target.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard let decoded = String(part).removingPercentEncoding else { return nil }
      segments.append(decoded)
    }
    return segments
  }

  private static func parameters(of segments: [String], in path: [String?]) -> [String]? {
    guard segments.count == path.count else { return nil }
    var parameters: [String] = []
    for (segment, wanted) in zip(segments, path) {
      if let wanted {
        guard segment == wanted else { return nil }
      } else {
        parameters.append(segment)
      }
    }
    return parameters
  }
}
