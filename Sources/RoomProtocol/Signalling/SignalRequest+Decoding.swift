import Foundation

/// A message from a client that can't be read: what to answer it, under which id.
public struct UnreadableRequest: Error, Hashable, Sendable, CustomStringConvertible {
  /// The request's id; nil where not even that could be read.
  public var id: Int?
  /// 10001 and a sentence that names the field.
  public var error: RoomError

  public var description: String { error.description }
}

extension SignalRequest {
  /// Reads a client's message: at most `limits.messageBytes` of JSON with every field of its method, each of its type and
  /// within ``FieldLimits``. An unknown method is no error here: it is `SignalCall.unknown`.
  public static func decode(
    _ bytes: some Sequence<UInt8>, limits: RoomLimits = RoomLimits()
  ) throws(UnreadableRequest) -> SignalRequest {
    let data = Data(bytes)
    guard data.count <= limits.messageBytes else {
      throw UnreadableRequest(
        id: nil,
        error: RoomError(.unknownMessage, "the message has \(data.count) bytes, at most \(limits.messageBytes) are read"))
    }
    let request: SignalRequest
    do {
      request = try JSONDecoder().decode(SignalRequest.self, from: data)
    } catch {
      let id = try? JSONDecoder().decode(RequestID.self, from: data).id
      throw UnreadableRequest(id: id, error: RoomError(.unknownMessage, sentence(for: error)))
    }
    if let complaint = request.call.complaint {
      throw UnreadableRequest(id: request.id, error: RoomError(.unknownMessage, complaint))
    }
    return request
  }

  private struct RequestID: Decodable { var id: Int }

  private static func sentence(for error: any Error) -> String {
    guard let error = error as? DecodingError else { return "the message can't be read" }
    switch error {
    case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
    case .typeMismatch(let type, let context): return "\(path(context.codingPath)) is not \(name(of: type))"
    case .dataCorrupted(let context):
      return context.codingPath.isEmpty
        ? "the message is not JSON in UTF-8" : "\(path(context.codingPath)) has a value that is not allowed"
    @unknown default: return "the message can't be read"
    }
  }

  /// "params.tracks[0].kind"
  private static func path(_ keys: [any CodingKey]) -> String {
    var text = ""
    for key in keys {
      if let index = key.intValue { text += "[\(index)]" } else { text += (text.isEmpty ? "" : ".") + key.stringValue }
    }
    return text.isEmpty ? "the message" : text
  }

  private static func name(of type: any Any.Type) -> String {
    switch type {
    case is String.Type: "text"
    case is Bool.Type: "true or false"
    case is any FixedWidthInteger.Type: "a whole number"
    case is [Any].Type: "a list"
    default: "an object"
    }
  }
}

/// Bounds of single fields of a request; what is outside is answered with 10001.
public enum FieldLimits {
  /// Bytes of a token.
  public static let tokenBytes = 4096
  /// Bytes of a userId, trackId, sessionId or mid.
  public static let nameBytes = 256
  /// Bytes of a track's tag.
  public static let tagBytes = 64
  /// Entries of a list.
  public static let listCount = 1000
  /// Pixels of a side.
  public static let pixels = 1...16384
  /// Frames per second.
  public static let framesPerSecond = 1...240
  /// Bits per second.
  public static let bitrate = 0...1_000_000_000
}

extension SignalCall {
  /// The first field that is out of bounds, in a sentence; nil where all is well.
  var complaint: String? {
    switch self {
    case .join(let params):
      Self.tooLong(params.token, "params.token", limit: FieldLimits.tokenBytes) ?? Self.tooLong(params.resume, "params.resume")
    case .publish(let params): Self.complaint(about: params.tracks)
    case .unpublish(let tracks), .subscribe(let tracks), .unsubscribe(let tracks):
      Self.complaint(about: tracks.trackIds, "params.trackIds") ?? Self.complaint(about: tracks.userIds, "params.userIds")
    case .mute(let params): Self.tooLong(params.trackId, "params.trackId")
    case .kick(let params): Self.tooLong(params.userId, "params.userId")
    case .leave, .answer, .resubscribe, .ping, .unknown: nil
    }
  }

  private static func complaint(about tracks: [NewTrack]) -> String? {
    if tracks.count > FieldLimits.listCount { return "params.tracks has more than \(FieldLimits.listCount) entries" }
    for (index, track) in tracks.enumerated() {
      let name = "params.tracks[\(index)]"
      if let complaint = tooLong(track.mid, "\(name).mid") ?? tooLong(track.trackId, "\(name).trackId")
        ?? tooLong(track.tag, "\(name).tag", limit: FieldLimits.tagBytes)
        ?? outside(track.width, FieldLimits.pixels, "\(name).width")
        ?? outside(track.height, FieldLimits.pixels, "\(name).height")
        ?? outside(track.fps, FieldLimits.framesPerSecond, "\(name).fps")
        ?? outside(track.bitrate, FieldLimits.bitrate, "\(name).bitrate")
      {
        return complaint
      }
    }
    return nil
  }

  private static func complaint(about names: [String]?, _ field: String) -> String? {
    guard let names else { return nil }
    if names.count > FieldLimits.listCount { return "\(field) has more than \(FieldLimits.listCount) entries" }
    return names.contains { $0.utf8.count > FieldLimits.nameBytes }
      ? "\(field) has an entry of more than \(FieldLimits.nameBytes) bytes" : nil
  }

  private static func tooLong(_ text: String?, _ field: String, limit: Int = FieldLimits.nameBytes) -> String? {
    guard let text, text.utf8.count > limit else { return nil }
    return "\(field) has more than \(limit) bytes"
  }

  private static func outside(_ number: Int?, _ range: ClosedRange<Int>, _ field: String) -> String? {
    guard let number, !range.contains(number) else { return nil }
    return "\(field) is not from \(range.lowerBound) to \(range.upperBound)"
  }
}
