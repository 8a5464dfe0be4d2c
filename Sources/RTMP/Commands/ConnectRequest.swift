/// A client's description of itself and of the application it connects to: the object of `connect` (RTMP 1.0 §7.2.1.1, Enhanced
/// RTMP v2 "Enhancing NetConnection connect Command").
public struct ConnectRequest: Hashable, Sendable {
  /// The features of Enhanced RTMP that a peer supports besides FourCCs: `capsEx`.
  public struct Capabilities: OptionSet, Hashable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Supports a request to reconnect.
    public static let reconnect = Self(rawValue: 1)
    /// Supports several tracks in one message.
    public static let multitrack = Self(rawValue: 2)
    /// Supports modifiers before media.
    public static let modifiers = Self(rawValue: 4)
    /// Supports timestamps with sub-millisecond precision.
    public static let nanosecondOffset = Self(rawValue: 8)
  }

  /// The application, as the client sent it: it may contain a query and slashes.
  public var app: String
  /// The URL without the stream.
  public var tcURL: String
  /// The client's name and version.
  public var flashVersion: String
  /// The codecs that it announces by FourCC; "*" is all.
  public var fourCCs: [String]
  /// The other features of Enhanced RTMP that it supports.
  public var capabilities: Capabilities
  /// 0 for AMF0, 3 for AMF3.
  public var objectEncoding: Double
  /// All properties that it sent, including these.
  public var properties: AMFObject

  /// Creates a request.
  public init(
    app: String, tcURL: String, flashVersion: String, fourCCs: [String] = [], capabilities: Capabilities = [],
    objectEncoding: Double = 0, properties: AMFObject = AMFObject()
  ) {
    self.app = app
    self.tcURL = tcURL
    self.flashVersion = flashVersion
    self.fourCCs = fourCCs
    self.capabilities = capabilities
    self.objectEncoding = objectEncoding
    self.properties = properties
  }

  /// Parses the object of a `connect`. Missing properties become empty.
  public init(_ properties: AMFObject) {
    var fourCCs: [String] = []
    if case .array(let list)? = properties["fourCcList"] { fourCCs = list.compactMap(\.string) }
    for name in ["videoFourCcInfoMap", "audioFourCcInfoMap"] {
      fourCCs += properties[name]?.properties?.properties.map(\.name) ?? []
    }
    let capabilities = properties["capsEx"]?.number.flatMap(UInt32.init(exactly:)) ?? 0
    self.init(
      app: properties["app"]?.string ?? "", tcURL: properties["tcUrl"]?.string ?? "",
      flashVersion: properties["flashVer"]?.string ?? "", fourCCs: fourCCs, capabilities: Capabilities(rawValue: capabilities),
      objectEncoding: properties["objectEncoding"]?.number ?? 0, properties: properties)
  }

  /// The application without its query and without a trailing slash.
  public var appName: String {
    let name = StreamName(app).name
    return name.hasSuffix("/") ? String(name.dropLast()) : name
  }

  /// The query of the application, or else of the URL; empty if neither has one.
  public var query: String {
    let query = StreamName(app).query
    return query.isEmpty ? StreamName(tcURL).query : query
  }

  /// Returns the `connect` command, with its properties in ffmpeg's order.
  func command(transaction: Double, publishes: Bool) -> Command {
    var object: AMFObject = ["app": .string(app)]
    if publishes { object["type"] = "nonprivate" }
    object["flashVer"] = .string(flashVersion)
    object["tcUrl"] = .string(tcURL)
    if !publishes {
      // Every codec that Flash supports, and video with seeking: old servers require them from players.
      object["fpad"] = false
      object["capabilities"] = 15.0
      object["audioCodecs"] = 4071.0
      object["videoCodecs"] = 252.0
      object["videoFunction"] = 1.0
    }
    if !fourCCs.isEmpty { object["fourCcList"] = .array(fourCCs.map(AMFValue.string)) }
    if !capabilities.isEmpty { object["capsEx"] = .number(Double(capabilities.rawValue)) }
    for property in properties.properties { object[property.name] = property.value }
    return Command("connect", transaction: transaction, object: .object(object))
  }
}

/// A stream's name with its query, as in publish and play: "studio?token=…".
public struct StreamName: Hashable, Sendable {
  /// The part before the first question mark.
  public var name: String
  /// The part after it; empty if there is none.
  public var query: String

  /// Parses the text.
  public init(_ text: String) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    name = parts.first.map(String.init) ?? ""
    query = parts.count > 1 ? String(parts[1]) : ""
  }

  /// The original text.
  public var text: String { query.isEmpty ? name : "\(name)?\(query)" }
}
