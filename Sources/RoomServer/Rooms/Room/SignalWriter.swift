import Foundation
import HTTPServer
import NIOCore
import RoomProtocol

/// The messages of the protocol as bytes.
enum SignalWriter {
  /// A message holds something that JSON can't say, such as a number that is none.
  struct Unwritable: Error, CustomStringConvertible {
    var reason: String
    var description: String { "JSON can't say it: \(reason)" }
  }

  static func event(_ event: SignalEvent) throws(Unwritable) -> ByteBuffer { try encode(event) }

  static func result(_ result: some Codable & Sendable, id: Int) throws(Unwritable) -> ByteBuffer {
    guard let result = result as? any JSONWritable else { return try encode(SignalAnswer.result(id: id, result)) }
    var output = JSONOutput(JSON.encoder())
    do { try output.write(result, inAnswerTo: id) } catch { throw Unwritable(reason: String(describing: error)) }
    return SignalFrame.message(output.bytes)
  }

  static func error(_ error: RoomError, id: Int?) -> ByteBuffer {
    do throws(Unwritable) { return try encode(SignalAnswer<Empty>.error(id: id, error)) } catch {
      // It is made of whole numbers and text, which JSON can say.
      return ByteBuffer(string: #"{"error":{"code":10001,"message":"the error can't be written","name":"unknownMessage"}}"#)
    }
  }

  private static func encode(_ value: some Encodable) throws(Unwritable) -> ByteBuffer {
    do { return SignalFrame.message(try JSON.encoder().encode(value)) } catch {
      throw Unwritable(reason: String(describing: error))
    }
  }
}
