/// What a client tells of itself and where it wants to go: the object of `connect` (RTMP 1.0 §7.2.1.1, Enhanced RTMP v2
/// "Enhancing NetConnection connect Command").
public struct ConnectRequest: Hashable, Sendable {
  /// What of Enhanced RTMP a peer can do besides FourCCs: `capsEx`.
  public struct Capabilities: OptionSet, Hashable, Sendable {
    public var rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Understands a request to connect anew.
    public static let reconnect = Self(rawValue: 1)
    /// Understands several tracks in one message.
    public static let multitrack = Self(rawValue: 2)
    /// Understands modifiers in front of media.
    public static let modifiers = Self(rawValue: 4)
    /// Understands timestamps finer than a millisecond.
    public static let nanosecondOffset = Self(rawValue: 8)
  }

  /// The application, as the client wrote it: it may have a query, and slashes.
  public var app: String
  /// The URL without the stream.
  public var tcURL: String
  /// The client's own name.
  public var flashVersion: String
  /// The codecs that it tells of by FourCC; "*" stands for all.
  public var fourCCs: [String]
  /// What else of Enhanced RTMP it can do.
  public var capabilities: Capabilities
  /// 0 for AMF0, 3 for AMF3.
  public var objectEncoding: Double
  /// Everything it sent, with these and others.
  public var properties: AMFObject

  /// A request of these parts.
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

  /// What the object of a `connect` says; what is missing is empty.
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

  /// The application without its query, and without a slash at its end.
  public var appName: String {
    let name = StreamName(app).name
    return name.hasSuffix("/") ? String(name.dropLast()) : name
  }

  /// The query of the application, or else of the URL; empty where neither has one.
  public var query: String {
    let query = StreamName(app).query
    return query.isEmpty ? StreamName(tcURL).query : query
  }

  /// The command that asks for this, in the order of ffmpeg's.
  func command(transaction: Double, publishes: Bool) -> Command {
    var object: AMFObject = ["app": .string(app)]
    if publishes { object["type"] = "nonprivate" }
    object["flashVer"] = .string(flashVersion)
    object["tcUrl"] = .string(tcURL)
    if !publishes {
      // Every codec that Flash knows, and video with seeking: servers of old ask for it of players.
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

/// A stream's name with its query, as publish and play carry it: "studio?token=…".
public struct StreamName: Hashable, Sendable {
  /// What stands before the first question mark.
  public var name: String
  /// What stands behind it; empty where there is none.
  public var query: String

  /// Takes the text apart.
  public init(_ text: String) {
    let parts = text.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    name = parts.first.map(String.init) ?? ""
    query = parts.count > 1 ? String(parts[1]) : ""
  }

  /// The text as it was.
  public var text: String { query.isEmpty ? name : "\(name)?\(query)" }
}
