/// A server's status, from onStatus or from the information object of `_result` and `_error` (RTMP 1.0 §7.2.1.1, §7.2.2).
public struct Status: Hashable, Sendable {
  /// The severity of a status.
  public enum Level: String, Sendable {
    case status, warning, error
  }

  /// The severity.
  public var level: Level
  /// The machine-readable code.
  public var code: StatusCode
  /// The server's human-readable message.
  public var description: String

  /// Creates a status.
  public init(_ level: Level, _ code: StatusCode, _ description: String = "") {
    self.level = level
    self.code = code
    self.description = description
  }

  /// Returns nil if the value has no code and is not a string. Without a level, the code decides whether it is an error.
  public init?(_ value: AMFValue) {
    if let text = value.string {
      self.init(.error, StatusCode(rawValue: ""), text)
      return
    }
    guard let object = value.properties, let code = object["code"]?.string.map(StatusCode.init(rawValue:)) else { return nil }
    let level = object["level"]?.string.flatMap(Level.init) ?? (code.isFailure ? .error : .status)
    self.init(level, code, object["description"]?.string ?? object["details"]?.string ?? "")
  }

  /// The information object.
  public var value: AMFValue {
    .object(["level": .string(level.rawValue), "code": .string(code.rawValue), "description": .string(description)])
  }
}

/// The code of a status. Any text is valid, because servers have their own codes.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
  /// The text on the wire.
  public var rawValue: String

  /// Creates the code with this text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The connection was accepted.
  public static let connectSuccess = Self(rawValue: "NetConnection.Connect.Success")
  /// The connection was refused: the application is not available, or the client may not use it.
  public static let connectRejected = Self(rawValue: "NetConnection.Connect.Rejected")
  /// The connection failed for a reason on the server.
  public static let connectFailed = Self(rawValue: "NetConnection.Connect.Failed")
  /// The connection is closed.
  public static let connectClosed = Self(rawValue: "NetConnection.Connect.Closed")
  /// The client is asked to reconnect (Enhanced RTMP v2, Reconnect Request).
  public static let reconnectRequest = Self(rawValue: "NetConnection.Connect.ReconnectRequest")
  /// A command was not understood or could not be executed.
  public static let callFailed = Self(rawValue: "NetConnection.Call.Failed")
  /// The client may send media now.
  public static let publishStart = Self(rawValue: "NetStream.Publish.Start")
  /// The name is in use, or publishing to it is not allowed.
  public static let publishBadName = Self(rawValue: "NetStream.Publish.BadName")
  /// Publishing is not allowed, or no longer allowed. OBS shows the description of this code, and of no other with this
  /// meaning.
  public static let publishDenied = Self(rawValue: "NetStream.Publish.Denied")
  /// Publishing has ended.
  public static let unpublishSuccess = Self(rawValue: "NetStream.Unpublish.Success")
  /// The previous playback has ended.
  public static let playReset = Self(rawValue: "NetStream.Play.Reset")
  /// Media follows.
  public static let playStart = Self(rawValue: "NetStream.Play.Start")
  /// Playback has ended.
  public static let playStop = Self(rawValue: "NetStream.Play.Stop")
  /// Playback failed.
  public static let playFailed = Self(rawValue: "NetStream.Play.Failed")
  /// The stream does not exist.
  public static let playStreamNotFound = Self(rawValue: "NetStream.Play.StreamNotFound")
  /// The stream's publisher has left.
  public static let playUnpublishNotify = Self(rawValue: "NetStream.Play.UnpublishNotify")
  /// Playback is paused.
  public static let pauseNotify = Self(rawValue: "NetStream.Pause.Notify")
  /// Playback has resumed.
  public static let unpauseNotify = Self(rawValue: "NetStream.Unpause.Notify")
  /// Seeking is not possible.
  public static let seekFailed = Self(rawValue: "NetStream.Seek.Failed")

  /// Whether the text names a failure, because some servers omit the level or always send "status".
  var isFailure: Bool {
    let failures = [
      "Failed", "Rejected", "BadName", "Denied", "Unauthorized", "InvalidApp", "InvalidArg", "StreamNotFound", "AppShutdown",
      "BadConnection", "NoSupportedTrackFound", "FileStructureInvalid",
    ]
    return failures.contains { rawValue.hasSuffix("." + $0) }
  }
}
