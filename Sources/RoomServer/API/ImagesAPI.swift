import RoomHTTPServer
import RoomProtocol
import RoomEngine

/// A room's images over REST.
struct ImagesAPI: Sendable {
  let directory: RoomDirectory

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms/*/images", access: .api, action: .answer { _, names in await list(names) }),
      Endpoint(
        "PUT", "/v1/rooms/*/images/*", access: .api, largestBody: RoomImages.fileBytes,
        action: .answer { request, names in await put(request, names) }),
      Endpoint("DELETE", "/v1/rooms/*/images/*", access: .api, action: .answer { _, names in await delete(names) }),
    ]
  }

  private struct Image: Codable, Sendable {
    var name: String
    var width: Int
    var height: Int
    var bytes: Int
  }

  private struct List: Codable, Sendable { var images: [Image] }

  private func list(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { room in
      let all = await room.images.sorted { $0.key < $1.key }
      return .json(
        List(
          images: all.map {
            Image(name: $0.key, width: $0.value.picture.width, height: $0.value.picture.height, bytes: $0.value.bytes)
          }))
    }
  }

  private func put(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    guard ["image/png", "image/jpeg"].contains(request.contentType) else {
      return .error(415, RoomError(.cdnParameters, "Content-Type: image/png or image/jpeg"))
    }
    return await directory.change(names) { room in
      do throws(RoomError) {
        // Decoded here, so that the room does not wait for it.
        let picture = try RoomImages.read(request.body)
        try await room.setImage(names[1], picture, file: request.body)
        return .noContent
      } catch {
        return .error(error.code == .cdnParameters ? 400 : 409, error)
      }
    }
  }

  private func delete(_ names: [String]) async -> HTTPResponse {
    await directory.change(names) { room in
      await room.removeImage(names[1])
        ? .noContent : .error(404, RoomError(.cdnParameters, "the room has no image \"\(names[1].prefix(64))\""))
    }
  }
}
