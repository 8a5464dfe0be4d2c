/// The stream id of an SRT connection: what the caller wants.
///
/// Both forms in use are read: the keys of SRT Access Control (`#!::r=live/studio,m=publish,token=…`), and a plain
/// `live/studio?token=…`, which publishes.
public struct SRTStreamID: Sendable, Hashable {
  /// The purpose of a connection.
  public enum Mode: String, Sendable { case publish, request, bidirectional }

  /// The application and the stream: "live/studio", without a query.
  public var resource: String
  public var mode: Mode
  /// The parameters as a URL's query: those of the resource, and the keys of several letters. The key `s`, a session id, is the
  /// parameter `token`.
  public var query: String

  /// Parses a stream id. Returns nil if it names no resource, or an unknown mode.
  public init?(_ text: String) {
    guard !text.isEmpty, text.utf8.count <= 512, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return nil }
    guard text.hasPrefix("#!::") else {
      self.init(resource: text, mode: .publish, parameters: [])
      return
    }
    var resource: String?
    // The default of the specification.
    var mode = Mode.request
    var parameters: [String] = []
    for pair in text.dropFirst(4).split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2 else { return nil }
      switch parts[0] {
      case "r": resource = String(parts[1])
      case "m":
        guard let value = Mode(rawValue: String(parts[1])) else { return nil }
        mode = value
      case "s": parameters.append("token=\(parts[1])")
      case "h", "t", "u": break
      default: parameters.append("\(parts[0])=\(parts[1])")
      }
    }
    guard let resource else { return nil }
    self.init(resource: resource, mode: mode, parameters: parameters)
  }

  private init?(resource: String, mode: Mode, parameters: [String]) {
    let parts = resource.split(separator: "?", maxSplits: 1)
    guard let path = parts.first, path.contains(where: { $0 != "/" }) else { return nil }
    self.resource = String(path.drop { $0 == "/" })
    self.mode = mode
    query = (parts.dropFirst().map(String.init) + parameters).joined(separator: "&")
  }

  /// The application and the name of the stream; the name is empty if there is none.
  public var names: (app: String, stream: String) {
    let parts = resource.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
  }
}
