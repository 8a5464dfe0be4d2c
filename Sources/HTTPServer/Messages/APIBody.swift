import Foundation
import RoomProtocol

/// Reads the JSON object of a request, and rejects members that the operation does not know: a misspelt option would otherwise
/// have no effect, and cause no error.
package enum APIBody {
  /// - Throws: 10001, with a message that names the member.
  package static func read<Body: Decodable>(_: Body.Type, from request: HTTPRequest) throws(RoomError) -> Body {
    try read(from: request) { try Body(from: $0) }
  }

  /// - Parameter read: decodes the document.
  /// - Throws: 10001, with a message that names the member.
  package static func read<Body>(from request: HTTPRequest, _ read: (any Decoder) throws -> Body) throws(RoomError) -> Body {
    let data = Data(request.body)
    let document: Document<Body>
    do {
      document = try withoutActuallyEscaping(read) { read in
        try JSONDecoder().decodeUTF8(Document<Body>.self, from: data, configuration: read)
      }
    } catch {
      throw HTTPError.badRequest("the body can't be read: \(describeDecodingError(error, reading: data))")
    }
    guard let unknown = document.members.unknown else { return document.body }
    let place = unknown.path.isEmpty ? "in the body" : "in \(unknown.path)"
    let known = unknown.known.isEmpty ? "none" : unknown.known.joined(separator: ", ")
    throw HTTPError.badRequest("unknown member \"\(unknown.name.prefix(64))\" \(place); valid members: \(known)")
  }

  private struct Document<Body>: DecodableWithConfiguration {
    let body: Body
    let members = JSONMembers()

    init(from decoder: any Decoder, configuration read: (any Decoder) throws -> Body) throws {
      body = try read(StrictDecoder(decoder, noting: members))
    }
  }
}
