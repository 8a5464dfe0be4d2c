/// One ICE + DTLS + SRTP association of a room. Chosen by the control plane, unique within its room.
public struct TransportID: Hashable, Sendable, Codable {
  /// The caller's number.
  public var rawValue: UInt32
  /// Creates the id with this number.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One published stream of a room. Chosen by the control plane, unique within its room.
public struct MediaTrackID: Hashable, Sendable, Codable {
  /// The caller's number.
  public var rawValue: UInt32
  /// Creates the id with this number.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

/// One track sent on one transport. Chosen by the control plane, unique within its room.
public struct SubscriptionID: Hashable, Sendable, Codable {
  /// The caller's number.
  public var rawValue: UInt32
  /// Creates the id with this number.
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
}

extension TransportID: CustomStringConvertible {
  /// "transport 7".
  public var description: String { "transport \(rawValue)" }
}

extension MediaTrackID: CustomStringConvertible {
  /// "track 7".
  public var description: String { "track \(rawValue)" }
}

extension SubscriptionID: CustomStringConvertible {
  /// "subscription 7".
  public var description: String { "subscription \(rawValue)" }
}
