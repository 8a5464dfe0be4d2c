import RoomProtocol
import Testing

@Suite("A room's images")
struct ImagesTests {
  private struct List: Decodable {
    struct Image: Decodable, Equatable {
      var name: String
      var width: Int
      var height: Int
      var bytes: Int
    }
    var images: [Image]
  }

  private func list(_ server: TestServer) async throws -> [List.Image] {
    try await server.api("GET", "/v1/rooms/room/images").decoded(List.self).images
  }

  private func withRoom(_ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.with { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      try await body(server)
    }
  }

  @Test("an image is stored under its name with its size, replaced by another of that name, and deleted")
  func keep() async throws {
    try await withRoom { server in
      let (small, wide) = (SmallPNG.file(width: 8, height: 6), SmallPNG.file(width: 300, height: 2))
      #expect(try await server.putImage("logo.png", small).status == 204)
      #expect(try await server.putImage("back", wide, type: "image/jpeg").status == 204)
      #expect(
        try await list(server) == [
          .init(name: "back", width: 300, height: 2, bytes: wide.count),
          .init(name: "logo.png", width: 8, height: 6, bytes: small.count),
        ])
      #expect(try await server.putImage("logo.png", wide).status == 204)
      #expect(try await list(server).map(\.width) == [300, 300])
      #expect(try await server.api("DELETE", "/v1/rooms/room/images/back").status == 204)
      let again = try await server.api("DELETE", "/v1/rooms/room/images/back")
      #expect(again.status == 404 && again.error?.message.contains("no image \"back\"") == true)
      #expect(try await list(server).map(\.name) == ["logo.png"])
      #expect(try await server.api("GET", "/v1/rooms/nowhere/images").error?.code == .roomNotFound)
    }
  }

  @Test("data that is not an image, or is too large, is rejected with a message, and not stored")
  func refused() async throws {
    try await withRoom { server in
      let good = SmallPNG.file(width: 40, height: 40)
      for (file, words) in [
        (Array("not an image".utf8), "neither a PNG nor a JPEG"), ([], "neither a PNG nor a JPEG"),
        (Array(good.prefix(good.count / 2)), "PNG"), (Array(good.prefix(20)), "PNG"), ([0xff, 0xd8, 0xff, 0xd9], "JPEG"),
        (SmallPNG.file(width: 5000, height: 5000, hasPicture: false), "5000x5000 pixels; the maximum area is 1920x1920"),
        (SmallPNG.file(width: 2500, height: 2000), "2500x2000 pixels; the maximum area is 1920x1920"),
        (SmallPNG.file(width: 100_000, height: 100_000, hasPicture: false), "100000x100000 pixels; the maximum area is"),
        (SmallPNG.file(width: 0, height: 10, hasPicture: false), "0x10"),
      ] {
        let response = try await server.putImage("logo", file)
        #expect(response.status == 400 && response.error?.code == .cdnParameters, "\(words): \(response.status)")
        #expect(response.error?.message.contains(words) == true, "\(words): \(String(describing: response.error))")
      }
      for type in [nil, "text/plain", "application/json"] {
        let response = try await server.putImage("logo", good, type: type)
        #expect(response.status == 415 && response.error?.message.contains("image/png") == true)
      }
      for name in ["a%2Fb", "a%20b", "%00", "ä", String(repeating: "a", count: 65)] {
        let response = try await server.putImage(name, good)
        #expect(response.status == 400 && response.error?.message.contains("an image name") == true, "\(name)")
      }
      #expect(try await server.putImage("a/b", good).status == 404)
      #expect(try await server.request("GET", "/v1/rooms/room/images").status == 401)
      #expect(try await list(server).isEmpty)
    }
  }

  @Test("a file of 3 MiB is 413, declared or not; one of 2 MiB is read")
  func tooLarge() async throws {
    try await withRoom { server in
      let large = [UInt8](repeating: 7, count: 3 << 20)
      let declared = try await server.putImage("logo", large, sent: 1000)
      #expect(declared.status == 413 && declared.error?.message.contains("2097152 bytes") == true)
      let wire = try await Wire.connect(port: server.server.port)
      defer { wire.close() }
      wire.send(
        "PUT /v1/rooms/room/images/logo HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(try server.apiToken())\r\n"
          + "Content-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n")
      for _ in 0..<3 { wire.send(Array("100000\r\n".utf8) + large.prefix(1 << 20) + Array("\r\n".utf8)) }
      wire.send("0\r\n\r\n")
      #expect(try await wire.response().status == 413)
      // Exactly 2 MiB with the file's other bytes: read to the end.
      let response = try await server.putImage("logo", Array(large.prefix(2 << 20)))
      #expect(response.status == 400 && response.error?.code == .cdnParameters)
      #expect(try await list(server).isEmpty)
    }
  }

  @Test("a room stores 16 images; a seventeenth is rejected, a replacement of one of them is not")
  func sixteen() async throws {
    try await withRoom { server in
      let file = SmallPNG.file(width: 2, height: 2)
      for number in 1...16 { #expect(try await server.putImage("image\(number)", file).status == 204) }
      let more = try await server.putImage("image17", file)
      #expect(more.status == 409 && more.error?.code == .updateRoomFailed && more.error?.message.contains("16 images") == true)
      #expect(try await server.putImage("image16", file).status == 204)
      #expect(try await list(server).count == 16)
    }
  }
}
