import Foundation
import RoomProtocol

extension HTTPRequest {
  /// Returns the number in the query's member `name`; nil if there is none.
  /// - Throws: 10001 if it is not a number in `range`.
  package func queryNumber(_ name: String, _ range: ClosedRange<Int64>) throws(RoomError) -> Int64? {
    guard let text = self.query(name) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw HTTPError.badRequest("\(name): a number, \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// Returns the room in the query's member `name`; nil if there is none.
  /// - Throws: 10001 if it is not a valid room name.
  package func queryRoom(_ name: String) throws(RoomError) -> RoomName? {
    guard let text = self.query(name) else { return nil }
    guard let room = text.removingPercentEncoding, NameRule.allows(room) else {
      throw HTTPError.badRequest("\(name): \(NameRule.text)")
    }
    return RoomName(room)
  }
}
