/// A session description (SDP, RFC 8866) as used by WebRTC: origin, attributes and the m-lines with their attributes.
///
/// Lines that WebRTC does not use (`i=`, `u=`, `b=`, `k=` and similar) are ignored.
public struct SessionDescription: Sendable, Hashable {
  /// The maximum size of a description in bytes. Chromium's offer of a single connection has 3 kB for each m-line.
  public static let maximumBytes = 256 * 1024
  /// The maximum number of m-lines in a description.
  public static let maximumMedia = 256

  /// The session id in `o=`, constant for the lifetime of a connection.
  public var sessionID: UInt64
  /// The version in `o=`, which increases with each new description of the connection.
  public var version: UInt64
  /// Attributes before the first m-line.
  public var attributes: [SDPAttribute]
  public var media: [MediaDescription]

  public init(sessionID: UInt64, version: UInt64, attributes: [SDPAttribute] = [], media: [MediaDescription] = []) {
    self.sessionID = sessionID
    self.version = version
    self.attributes = attributes
    self.media = media
  }
}

/// One `a=` line: `a=name` or `a=name:value`.
public struct SDPAttribute: Sendable, Hashable {
  public var name: String
  /// The value; nil for a flag such as `a=rtcp-mux`.
  public var value: String?

  public init(_ name: String, _ value: String? = nil) {
    self.name = name
    self.value = value
  }
}

/// One m-line and the lines up to the next one.
public struct MediaDescription: Sendable, Hashable {
  /// The maximum number of formats of an m-line, which equals the number of payload types.
  public static let maximumFormats = 128

  /// The media kind: "audio", "video" or "application".
  public var kind: String
  /// The port: 0 rejects or closes the m-line; 9 refers to the candidates.
  public var port: UInt16
  /// The transport: "UDP/TLS/RTP/SAVPF".
  public var transport: String
  /// The payload types in order of preference; for "application" a token.
  public var formats: [String]
  public var attributes: [SDPAttribute]
  /// The line number in the parsed description; 0 if it was built locally. Ignored by `==`.
  public var line: Int

  public init(
    kind: String, port: UInt16, transport: String = "UDP/TLS/RTP/SAVPF", formats: [String],
    attributes: [SDPAttribute] = [], line: Int = 0
  ) {
    self.kind = kind
    self.port = port
    self.transport = transport
    self.formats = formats
    self.attributes = attributes
    self.line = line
  }

  public static func == (a: Self, b: Self) -> Bool {
    a.kind == b.kind && a.port == b.port && a.transport == b.transport && a.formats == b.formats
      && a.attributes == b.attributes
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(port)
    hasher.combine(formats)
    hasher.combine(attributes)
  }
}

extension Sequence<SDPAttribute> {
  /// Returns the value of the first attribute with that name; nil if it is absent or a flag.
  func value(_ name: String) -> String? { first { $0.name == name }?.value }

  func has(_ name: String) -> Bool { contains { $0.name == name } }

  /// Returns the values of all attributes with that name, in order.
  func values(_ name: String) -> [String] { compactMap { $0.name == name ? $0.value : nil } }
}
