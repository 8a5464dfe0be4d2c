import Foundation
import RoomProtocol

/// Reads the JSON object of a request, and refuses members that the operation does not know: a misspelt option would
/// otherwise be lost without a word.
enum APIBody {
  static func read<Body: Decodable>(_: Body.Type, from request: HTTPRequest, members: Set<String>) throws(RoomError) -> Body {
    let data = Data(request.body)
    do {
      let given = try JSONDecoder().decode(Members.self, from: data).names
      if let unknown = given.subtracting(members).min() {
        throw HTTPError.badRequest(
          "there is no member \"\(unknown.prefix(64))\" here, but \(members.sorted().joined(separator: ", "))")
      }
      return try JSONDecoder().decode(Body.self, from: data)
    } catch let error as RoomError {
      throw error
    } catch {
      throw HTTPError.badRequest("the body can't be read: \(jsonComplaint(error, reading: data))")
    }
  }

  /// The names of an object's members.
  private struct Members: Decodable {
    var names: Set<String>

    private struct AnyKey: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init?(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
      names = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
    }
  }
}
