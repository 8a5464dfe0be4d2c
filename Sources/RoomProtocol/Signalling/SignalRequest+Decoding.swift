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
      return try JSONDecoder().decodeUTF8(SignalRequest.self, from: data)
    } catch {
      let id = try? JSONDecoder().decodeUTF8(RequestID.self, from: data).id
      throw UnreadableRequest(
        id: id, error: RoomError(.unknownMessage, "the message is no request: " + jsonComplaint(error, reading: data)))
    }
  }

  private struct RequestID: Decodable { var id: Int }
}
