/// A session description (SDP, RFC 8866) as WebRTC uses it: origin, attributes and the m-lines with theirs.
///
/// Lines that mean nothing to WebRTC (`i=`, `u=`, `b=`, `k=` and the like) are read over and not kept.
public struct SessionDescription: Sendable, Hashable {
  /// Bytes of the longest description that is read.
  public static let maximumBytes = 64 * 1024
  /// M-lines of the longest description that is read.
  public static let maximumMedia = 256

  /// The session's number in `o=`: one connection keeps it for life.
  public var sessionID: UInt64
  /// The version in `o=`: grows with each new description of the connection.
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
  /// Nil for a flag such as `a=rtcp-mux`.
  public var value: String?

  public init(_ name: String, _ value: String? = nil) {
    self.name = name
    self.value = value
  }
}

/// One m-line and what follows it up to the next.
public struct MediaDescription: Sendable, Hashable {
  /// Formats of the longest m-line that is read: there are no more payload types.
  public static let maximumFormats = 128

  /// "audio", "video", "application".
  public var kind: String
  /// 0 rejects the m-line, or marks it as gone; 9 stands for "see the candidates".
  public var port: UInt16
  /// "UDP/TLS/RTP/SAVPF".
  public var transport: String
  /// Payload types in order of preference; for "application" a word.
  public var formats: [String]
  public var attributes: [SDPAttribute]
  /// The line of the description that the m-line was read from; 0 if it was built. Not part of its identity.
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
  /// The value of the first attribute of that name; nil if absent, or where it is a flag.
  func value(_ name: String) -> String? { first { $0.name == name }?.value }

  func has(_ name: String) -> Bool { contains { $0.name == name } }

  /// The values of all attributes of that name, in their order.
  func values(_ name: String) -> [String] { compactMap { $0.name == name ? $0.value : nil } }
}
