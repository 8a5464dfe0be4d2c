public import Foundation

/// What support needs to know about a client: one JSON document without secrets, for the app to send.
public struct DiagnosticsReport: Sendable, Codable {
  /// The machine and the library.
  public struct Machine: Sendable, Codable {
    /// The system's name and version.
    public var system = ProcessInfo.processInfo.operatingSystemVersionString
    /// The number of processors.
    public var processors = ProcessInfo.processInfo.activeProcessorCount
    /// The memory in bytes.
    public var memory = ProcessInfo.processInfo.physicalMemory
  }

  /// The room when the report was made.
  public struct RoomPart: Sendable, Codable {
    /// The room's name, and this user.
    public var room: String
    public var user: String?
    /// The state of the connection, as text.
    public var state: String
    /// The options of the join, as text.
    public var options: String
    /// The number of other participants, and of received tracks.
    public var participants: Int
    public var remoteTracks: Int
    /// The jobs: name, state and failure.
    public var jobs: [String]
  }

  /// One event: its time, and what happened, as text. Messages, gifts and attributes are left out.
  public struct Entry: Sendable, Codable {
    public var at: Date
    public var event: String
  }

  /// Statistics of one interval. Rates are in kbit/s, times in ms, loss is 0…1.
  public struct Sample: Sendable, Codable {
    /// A media transport.
    public struct Transport: Sendable, Codable {
      public var direction: String
      public var connected: Bool
      public var overTCP: Bool
      public var kbps: Double
      public var targetKbps: Double?
      public var roundTripTime: Double?
    }

    /// A track of this client or of another participant.
    public struct Track: Sendable, Codable {
      public var trackId: String
      public var user: String
      public var isLocal: Bool
      public var fps: Double
      public var kbps: Double
      public var loss: Double
      public var jitter: Double
      public var packetsLost: UInt64
    }

    public var at: Date
    public var transports: [Transport]
    public var tracks: [Track]
  }

  /// When the report was made.
  public var at = Date()
  public var machine = Machine()
  public var room: RoomPart
  /// The last events and statistics, oldest first.
  public var events: [Entry]
  public var statistics: [Sample]
  /// The last lines of the log, oldest first; empty without a ``DiagnosticsLog``.
  public var log: [String]
  /// The network check; nil if the app wanted none.
  public var network: NetworkCheck?

  /// Returns the report as JSON with sorted keys, in UTF-8. Tokens, queries of URLs and passwords are removed once more.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .iso8601
    return Data(Redaction.apply(to: String(decoding: try encoder.encode(self), as: UTF8.self)).utf8)
  }
}
