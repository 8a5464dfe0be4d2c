import Foundation

/// A client message that cannot be decoded: the error to send, and the id to send it with.
public struct UnreadableRequest: Error, Hashable, Sendable, CustomStringConvertible {
  /// The request's id; nil if it could not be decoded.
  public var id: Int?
  /// The error: 10001 and a sentence that names the field.
  public var error: RoomError

  /// The error's code, name and message.
  public var description: String { error.description }
}

extension SignalRequest {
  /// Decodes a client's message of at most `limits.messageBytes` of JSON, with every field that its method needs.
  ///
  /// An unknown method is not an error; it becomes ``SignalCall/unknown(_:)``.
  /// - Throws: ``UnreadableRequest`` with code 10001.
  public static func decode(
    _ bytes: some Sequence<UInt8>, limits: RoomLimits = RoomLimits()
  ) throws(UnreadableRequest) -> SignalRequest {
    let data = Data(bytes)
    guard data.count <= limits.messageBytes else {
      throw UnreadableRequest(
        id: nil,
        error: RoomError(.unknownMessage, "the message has \(data.count) bytes, at most \(limits.messageBytes) are allowed"))
    }
    do {
      return try JSONDecoder().decodeUTF8(SignalRequest.self, from: data)
    } catch {
      let id = try? JSONDecoder().decodeUTF8(RequestID.self, from: data).id
      throw UnreadableRequest(
        id: id,
        error: RoomError(.unknownMessage, "the message is not a valid request: " + describeDecodingError(error, reading: data)))
    }
  }

  private struct RequestID: Decodable { var id: Int }
}
