import RoomLiveOrigin
import RoomRTMP
import RoomRelay
import RoomProtocol

/// The target of a publish URL.
enum BroadcastTarget {
  case push(PushAddress, key: String)
  case origin(any LocalOrigin, StreamPath)
  case file(RecordingName)

  /// Resolves a publish URL.
  /// - Parameters:
  ///   - origin: this server's origin; nil if it has none to publish to.
  ///   - records: whether recording is enabled.
  /// - Throws: 80204 if the URL has no valid target.
  init(to url: PublishURL, origin: (any LocalOrigin)?, records: Bool) throws(RoomError) {
    let server: PushAddress
    switch url.destination {
    case .file(let name):
      guard records else { throw .recordingDisabled("publishUrl") }
      self = .file(name)
      return
    case .server(let address): server = address
    }
    guard case .rtmp(let address) = server, let origin, origin.owns(address) else {
      self = .push(server, key: url.broadcast)
      return
    }
    guard let path = StreamPath(app: address.app, stream: StreamName(address.stream).name) else {
      throw RoomError(
        .cdnParameters, "publishUrl: \"\(address.stream.prefix { $0 != "?" }.prefix(64))\" is not a valid stream name")
    }
    guard origin.hasStreams(path.app) else {
      throw RoomError(.cdnParameters, "publishUrl: \(path.app) is not an application for live streams on this server")
    }
    self = .origin(origin, path)
  }

  /// Identifies the broadcast: all names of this server's origin give the same key.
  var key: String {
    switch self {
    case .push(_, let key): key
    case .origin(_, let path): "origin:\(path)"
    case .file(let name): "file:\(name)"
    }
  }

  var isDirect: Bool { if case .push = self { false } else { true } }

  /// The path at this server's origin; nil for another target.
  var stream: StreamPath? { if case .origin(_, let path) = self { path } else { nil } }
}

extension RoomError {
  /// Returns the error for a recording while recording is disabled.
  /// - Parameter parameter: the parameter that requests the recording.
  static func recordingDisabled(_ parameter: String) -> RoomError {
    RoomError(.cdnParameters, "\(parameter): recording is disabled: this server was started without --recordings")
  }
}
