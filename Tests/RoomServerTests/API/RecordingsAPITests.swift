import Foundation
import RoomProtocol
import RoomRelay
import RoomTestSupport
import RoomToken
import Testing

@testable import RoomServer

@Suite("REST: recordings")
struct RecordingsAPITests {
  /// A directory for recordings, removed with the test.
  private final class Folder {
    let path = FileManager.default.temporaryDirectory.appending(path: "recordings-\(UUID().uuidString)").path

    init() throws { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Writes a file that is this many seconds old.
    func write(_ name: String, _ bytes: [UInt8], age: Double = 0) throws {
      try Data(bytes).write(to: URL(filePath: "\(path)/\(name)"))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_795_000_000 - age)], ofItemAtPath: "\(path)/\(name)")
    }
  }

  private struct Page: Decodable {
    struct Recording: Decodable {
      var name: String
      var state: String
      var bytes: Int
      var startedAt: Int64
    }
    var recordings: [Recording]
    var next: String?
  }

  private struct SignedURL: Decodable {
    var url: String
    var expiresAt: Int64
  }

  private func withServer(_ folder: Folder, _ body: (TestServer) async throws -> Void) async throws {
    try await TestServer.with({ $0.relay.recordings = .init(directory: folder.path) }, body)
  }

  /// Requests a file with an API token and these headers.
  private func file(
    _ server: TestServer, _ headers: [String: String] = [:], name: String = "a.mp4"
  ) async throws -> TestResponse {
    try await server.http("GET", "/v1/recordings/\(name)/file", try server.apiToken(), headers: headers)
  }

  /// Returns all that the server sends after a HEAD for a range of a.mp4.
  private func head(_ server: TestServer) async throws -> String {
    let wire = try await Wire.connect(port: server.server.port)
    defer { wire.close() }
    wire.send(
      "HEAD /v1/recordings/a.mp4/file HTTP/1.1\r\nHost: test\r\nRange: bytes=0-1\r\nConnection: close\r\n"
        + "Authorization: Bearer \(try server.apiToken())\r\n\r\n")
    try await eventually("the server closes") { wire.isClosed }
    return try await wire.next { String(decoding: $0, as: UTF8.self) }
  }

  /// 300,000 bytes that differ from position to position.
  private static let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  @Test("they are listed page by page from new to old, with their facts")
  func list() async throws {
    let folder = try Folder()
    for number in 0..<5 { try folder.write("show-\(number).mp4", [1, 2, 3], age: Double(number)) }
    try await withServer(folder) { server in
      var found: [String] = []
      var next: String?
      repeat {
        let after = next.map { "&after=\($0)" } ?? ""
        let page: Page = try await server.api("GET", "/v1/recordings?limit=2\(after)").decoded()
        #expect(page.recordings.count <= 2)
        found += page.recordings.map(\.name)
        next = page.next
      } while next != nil && found.count < 10
      #expect(found == (0..<5).map { "show-\($0).mp4" })
      let none: Page = try await server.api("GET", "/v1/recordings?room=demo").decoded()
      #expect(none.recordings.isEmpty && none.next == nil)
      let one: Page.Recording = try await server.api("GET", "/v1/recordings/show-1.mp4").decoded()
      #expect(one.state == "ready" && one.bytes == 3 && one.startedAt == 1_794_999_999_000)
      for query in ["limit=0", "limit=1001", "limit=x", "room=a%20b", "after=x", "after=1-..", "after=1-a%2Fb.mp4"] {
        #expect(try await server.api("GET", "/v1/recordings?\(query)").status == 400, "\(query)")
      }
      #expect(try await server.api("GET", "/v1/recordings/none.mp4").status == 404)
      #expect(try await server.metric("roomserver_recordings_stored") == 5)
      #expect(try await server.metric("roomserver_recordings_stored_bytes") == 15)
    }
  }

  @Test("a file is sent whole, in parts, and as headers alone")
  func ranges() async throws {
    let folder = try Folder()
    try folder.write("a.mp4", Self.content)
    try folder.write("a.flv", [1, 2, 3])
    try folder.write("empty.mp4", [])
    try await withServer(folder) { server in
      let whole = try await file(server)
      #expect(whole.status == 200 && whole.body == Self.content)
      #expect(whole.headers["content-type"] == "video/mp4" && whole.headers["accept-ranges"] == "bytes")
      #expect(whole.headers["last-modified"] == "Wed, 18 Nov 2026 11:06:40 GMT", "\(whole.headers)")
      let tag = try #require(whole.headers["etag"])
      #expect(tag.hasPrefix("\""))
      let head = try await head(server)
      #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"), "\(head)")
      #expect(head.contains("Content-Length: 300000\r\n") && head.contains("ETag: \(tag)\r\n"), "\(head)")

      for (range, bytes) in [
        ("bytes=0-0", 0..<1), ("bytes=100-200099", 100..<200_100), ("bytes=299990-", 299_990..<300_000),
        ("bytes=-5", 299_995..<300_000), ("bytes=131071-131072", 131_071..<131_073),
      ] {
        let part = try await file(server, ["Range": range, "If-Range": tag])
        #expect(part.status == 206 && part.body == Array(Self.content[bytes]), "\(range)")
        #expect(part.headers["content-range"] == "bytes \(bytes.lowerBound)-\(bytes.upperBound - 1)/300000", "\(range)")
      }
      let beyond = try await file(server, ["Range": "bytes=300000-"])
      #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */300000")
      let changed = try await file(server, ["Range": "bytes=0-1", "If-Range": "\"other\""])
      #expect(changed.status == 200 && changed.body.count == 300_000)
      #expect(try await file(server, ["Range": "bytes=0-1,3-4"]).status == 200)
      let flv = try await file(server, name: "a.flv")
      #expect(flv.headers["content-type"] == "video/x-flv" && flv.body == [1, 2, 3])
      let empty = try await file(server, name: "empty.mp4")
      #expect(empty.status == 200 && empty.headers["content-length"] == "0")
      #expect(try await file(server, ["Range": "bytes=0-"], name: "empty.mp4").status == 416)
    }
  }

  @Test("only names of recordings open files, and only those in the directory")
  func traversal() async throws {
    let folder = try Folder()
    try folder.write("a.mp4", [1])
    try folder.write("secret.txt", [1])
    try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/link.mp4", withDestinationPath: "/etc/passwd")
    try await withServer(folder) { server in
      try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/late.mp4", withDestinationPath: "/etc/passwd")
      for name in [
        "..", "%2e%2e", "%2e%2e%2fa.mp4", "..%2Fsecret.txt", "secret.txt", ".a.mp4.json", "a.mp4%00", "link.mp4", "late.mp4",
        "%2Fetc%2Fpasswd", "a.mp4%2F..%2Fsecret.txt", "a", "",
      ] {
        #expect(try await file(server, name: name).status == 404, "\(name)")
        #expect(try await server.api("GET", "/v1/recordings/\(name)").status == 404 || name.isEmpty, "\(name)")
        let deleted = try await server.api("DELETE", "/v1/recordings/\(name)").status
        #expect(deleted == 404 || name.isEmpty && deleted == 405, "\(name)")
      }
      #expect(FileManager.default.fileExists(atPath: "\(folder.path)/secret.txt"))
    }
  }

  @Test("every path requires an API token; a file also opens with its own signed URL, and with no other token")
  func doors() async throws {
    let folder = try Folder()
    try folder.write("a.mp4", Self.content)
    try folder.write("b.mp4", [1])
    try await withServer(folder) { server in
      let doors = [
        ("GET", "/v1/recordings"), ("GET", "/v1/recordings/a.mp4"), ("DELETE", "/v1/recordings/a.mp4"),
        ("POST", "/v1/recordings/a.mp4/url"), ("GET", "/v1/recordings/a.mp4/file"),
      ]
      let url: SignedURL = try await server.api("POST", "/v1/recordings/a.mp4/url", json: #"{"ttl":60}"#).decoded()
      let own = String(url.url.split(separator: "=").last ?? "")
      #expect(url.url.hasPrefix("/v1/recordings/a.mp4/file?token="))
      #expect(abs(Double(url.expiresAt) / 1000 - Date().timeIntervalSince1970 - 60) < 10)
      for (method, path) in doors {
        for token in [
          nil, "x", try server.token("alice", grants: [.publish, .subscribe, .admin, .relay]), try server.apiToken(ttl: -5),
          own,
        ] {
          let answer = try await server.http(
            method, path, token, headers: ["Content-Type": "application/json"], body: method == "POST" ? "{}" : nil)
          #expect(answer.status == 401, "\(method) \(path)")
        }
      }
      let played = try await server.http("GET", url.url, headers: ["Range": "bytes=5-9"])
      #expect(played.status == 206 && played.body == Array(Self.content[5..<10]))
      let expired = try server.keys.sign(
        RecordingToken(key: TestServer.key, recording: "a.mp4", expires: Date(timeIntervalSinceNow: -1)))
      for token in [expired, try server.apiToken(), try server.token("alice"), String(own.dropLast()), "", "x"] {
        #expect(try await server.http("GET", "/v1/recordings/a.mp4/file?token=\(token)").status == 401)
      }
      #expect(try await server.http("GET", "/v1/recordings/b.mp4/file?token=\(own)").status == 401)
      // It opens nothing else.
      #expect(try await server.connect().error(of: .join(JoinParams(token: own)))?.code == .tokenInvalid)
      for body in [#"{"ttl":0}"#, #"{"ttl":86401}"#, #"{"other":1}"#] {
        #expect(try await server.api("POST", "/v1/recordings/a.mp4/url", json: body).status == 400, "\(body)")
      }
      #expect(try await server.api("POST", "/v1/recordings/c.mp4/url", json: "{}").status == 404)
    }
  }

  /// Starts a download of a.mp4 that reads nothing.
  private func download(_ server: TestServer) throws -> RawSocket {
    let socket = try RawSocket(port: server.server.port)
    let head = "GET /v1/recordings/a.mp4/file HTTP/1.1\r\nHost: test\r\nConnection: close\r\n"
    socket.send(Array((head + "Authorization: Bearer \(try server.apiToken())\r\n\r\n").utf8))
    return socket
  }

  @Test("a recording is deleted once; a client that downloads it meanwhile receives all of it")
  func delete() async throws {
    let folder = try Folder()
    let size = 24 << 20
    try folder.write("a.mp4", [UInt8](repeating: 7, count: size))
    try await withServer(folder) { server in
      let socket = try download(server)
      try await eventually("it is being sent") { try await server.metric("roomserver_recordings_downloads") == 1 }
      #expect(try await server.api("DELETE", "/v1/recordings/a.mp4").status == 204)
      #expect(try await server.api("DELETE", "/v1/recordings/a.mp4").status == 404)
      #expect(try await file(server).status == 404)
      var received: [UInt8] = []
      try await eventually("all of it has arrived", within: .seconds(60)) {
        received += socket.receive()
        return received.count > size && socket.isClosed
      }
      let end = try #require(received.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
      #expect(received.count - end == size && received[end...].allSatisfy { $0 == 7 })
      try await eventually("it has ended") { try await server.metric("roomserver_recordings_downloads") == 0 }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
      #expect(try await server.metric(#"roomserver_recordings_deleted_total{reason="api"}"#) == 1)
    }
  }

  @Test("the server stops while clients that do not read download, and its other answers do not wait for them")
  func stop() async throws {
    let folder = try Folder()
    try folder.write("a.mp4", [UInt8](repeating: 7, count: 24 << 20))
    var sockets: [RawSocket] = []
    try await withServer(folder) { server in
      for _ in 0..<8 { sockets.append(try download(server)) }
      try await eventually("all are being sent") { try await server.metric("roomserver_recordings_downloads") == 8 }
      #expect(try await server.api("GET", "/v1/recordings").status == 200)
    }
    withExtendedLifetime(sockets) {}
  }

  @Test("without a directory for recordings every path answers 404 with the reason")
  func disabled() async throws {
    try await TestServer.with { server in
      for path in ["/v1/recordings", "/v1/recordings/a.mp4", "/v1/recordings/a.mp4/file"] {
        let answer = try await server.api("GET", path)
        #expect(answer.status == 404 && answer.text.contains("--recordings"), "\(path)")
      }
    }
  }
}
