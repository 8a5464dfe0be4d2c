import RoomHTTPServer
import RoomProtocol

/// Uploads over REST: a file in, the list, and deletion.
struct UploadsAPI: Sendable {
  /// Nil if uploads are disabled.
  let store: UploadStore?

  /// The maximum number of characters of a name.
  private static let longestName = 255

  var endpoints: [Endpoint] {
    [
      Endpoint(
        "POST", "/v1/uploads", access: .api,
        action: .receive(limit: store?.settings.largest ?? .max) { request, _ in admit(request) }),
      Endpoint("GET", "/v1/uploads", access: .api, action: .answer { _, _ in list() }),
      Endpoint("DELETE", "/v1/uploads/*", access: .api, action: .answer { _, names in await delete(names) }),
    ]
  }

  private struct List: Encodable { var uploads: [Upload] }
  private struct Stored: Encodable { var upload: Upload }

  private static let disabled = HTTPResponse.error(
    404, HTTPError.badRequest("uploads are disabled: this server was started without --upload-directory"))

  private func list() -> HTTPResponse { store.map { .json(List(uploads: $0.uploads)) } ?? Self.disabled }

  private func delete(_ names: [String]) async -> HTTPResponse {
    guard let store else { return Self.disabled }
    do throws(UploadFailure) {
      guard let id = UploadID(names[0]), try await store.delete(id) else { return .error(404, store.missing(names[0])) }
      return .noContent
    } catch { return Self.answer(to: error) }
  }

  // MARK: A file in

  private func admit(_ request: HTTPRequest) -> Endpoint.Admission {
    guard let store else { return .refused(Self.disabled) }
    let name: String
    do throws(RoomError) { name = try Self.name(request) } catch { return .refused(.error(400, error)) }
    if request.declaredBody == 0 { return .refused(Self.answer(to: .empty)) }
    do throws(UploadFailure) {
      let slot = try store.reserve(request.declaredBody)
      return .admitted { body in
        do throws(UploadFailure) {
          return .json(Stored(upload: try await store.receive(body, named: name, in: slot)), status: 201)
        } catch { return Self.answer(to: error) }
      }
    } catch { return .refused(Self.answer(to: error)) }
  }

  private static func name(_ request: HTTPRequest) throws(RoomError) -> String {
    guard let name = try request.queryText("name", longest: longestName), !name.isEmpty,
      name.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { throw HTTPError.badRequest("name: 1 to \(longestName) characters without control characters") }
    return name
  }

  private static func answer(to failure: UploadFailure) -> HTTPResponse {
    switch failure {
    case .busy:
      .error(503, HTTPError.badRequest("too many uploads at once; try again"), headers: [("Retry-After", "5")])
    case .total(let limit): .error(507, HTTPError.badRequest("all uploads together have at most \(limit) bytes"))
    case .count(let limit): .error(507, HTTPError.badRequest("there are at most \(limit) uploads"))
    case .diskFull: .error(507, HTTPError.badRequest("the disk for uploads is full"))
    case .disk: .error(500, HTTPError.badRequest("the disk for uploads does not work"))
    case .empty: .error(400, HTTPError.badRequest("the body is empty; send the file as the body"))
    // The daemon answers a body over the limit, and a client that left gets no answer.
    case .tooLarge, .aborted: .error(503, HTTPError.stopping)
    }
  }
}
