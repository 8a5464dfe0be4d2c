import RoomHTTPServer
import RoomProtocol

/// Seats, PK, messages and attributes over REST: the calls of signalling, for the app's own server.
struct StateAPI: Sendable {
  let directory: RoomDirectory

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms/*/state", access: .api, action: .answer { _, names in await show(names) }),
      Endpoint(
        "POST", "/v1/rooms/*/calls/*", access: .api, takesBody: true,
        action: .answer { request, names in await call(request, names) }),
      Endpoint(
        "POST", "/v1/rooms/*/pk/match", access: .api, takesBody: true,
        action: .answer { request, names in await call(request, [names[0], "matchPK"]) }),
      Endpoint(
        "DELETE", "/v1/rooms/*/pk/match", access: .api,
        action: .answer { _, names in await perform(.pk(.cancelMatch), names, noContent: true) }),
    ]
  }

  private func show(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { .json(await $0.state(for: nil)) }
  }

  private func call(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let call: SignalCall
    do throws(RoomError) {
      call = try APIBody.read(from: request) { try Self.call(names[1], $0) }
    } catch { return .error(400, error) }
    switch call {
    case .seats, .pk, .sendMessage, .setAttributes: break
    default:
      return .error(
        404, RoomError(.unknownMessage, "the API has no call \"\(names[1].prefix(64))\"; api/openapi.yaml lists them"))
    }
    return await perform(call, names)
  }

  private func perform(_ call: SignalCall, _ names: [String], noContent: Bool = false) async -> HTTPResponse {
    await directory.change(names) { room in
      do throws(RoomError) {
        let result = try await room.call(call)
        return noContent ? .noContent : .json(result)
      } catch {
        return .error(error.code == .noPermission ? 403 : 409, error)
      }
    }
  }

  private enum NoKeys: CodingKey {}

  /// Returns the call of a method, with the parameters in the body.
  private static func call(_ method: String, _ body: any Decoder) throws -> SignalCall {
    let call = try SignalCall(method: method, params: body)
    // The body of a method without parameters is an empty object.
    if case .unknown = call { return call }
    _ = try body.container(keyedBy: NoKeys.self)
    return call
  }
}
