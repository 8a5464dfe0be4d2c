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

  /// Returns the position of a page in the query's member `name`: the `next` of the page before; nil if there is none.
  /// - Throws: 10001 if `parse` returns nil, or the text is too long.
  package func queryPosition<Position>(
    _ name: String, _ parse: (String) -> Position?
  ) throws(RoomError) -> Position? {
    guard let text = self.query(name) else { return nil }
    guard text.utf8.count <= Self.longestPosition, let position = parse(text) else {
      throw HTTPError.badRequest("\(name): the `next` of the page before")
    }
    return position
  }

  /// Maximum length of a position in bytes.
  private static var longestPosition: Int { 7168 }

  /// Returns the flag in the query's member `name`; false if there is none.
  /// - Throws: 10001 if it is neither `true` nor `false`.
  package func queryFlag(_ name: String) throws(RoomError) -> Bool {
    switch self.query(name) {
    case "true": true
    case "false", nil: false
    default: throw HTTPError.badRequest("\(name): true or false")
    }
  }

  /// Returns the text in the query's member `name`, of at most `longest` characters; nil if there is none.
  /// - Throws: 10001 if it is longer, or no UTF-8.
  package func queryText(_ name: String, longest: Int) throws(RoomError) -> String? {
    guard let encoded = self.query(name) else { return nil }
    guard let text = encoded.removingPercentEncoding, text.unicodeScalars.count <= longest else {
      throw HTTPError.badRequest("\(name): at most \(longest) characters of UTF-8")
    }
    return text
  }

  /// Returns the case that the query's member `name` names; nil if there is none.
  /// - Throws: 10001 if it names none.
  package func queryCase<Case: RawRepresentable<String> & CaseIterable>(
    _ name: String, _: Case.Type = Case.self
  ) throws(RoomError) -> Case? {
    guard let text = self.query(name) else { return nil }
    guard let found = Case(rawValue: text) else {
      throw HTTPError.badRequest("\(name): one of \(Case.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return found
  }

  /// Returns the room in the query's member `name`; nil if there is none.
  /// - Throws: 10001 if it is not a valid room name.
  package func queryRoom(_ name: String) throws(RoomError) -> RoomName? { try queryName(name).map { RoomName($0) } }

  /// Returns the user in the query's member `name`; nil if there is none.
  /// - Throws: 10001 if it is not a valid user name.
  package func queryUser(_ name: String) throws(RoomError) -> UserID? { try queryName(name).map { UserID($0) } }

  private func queryName(_ name: String) throws(RoomError) -> String? {
    guard let text = self.query(name) else { return nil }
    guard let decoded = text.removingPercentEncoding, NameRule.allows(decoded) else {
      throw HTTPError.badRequest("\(name): \(NameRule.text)")
    }
    return decoded
  }
}
