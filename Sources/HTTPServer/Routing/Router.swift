import Foundation

/// One operation of the API: its method and path, its access, and its handler.
package struct Endpoint: Sendable {
  package enum Access: Sendable {
    /// No authorisation.
    case open
    /// `Authorization: Bearer` with an API token. `HTTPDaemon` calls its `authorise` handler before the action; the server's is
    /// `APIAccess`.
    case api
  }

  package enum Action: Sendable {
    /// `parameters` are the path's variable segments, decoded, in order.
    case answer(@Sendable (_ request: HTTPRequest, _ parameters: [String]) async -> HTTPResponse)
    /// The same for answers that are often ready: without a task, and without a change of threads. The closure is called on a
    /// thread of the daemon, and does not block.
    case prompt(@Sendable (_ request: HTTPRequest, _ parameters: [String]) -> Reply)
    /// The connection becomes a signalling socket, unless `refusal` returns an answer. The closure is called on a thread of the
    /// daemon.
    case signalling(refusal: @Sendable (_ request: HTTPRequest) -> HTTPResponse? = { _ in nil })
    /// The endpoint reads the body while it arrives: at most `limit` bytes, of any media type. `admit` is called with the head of
    /// an authorised request, on a thread of the daemon.
    case receive(limit: Int64, admit: @Sendable (_ request: HTTPRequest, _ parameters: [String]) -> Admission)
  }

  /// An answer, or a promise of one.
  package enum Reply: Sendable {
    case ready(HTTPResponse)
    /// The closure gets a function, which must be called once with the answer: at any time, on any thread.
    case promised(@Sendable (_ deliver: @escaping @Sendable (HTTPResponse) -> Void) -> Void)

    /// Returns the promise of what `work` returns, which runs in a task.
    package static func later(_ work: @escaping @Sendable () async -> HTTPResponse) -> Reply {
      .promised { deliver in Task { deliver(await work()) } }
    }
  }

  /// The decision on a request whose body has not been read.
  package enum Admission: Sendable {
    /// The body is read, and the answer is sent after its end.
    case admitted(@Sendable (HTTPBody) async -> HTTPResponse)
    case refused(HTTPResponse)
  }

  /// The pattern of a path segment.
  package enum Segment: Sendable, Hashable {
    case named(String)
    /// Any segment with this ending and a non-empty part before it, which becomes a parameter.
    case any(ending: String)
  }

  package var method: String
  package var path: [Segment]
  package var access: Access
  /// Whether the operation reads a JSON body.
  package var takesBody: Bool
  /// The maximum bytes of a body of another kind; nil means the default limit.
  package var largestBody: Int?
  package var action: Action
  /// Which node answers; nil leaves it to the path.
  package var scoping: Scoping?

  /// - Parameter path: "/v1/rooms/*", with a star for a segment that is a parameter, or "/*/*.flv", whose parameter excludes
  ///   the ending.
  package init(
    _ method: String, _ path: String, access: Access, takesBody: Bool = false, largestBody: Int? = nil, action: Action
  ) {
    self.method = method
    self.largestBody = largestBody
    self.path = path.split(separator: "/").map { segment in
      segment.first == "*" ? .any(ending: String(segment.dropFirst())) : .named(String(segment))
    }
    self.access = access
    self.takesBody = takesBody
    self.action = action
  }

  /// Whether the path begins with a parameter.
  fileprivate var isVariable: Bool { if case .any = path.first { true } else { false } }

  /// Whether a body may be larger than the default limit.
  var hasLargeBody: Bool { if case .receive = action { true } else { largestBody != nil } }
}

/// Finds the operation for a request.
package struct Router: Sendable {
  /// By the number of segments of their paths.
  private let endpoints: [[Endpoint]]

  /// Endpoints whose path begins with a parameter hide no other path.
  package init(endpoints: [Endpoint]) {
    var byLength = Array(repeating: [Endpoint](), count: (endpoints.map(\.path.count).max() ?? 0) + 1)
    for endpoint in endpoints.filter({ !$0.isVariable }) + endpoints.filter(\.isVariable) {
      byLength[endpoint.path.count].append(endpoint)
    }
    self.endpoints = byLength
  }

  enum Match: Sendable {
    case found(Endpoint, parameters: [String])
    /// The path is known, but with these methods only.
    case otherMethods([String])
    case none
  }

  func match(method: String, target: String) -> Match {
    guard target.hasPrefix("/"), let segments = Self.segments(target), segments.count < endpoints.count else { return .none }
    var methods: [String] = []
    let candidates = endpoints[segments.count]
    // By index, because an iterator copies each endpoint.
    for index in candidates.indices {
      guard let parameters = Self.parameters(of: segments, in: candidates[index].path) else { continue }
      if candidates[index].method == method { return .found(candidates[index], parameters: parameters) }
      methods.append(candidates[index].method)
    }
    return methods.isEmpty ? .none : .otherMethods(methods)
  }

  /// Returns the decoded segments; nil if one is not valid UTF-8 after decoding.
  private static func segments(_ target: String) -> [String]? {
    guard target != "/" else { return [] }
    let parts = target.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    guard target.utf8.contains(UInt8(ascii: "%")) else { return parts.map(String.init) }
    var segments: [String] = []
    for part in parts {
      guard let decoded = String(part).removingPercentEncoding else { return nil }
      segments.append(decoded)
    }
    return segments
  }

  private static func parameters(of segments: [String], in path: [Endpoint.Segment]) -> [String]? {
    guard segments.count == path.count else { return nil }
    var parameters: [String] = []
    for (segment, wanted) in zip(segments, path) {
      switch wanted {
      case .named(let name): guard segment == name else { return nil }
      case .any(""): parameters.append(segment)
      case .any(let ending):
        // Compared as bytes, because a combining character may join the ending to the text before it.
        guard segment.utf8.count > ending.utf8.count, segment.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8) else {
          return nil
        }
        parameters.append(String(decoding: segment.utf8.dropLast(ending.utf8.count), as: UTF8.self))
      }
    }
    return parameters
  }
}
