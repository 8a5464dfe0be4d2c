import Foundation
import NIOCore
import RoomProtocol

/// The messages of the protocol as bytes.
enum SignalWriter {
  static func event(_ event: SignalEvent) -> ByteBuffer { encode(event) }
  static func result(_ result: some Codable & Sendable, id: Int) -> ByteBuffer { encode(SignalAnswer.result(id: id, result)) }
  static func error(_ error: RoomError, id: Int?) -> ByteBuffer { encode(SignalAnswer<Empty>.error(id: id, error)) }

  private static func encode(_ value: some Encodable) -> ByteBuffer {
    // These types hold nothing that JSON can't say.
    guard let data = try? JSON.encoder().encode(value) else { return ByteBuffer() }
    return ByteBuffer(bytes: data)
  }
}
