import LiveOrigin
import RTMP
import Relay
import RoomProtocol

/// Where a publish URL leads.
enum BroadcastWay {
  case push(RTMPAddress, key: String)
  case origin(any LocalOrigin, StreamPath)
  case file(RecordingName)

  /// - Parameters:
  ///   - origin: this server's; nil where there is none to publish to.
  ///   - records: whether anything may be recorded.
  /// - Throws: 80204 where the URL leads nowhere.
  init(to url: PublishURL, origin: (any LocalOrigin)?, records: Bool) throws(RoomError) {
    let address: RTMPAddress
    switch url.destination {
    case .file(let name):
      guard records else { throw .recordsNothing("publishUrl") }
      self = .file(name)
      return
    case .server(let server): address = server
    }
    guard let origin, origin.owns(address) else {
      self = .push(address, key: url.broadcast)
      return
    }
    guard let path = StreamPath(app: address.app, stream: StreamName(address.stream).name) else {
      throw RoomError(
        .cdnParameters, "publishUrl: \"\(address.stream.prefix { $0 != "?" }.prefix(64))\" is not a valid stream name")
    }
    guard origin.hasStreams(path.app) else {
      throw RoomError(.cdnParameters, "publishUrl: \(path.app) is no application of this server's live streams")
    }
    self = .origin(origin, path)
  }

  /// What identifies the broadcast: all names of this server's origin are one.
  var key: String {
    switch self {
    case .push(_, let key): key
    case .origin(_, let path): "origin:\(path)"
    case .file(let name): "file:\(name)"
    }
  }

  var isDirect: Bool { if case .push = self { false } else { true } }

  /// Of this server's origin.
  var stream: StreamPath? { if case .origin(_, let path) = self { path } else { nil } }
}

extension RoomError {
  /// - Parameter parameter: that asks for a recording.
  static func recordsNothing(_ parameter: String) -> RoomError {
    RoomError(.cdnParameters, "\(parameter): this server records nothing; it was started without --recordings")
  }
}
