import Foundation
import NIOCore
import RoomProtocol

/// Encodes the messages of the protocol.
package enum SignalWriter {
  /// A message contains a value that JSON can't represent, such as NaN.
  package struct Unwritable: Error, CustomStringConvertible {
    package var reason: String
    package var description: String { "JSON can't represent it: \(reason)" }
  }

  package static func event(_ event: SignalEvent) throws(Unwritable) -> ByteBuffer { try encode(event) }

  package static func result(_ result: some Codable & Sendable, id: Int) throws(Unwritable) -> ByteBuffer {
    try encode(SignalAnswer.result(id: id, result))
  }

  /// Returns the answer to a join.
  /// - Parameter written: the cached participants of earlier answers.
  static func joined(
    _ result: JoinResult, id: Int, _ written: inout WrittenParticipants
  ) throws(Unwritable) -> ByteBuffer {
    var output = JSONOutput(JSON.encoder())
    do { try output.write(inAnswerTo: id) { try result.write(to: &$0, &written) } } catch {
      throw Unwritable(reason: String(describing: error))
    }
    return SignalFrame.message(output.bytes)
  }

  package static func error(_ error: RoomError, id: Int?) -> ByteBuffer {
    do throws(Unwritable) { return try encode(SignalAnswer<Empty>.error(id: id, error)) } catch {
      // Unreachable: an error consists of whole numbers and text, which JSON can represent.
      return ByteBuffer(string: #"{"error":{"code":10001,"message":"the error can't be encoded","name":"unknownMessage"}}"#)
    }
  }

  private static func encode(_ value: some Encodable) throws(Unwritable) -> ByteBuffer {
    do { return SignalFrame.message(try JSON.encoder().encode(value)) } catch {
      throw Unwritable(reason: String(describing: error))
    }
  }
}
