/// What a server says with onStatus, or with the information object of `_result` and `_error` (RTMP 1.0 §7.2.1.1, §7.2.2).
public struct Status: Hashable, Sendable {
  /// How it is meant.
  public enum Level: String, Sendable {
    case status, warning, error
  }

  /// How it is meant.
  public var level: Level
  /// What happened, for programs.
  public var code: StatusCode
  /// What happened, for people: the server's own words.
  public var description: String

  /// A status of these parts.
  public init(_ level: Level, _ code: StatusCode, _ description: String = "") {
    self.level = level
    self.code = code
    self.description = description
  }

  /// Nil where the value has no code and is no text. What is without a level is an error where its code says so.
  public init?(_ value: AMFValue) {
    if let text = value.string {
      self.init(.error, StatusCode(rawValue: ""), text)
      return
    }
    guard let object = value.properties, let code = object["code"]?.string.map(StatusCode.init(rawValue:)) else { return nil }
    let level = object["level"]?.string.flatMap(Level.init) ?? (code.soundsLikeFailure ? .error : .status)
    self.init(level, code, object["description"]?.string ?? object["details"]?.string ?? "")
  }

  /// The information object.
  public var value: AMFValue {
    .object(["level": .string(level.rawValue), "code": .string(code.rawValue), "description": .string(description)])
  }
}

/// The code of a status. Servers have codes of their own, so that any text is one.
public struct StatusCode: RawRepresentable, Hashable, Sendable {
  /// The text of the wire.
  public var rawValue: String

  /// The code with this text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The connection was accepted.
  public static let connectSuccess = Self(rawValue: "NetConnection.Connect.Success")
  /// The connection was refused: the application, or the right to use it.
  public static let connectRejected = Self(rawValue: "NetConnection.Connect.Rejected")
  /// There is no such application.
  public static let connectInvalidApp = Self(rawValue: "NetConnection.Connect.InvalidApp")
  /// The connection failed for a reason of the server's.
  public static let connectFailed = Self(rawValue: "NetConnection.Connect.Failed")
  /// The connection is over.
  public static let connectClosed = Self(rawValue: "NetConnection.Connect.Closed")
  /// The client is asked to connect anew (Enhanced RTMP v2, Reconnect Request).
  public static let reconnectRequest = Self(rawValue: "NetConnection.Connect.ReconnectRequest")
  /// A command was not understood or could not be carried out.
  public static let callFailed = Self(rawValue: "NetConnection.Call.Failed")
  /// Media may be sent now.
  public static let publishStart = Self(rawValue: "NetStream.Publish.Start")
  /// The name is in use, or may not be published to.
  public static let publishBadName = Self(rawValue: "NetStream.Publish.BadName")
  /// Publishing is not allowed, or not any more. OBS shows the description of this one, and of no other that means it.
  public static let publishDenied = Self(rawValue: "NetStream.Publish.Denied")
  /// Publishing is over.
  public static let unpublishSuccess = Self(rawValue: "NetStream.Unpublish.Success")
  /// What was played before is over.
  public static let playReset = Self(rawValue: "NetStream.Play.Reset")
  /// Media follows.
  public static let playStart = Self(rawValue: "NetStream.Play.Start")
  /// Playing is over.
  public static let playStop = Self(rawValue: "NetStream.Play.Stop")
  /// Playing failed.
  public static let playFailed = Self(rawValue: "NetStream.Play.Failed")
  /// There is no such stream.
  public static let playStreamNotFound = Self(rawValue: "NetStream.Play.StreamNotFound")
  /// The publisher of the stream is there.
  public static let playPublishNotify = Self(rawValue: "NetStream.Play.PublishNotify")
  /// The publisher of the stream is gone.
  public static let playUnpublishNotify = Self(rawValue: "NetStream.Play.UnpublishNotify")
  /// Pausing worked.
  public static let pauseNotify = Self(rawValue: "NetStream.Pause.Notify")
  /// Going on worked.
  public static let unpauseNotify = Self(rawValue: "NetStream.Unpause.Notify")
  /// There is nothing to seek in.
  public static let seekFailed = Self(rawValue: "NetStream.Seek.Failed")
  /// Media follows, the first of it data.
  public static let dataStart = Self(rawValue: "NetStream.Data.Start")

  /// Whether the text names a failure, for servers that leave the level out or call everything a status.
  var soundsLikeFailure: Bool {
    let failures = [
      "Failed", "Rejected", "BadName", "Denied", "Unauthorized", "InvalidApp", "InvalidArg", "StreamNotFound", "AppShutdown",
      "BadConnection", "NoSupportedTrackFound", "FileStructureInvalid",
    ]
    return failures.contains { rawValue.hasSuffix("." + $0) }
  }
}
