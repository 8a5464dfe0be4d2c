import Foundation
import HTTPServer
import RoomProtocol

/// Seats, PK, messages and attributes over REST: the calls of signalling, by the app's own server.
struct StateAPI: Sendable {
  let directory: RoomDirectory

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms/*/state", access: .api, action: .answer { _, names in await show(names) }),
      Endpoint(
        "POST", "/v1/rooms/*/calls/*", access: .api, takesBody: true,
        action: .answer { request, names in await call(request, names) }),
    ]
  }

  private func show(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { .json(await $0.stateSnapshot) }
  }

  private func call(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let call: SignalCall
    do throws(RoomError) { call = try Self.read(names[1], request.body) } catch { return .error(400, error) }
    switch call {
    case .seats, .pk, .sendMessage, .setAttributes: break
    default:
      return .error(
        404, RoomError(.unknownMessage, "the API has no call \"\(names[1].prefix(64))\"; api/openapi.yaml lists them"))
    }
    return await directory.change(names) { room in
      do throws(RoomError) {
        return .json(try await room.call(call))
      } catch {
        return .error(error.code == .noPermission ? 403 : 409, error)
      }
    }
  }

  private static func read(_ method: String, _ body: [UInt8]) throws(RoomError) -> SignalCall {
    do {
      let name = try JSONEncoder().encode(method)
      let message = Data("{\"id\":0,\"method\":".utf8) + name + Data(",\"params\":".utf8) + Data(body) + Data("}".utf8)
      return try JSONDecoder().decode(SignalRequest.self, from: message).call
    } catch {
      throw HTTPError.badRequest("the body can't be read: \(jsonComplaint(error, reading: Data(body)))")
    }
  }
}
