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
  /// Reads a client's message: at most `limits.messageBytes` of JSON with every field that its method needs, each of its type.
  /// An unknown method is no error here: it is `SignalCall.unknown`.
  public static func decode(
    _ bytes: some Sequence<UInt8>, limits: RoomLimits = RoomLimits()
  ) throws(UnreadableRequest) -> SignalRequest {
    let data = Data(bytes)
    guard data.count <= limits.messageBytes else {
      throw UnreadableRequest(
        id: nil,
        error: RoomError(.unknownMessage, "the message has \(data.count) bytes, at most \(limits.messageBytes) are read"))
    }
    do {
      return try JSONDecoder().decode(SignalRequest.self, from: data)
    } catch {
      let id = try? JSONDecoder().decode(RequestID.self, from: data).id
      throw UnreadableRequest(id: id, error: RoomError(.unknownMessage, sentence(for: error, in: data)))
    }
  }

  private struct RequestID: Decodable { var id: Int }

  private static func sentence(for error: any Error, in data: Data) -> String {
    guard let error = error as? DecodingError else { return "the message can't be read" }
    switch error {
    case .keyNotFound(let key, let context): return "\(path(context.codingPath + [key])) is missing"
    case .valueNotFound(_, let context): return "\(path(context.codingPath)) is null"
    case .typeMismatch(let type, let context): return "\(path(context.codingPath)) is not \(name(of: type))"
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      return "\(path(context.codingPath)) has a value that is not allowed"
    case .dataCorrupted:
      // Foundation names no path for a number that does not fit; all else without a path is no JSON.
      let isJSON = (try? JSONDecoder().decode(Empty.self, from: data)) != nil
      return isJSON ? "a number is out of range, or not whole" : "the message is not JSON in UTF-8"
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
