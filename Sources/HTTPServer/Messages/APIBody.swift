import Foundation
import RoomProtocol

/// Reads the JSON object of a request, and refuses members that the operation does not know: a misspelt option would
/// otherwise be lost without a word.
package enum APIBody {
  /// - Parameters:
  ///   - members: those that the operation knows.
  ///   - inside: those of an object, or of each object of a list, that is a member.
  package static func read<Body: Decodable>(
    _: Body.Type, from request: HTTPRequest, members: Set<String>, inside: [String: Set<String>] = [:]
  ) throws(RoomError) -> Body {
    let data = Data(request.body)
    do {
      let given = try JSONDecoder().decodeUTF8(Members.self, from: data)
      try check(given.names, against: members, "here")
      for (name, members) in inside.sorted(by: { $0.key < $1.key }) {
        try check(given.inside[name] ?? [], against: members, "in \(name)")
      }
      return try JSONDecoder().decode(Body.self, from: data)
    } catch let error as RoomError {
      throw error
    } catch {
      throw HTTPError.badRequest("the body can't be read: \(jsonComplaint(error, reading: data))")
    }
  }

  private static func check(_ names: Set<String>, against known: Set<String>, _ place: String) throws(RoomError) {
    guard let unknown = names.subtracting(known).min() else { return }
    throw HTTPError.badRequest(
      "there is no member \"\(unknown.prefix(64))\" \(place), but \(known.sorted().joined(separator: ", "))")
  }

  /// The names of an object's members, and of the members of these.
  private struct Members: Decodable {
    var names: Set<String> = []
    var inside: [String: Set<String>] = [:]

    private struct AnyKey: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      let object = try decoder.container(keyedBy: AnyKey.self)
      for key in object.allKeys {
        let name = key.stringValue
        names.insert(name)
        if let member = try? object.nestedContainer(keyedBy: AnyKey.self, forKey: key) {
          inside[name] = Self.names(in: member)
        } else if var list = try? object.nestedUnkeyedContainer(forKey: key) {
          while !list.isAtEnd {
            if let element = try? list.nestedContainer(keyedBy: AnyKey.self) {
              inside[name, default: []].formUnion(Self.names(in: element))
            } else {
              _ = try list.decode(Empty.self)
            }
          }
        }
      }
    }

    private static func names(in object: KeyedDecodingContainer<AnyKey>) -> Set<String> {
      Set(object.allKeys.map(\.stringValue))
    }
  }
}
