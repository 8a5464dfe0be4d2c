import Foundation
import RoomProtocol

extension HTTPRequest {
  /// The number that the query has under `name`; nil if it has none.
  /// - Throws: 10001 for what is no number in `range`.
  package func queryNumber(_ name: String, _ range: ClosedRange<Int64>) throws(RoomError) -> Int64? {
    guard let text = self.query(name) else { return nil }
    guard let number = Int64(text), range.contains(number) else {
      throw HTTPError.badRequest("\(name): a number, \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// The room that the query names under `name`; nil if it names none.
  /// - Throws: 10001 for what no room can be called.
  package func queryRoom(_ name: String) throws(RoomError) -> RoomName? {
    guard let text = self.query(name) else { return nil }
    guard let room = text.removingPercentEncoding, NameRule.allows(room) else {
      throw HTTPError.badRequest("\(name): \(NameRule.text)")
    }
    return RoomName(room)
  }
}
