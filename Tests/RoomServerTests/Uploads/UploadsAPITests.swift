import Foundation
import RoomCluster
import RoomPeers
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("REST: uploads")
struct UploadsAPITests {
  private struct Stored: Decodable {
    struct Upload: Decodable, Hashable {
      var id: String
      var name: String
      var bytes: Int
      var createdAt: Int64
    }
    var upload: Upload
  }

  private struct List: Decodable { var uploads: [Stored.Upload] }

  /// Bytes that differ from position to position.
  private static let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  private func withServer(
    _ folder: UploadFolder, _ adjust: (inout ServerConfiguration) -> Void = { _ in }, _ body: (TestServer) async throws -> Void
  ) async throws {
    try await TestServer.with(
      {
        $0.uploads = folder.settings
        adjust(&$0)
      }, body)
  }

  /// - Parameter length: nil for chunks.
  private func head(_ server: TestServer, _ query: String = "name=a.mp4", length: Int?, more: String = "") throws -> [UInt8] {
    let framing = length.map { "Content-Length: \($0)" } ?? "Transfer-Encoding: chunked"
    return Array(
      ("POST /v1/uploads?\(query) HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(try server.apiToken())\r\n"
        + "\(framing)\r\n\(more)\r\n").utf8)
  }

  private func upload(_ server: TestServer, _ bytes: [UInt8], _ query: String = "name=a.mp4") async throws -> TestResponse {
    let wire = try await Wire.connect(port: server.server.port)
    defer { wire.close() }
    wire.send(try head(server, query, length: bytes.count) + bytes)
    return try await wire.response(within: .seconds(30))
  }

  @Test("a file of any type is stored, listed and deleted, over HTTP and HTTPS, with a length and in chunks")
  func store() async throws {
    let (folder, files) = (try UploadFolder(), try CertificateFiles())
    let certificate = SelfSigned.certificateText
    try await withServer(folder, { $0.tls = files.settings }) { server in
      var stored: [Stored.Upload] = []
      for isSecure in [false, true] {
        let port = isSecure ? try #require(server.server.securePort) : server.server.port
        let wire = try await Wire.connect(port: port, trusting: isSecure ? certificate : nil)
        defer { wire.close() }
        for isChunked in [false, true] {
          wire.send(
            try head(
              server, "name=Film+%C3%BC%2F..%22.mp4", length: isChunked ? nil : Self.content.count,
              more: "Content-Type: text/x-anything\r\n"))
          wire.send(isChunked ? Array("\(String(Self.content.count, radix: 16))\r\n".utf8) : [])
          wire.send(Self.content)
          wire.send(isChunked ? "\r\n0\r\n\r\n" : "")
          let response = try await wire.response(within: .seconds(30))
          #expect(response.status == 201 && response.headers["content-type"] == "application/json", "\(response.text)")
          stored.append(try response.decoded(Stored.self).upload)
        }
      }
      for upload in stored {
        #expect(upload.name == "Film ü/..\".mp4" && upload.bytes == Self.content.count)
        #expect(folder.read(upload.id) == Self.content)
        let id = try #require(UploadID(upload.id))
        #expect(server.server.uploads?.open(id)?.path == "\(folder.path)/\(upload.id)")
      }
      #expect(try await Set(server.api("GET", "/v1/uploads").decoded(List.self).uploads) == Set(stored))
      #expect(try await server.metric("roomserver_uploads_total") == 4)
      #expect(try await server.metric("roomserver_uploads_stored_bytes") == 12_000_000)
      for upload in stored { #expect(try await server.api("DELETE", "/v1/uploads/\(upload.id)").status == 204) }
      #expect(try await server.api("DELETE", "/v1/uploads/\(stored[0].id)").status == 404)
      #expect(try await server.api("GET", "/v1/uploads").decoded(List.self).uploads.isEmpty)
      #expect(try await server.metric("roomserver_uploads_stored_bytes") == 0)
      #expect(try folder.names == [])
    }
  }

  @Test("a name and a body are required")
  func invalid() async throws {
    let folder = try UploadFolder()
    try await withServer(folder) { server in
      for query in ["", "name", "name=", "name=%00", "name=a%0Ab", "name=%ff", "name=\(String(repeating: "a", count: 256))"] {
        let response = try await upload(server, [1], query)
        #expect(response.status == 400 && response.error?.message.contains("name") == true, "\(query)")
      }
      #expect(try await upload(server, []).status == 400)
      let wire = try await Wire.connect(port: server.server.port)
      defer { wire.close() }
      wire.send(try head(server, length: nil) + Array("0\r\n\r\n".utf8))
      #expect(try await wire.response().status == 400)
      wire.send("POST /v1/uploads?name=a HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer \(try server.apiToken())\r\n\r\n")
      #expect(try await wire.response().status == 411)
      wire.send(try head(server, "name=\(String(repeating: "%C3%BC", count: 255))", length: 1) + [7])
      #expect(try await wire.response().status == 201)
      #expect(try folder.names.count == 2)
    }
  }

  @Test("a file over its limit is 413, and files over the total are 507")
  func limits() async throws {
    let folder = try UploadFolder()
    try await withServer(
      folder,
      {
        $0.uploads?.largest = 1000
        $0.uploads?.total = 1500
      }
    ) { server in
      let bytes = [UInt8](repeating: 7, count: 1001)
      let declared = try await upload(server, bytes)
      #expect(declared.status == 413 && declared.error?.code == .unknownMessage)
      let wire = try await Wire.connect(port: server.server.port)
      defer { wire.close() }
      wire.send(try head(server, length: nil) + Array("3e9\r\n".utf8) + bytes + Array("\r\n0\r\n\r\n".utf8))
      #expect(try await wire.response().status == 413)
      wire.send(try head(server, length: 1000) + bytes.dropLast())
      #expect(try await wire.response().status == 201)
      wire.send(try head(server, length: 501) + bytes.dropLast(500))
      #expect(try await wire.response().status == 507)
      wire.send(try head(server, length: nil) + Array("1f5\r\n".utf8) + bytes.dropLast(500) + Array("\r\n0\r\n\r\n".utf8))
      #expect(try await wire.response().status == 507)
      wire.send(try head(server, length: 500) + bytes.dropLast(501))
      #expect(try await wire.response().status == 201)
      try await eventually("the failed ones are gone") { try folder.names.count == 4 }
    }
  }

  @Test("a client that leaves leaves nothing; the fifth at once is 503, and a place is free again")
  func aborted() async throws {
    let folder = try UploadFolder()
    try await withServer(folder) { server in
      var wires: [Wire] = []
      for _ in 0..<UploadStore.slots {
        let wire = try await Wire.connect(port: server.server.port)
        wire.send(try head(server, length: 1000) + [1, 2, 3])
        wires.append(wire)
      }
      try await eventually("all arrive") { try folder.names.filter { $0.hasSuffix(".part") }.count == wires.count }
      let fifth = try await upload(server, [1])
      #expect(fifth.status == 503 && fifth.headers["retry-after"] == "5")
      #expect(try await server.api("GET", "/v1/uploads").decoded(List.self).uploads.isEmpty)
      for wire in wires { wire.close() }
      try await eventually("nothing is left") { try folder.names == [] }
      try await eventually("a place is free") { try await server.metric("roomserver_uploads") == 0 }
      #expect(try await upload(server, [1]).status == 201)
      #expect(try await server.metric(#"roomserver_uploads_failed_total{cause="aborted"}"#) == wires.count)
      #expect(try await server.metric(#"roomserver_uploads_failed_total{cause="busy"}"#) == 1)
    }
  }

  @Test("a client that falls silent is cut after the idle time, and a stop of the server cuts all", .timeLimit(.minutes(1)))
  func silent() async throws {
    let folder = try UploadFolder()
    try await withServer(folder, { $0.limits.idleTime = .seconds(1) }) { server in
      let wire = try await Wire.connect(port: server.server.port)
      wire.send(try head(server, length: 1000) + [1, 2, 3])
      try await eventually("it is cut") { wire.isClosed }
      try await eventually("nothing is left") { try folder.names == [] }
    }
    var last: Wire?
    try await withServer(folder) { server in
      let wire = try await Wire.connect(port: server.server.port)
      wire.send(try head(server, length: 1000) + [1, 2, 3])
      try await eventually("it arrives") { try folder.names.count == 1 }
      last = wire
    }
    #expect(try folder.names == [])
    last?.close()
  }

  @Test("every path requires an API token, and is 404 on a server without a directory")
  func doors() async throws {
    let folder = try UploadFolder()
    let doors = [("POST", "/v1/uploads?name=a"), ("GET", "/v1/uploads"), ("DELETE", "/v1/uploads/\(UploadID(at: nil))")]
    try await withServer(folder) { server in
      for (method, path) in doors {
        for token in [
          nil, "x", try server.token("alice", grants: [.publish, .subscribe, .admin, .relay]), try server.apiToken(ttl: -5),
        ] {
          let answer = try await server.http(method, path, token, body: method == "POST" ? "abc" : nil)
          #expect(answer.status == 401 && answer.error?.code == .tokenInvalid, "\(method) \(path)")
        }
      }
      #expect(try folder.names == [])
      for name in ["..", "%2e%2e", "..%2F..%2Fetc%2Fpasswd", "u-", "a%00", "x"] {
        #expect(try await server.api("DELETE", "/v1/uploads/\(name)").status == 404, "\(name)")
      }
      let elsewhere = try await server.api("DELETE", "/v1/uploads/\(UploadID(at: "b"))")
      #expect(elsewhere.status == 404 && elsewhere.error?.message.contains("node \"b\"") == true)
    }
    try await TestServer.with { server in
      for (method, path) in doors {
        let answer = try await server.http(method, path, try server.apiToken(), body: method == "POST" ? "abc" : nil)
        #expect(answer.status == 404 && answer.error?.message.contains("--upload-directory") == true, "\(method) \(path)")
      }
    }
  }

  @Test("in a cluster an upload is at its node alone; the other one names that node")
  func cluster() async throws {
    let folders: [NodeID: UploadFolder] = ["n0": try UploadFolder(), "n1": try UploadFolder()]
    try await ClusterServers.with(2) {
      $0.uploads = $0.cluster?.node.flatMap { folders[$0]?.settings }
    } _: { cluster in
      let stored = try await upload(cluster[1], [1, 2, 3]).decoded(Stored.self).upload
      #expect(UploadID(stored.id)?.node == "n1")
      #expect(try await cluster[0].api("GET", "/v1/uploads").decoded(List.self).uploads.isEmpty)
      let elsewhere = try await cluster[0].api("DELETE", "/v1/uploads/\(stored.id)")
      #expect(elsewhere.status == 404 && elsewhere.error?.message == #"the upload is at node "n1", and this is node "n0""#)
      #expect(try await cluster[1].api("DELETE", "/v1/uploads/\(stored.id)").status == 204)
    }
  }
}
