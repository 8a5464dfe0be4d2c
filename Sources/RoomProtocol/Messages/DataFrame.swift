import Foundation

/// A message of an app over a data channel: a header as JSON, its length in two bytes before it (big-endian), and the payload after it.
public struct DataFrame: Sendable, Hashable {
  /// What a message says beside its payload.
  public struct Header: Codable, Sendable, Hashable {
    /// What the message is about, at most ``DataFrame/maximumTopic`` bytes.
    public var topic: String?
    /// The receivers, at most ``DataFrame/maximumReceivers``; nil for all others. The server removes it.
    public var to: [UserID]?
    /// The sender, which the server writes; nil for the app's own server.
    public var from: UserID?

    /// Creates a header.
    public init(topic: String? = nil, to: [UserID]? = nil, from: UserID? = nil) {
      self.topic = topic
      self.to = to
      self.from = from
    }
  }

  /// The maximum number of bytes of a topic.
  public static let maximumTopic = 256
  /// The maximum number of receivers that a message names.
  public static let maximumReceivers = 64
  /// The maximum number of bytes of a payload.
  public static let maximumPayload = 60_000
  private static let maximumHeader = 16_384

  /// What the message says beside its payload.
  public var header: Header
  /// The bytes of the app.
  public var payload: [UInt8]

  /// Creates a message.
  public init(_ header: Header, payload: [UInt8]) {
    self.header = header
    self.payload = payload
  }

  /// Decodes a message. Returns nil for one that is malformed or beyond a limit.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    let length = Int(bytes[0]) << 8 | Int(bytes[1])
    guard length <= Self.maximumHeader, bytes.count >= 2 + length, bytes.count - 2 - length <= Self.maximumPayload,
      let header = try? JSONDecoder().decodeUTF8(Header.self, from: Data(bytes[2..<2 + length])),
      (header.topic?.utf8.count ?? 0) <= Self.maximumTopic, (header.to?.count ?? 0) <= Self.maximumReceivers
    else { return nil }
    self.header = header
    payload = Array(bytes[(2 + length)...])
  }

  /// The message as it is sent; nil for one beyond a limit.
  public var bytes: [UInt8]? {
    guard payload.count <= Self.maximumPayload, (header.topic?.utf8.count ?? 0) <= Self.maximumTopic,
      (header.to?.count ?? 0) <= Self.maximumReceivers, let json = try? JSON.encoder().encode(header),
      json.count <= Self.maximumHeader
    else { return nil }
    return [UInt8(json.count >> 8), UInt8(json.count & 0xFF)] + json + payload
  }
}
