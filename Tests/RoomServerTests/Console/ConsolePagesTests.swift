import Foundation
import RoomHTTPServer
import Testing

@testable import RoomServer
@testable import RoomWebPages
@testable import RoomWebPages

@Suite("The console's files")
struct ConsolePagesTests {
  private static let version = PageFiles.embedded.version

  /// Returns the files that the page and its modules refer to, as written there.
  private static func named(in text: String) -> Set<String> {
    let absolute = text.matches(of: /["'](\/console\/[a-z0-9\/-]+\.[a-z]+)["']/).map { String($0.1) }
    let relative = text.matches(of: /from '\.\/([a-z-]+\.js)'/).map { "/console/\(version)/\($0.1)" }
    return Set(absolute + relative)
  }

  @Test("the page and all files that it names exist, and none names another server")
  func complete() async throws {
    try await TestServer.with { server in
      var waiting: Set = ["/"]
      var seen: Set<String> = []
      while let path = waiting.popFirst() {
        seen.insert(path)
        let response = try await server.request("GET", path)
        #expect(response.status == 200, "\(path)")
        let text = String(decoding: response.body, as: UTF8.self)
        #expect(!text.isEmpty, "\(path)")
        for address in text.matches(of: /https?:\/\/[^'"\s`)]+/).map({ String($0.0) }) {
          #expect(address == "http://www.w3.org/2000/svg", "\(path) names \(address)")
        }
        waiting.formUnion(Self.named(in: text).subtracting(seen))
      }
      #expect(seen.count > 20, "\(seen.sorted())")
      let names = ["main.js", "base.css", "icon.svg", "api.js"].map { "/console/\(Self.version)/\($0)" }
      #expect(seen.isSuperset(of: names))
    }
  }

  @Test(
    "each kind of file has its type",
    arguments: [
      ("/", "text/html; charset=utf-8"), ("/console/index.html", "text/html; charset=utf-8"),
      ("/console/base.css", "text/css; charset=utf-8"), ("/console/main.js", "text/javascript; charset=utf-8"),
      ("/console/icon.svg", "image/svg+xml"), ("/favicon.ico", "image/svg+xml"),
    ])
  func types(path: String, type: String) async throws {
    try await TestServer.with { server in
      let response = try await server.request("GET", path)
      #expect(response.headers["content-type"] == type)
      #expect(response.headers["x-content-type-options"] == "nosniff")
    }
  }

  @Test("the page allows only its own files: no inline code, no other origins, no framing")
  func policy() async throws {
    try await TestServer.with { server in
      let headers = try await server.request("GET", "/").headers
      let policy = try #require(headers["content-security-policy"])
      let directives = Set(policy.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) })
      for directive in [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src *", "frame-ancestors 'none'",
        "form-action 'none'", "require-trusted-types-for 'script'",
      ] {
        #expect(directives.contains(directive), "\(directive)")
      }
      #expect(!policy.contains("unsafe"))
      #expect(headers["referrer-policy"] == "no-referrer")
    }
  }

  @Test("a file that the browser has cached is answered with 304 and no body, another with the file")
  func revalidation() async throws {
    try await TestServer.with { server in
      func get(_ match: String) async throws -> TestResponse {
        try await server.raw("GET /console/main.js HTTP/1.1\r\nHost: t\r\nConnection: close\r\nIf-None-Match: \(match)\r\n\r\n")
      }
      let first = try await server.request("GET", "/console/main.js")
      let tag = try #require(first.headers["etag"])
      #expect(first.headers["cache-control"] == "no-cache")
      for match in [tag, "W/\(tag)", "\"other\", \(tag)", "*"] {
        let again = try await get(match)
        #expect(again.status == 304, "\(match)")
        #expect(again.body.isEmpty)
        #expect(again.headers["etag"] == tag)
      }
      #expect(try await get("\"other\"").status == 200)
      let other = try await server.request("GET", "/console/base.css")
      #expect(other.headers["etag"] != tag)
    }
  }

  @Test("a file under the version of the page is kept for ever, one of another version is 404")
  func versions() async throws {
    try await TestServer.with { server in
      let file = try await server.request("GET", "/console/\(Self.version)/main.js")
      #expect(file.status == 200)
      #expect(file.headers["cache-control"] == "public, max-age=31536000, immutable")
      let document = try await server.request("GET", "/")
      #expect(document.headers["cache-control"] == "no-cache")
      #expect(document.text.contains("\"/console/\(Self.version)/main.js\""))
      #expect(try await server.request("GET", "/console/0123456789abcdef01234567/main.js").status == 404)
    }
    let other = PageFiles([("a.js", "1")], at: "/console")
    #expect(other.version != PageFiles([("a.js", "2")], at: "/console").version)
    #expect(other.version == PageFiles([("a.js", "1")], at: "/console").version)
  }

  @Test(
    "a file is compressed for clients that accept it, and each coding has its own tag",
    arguments: [
      ("gzip", true), ("deflate, GZIP;q=0.5", true), ("br;q=1, *;q=0.1", true), ("x-gzip", true), ("", false),
      ("gzip;q=0", false), ("gzip; q=0.000, *", false), ("*;q=0", false), ("br, identity", false), ("gzip;q=x", false),
    ])
  func compression(accepted: String, isCompressed: Bool) async throws {
    try await TestServer.with { server in
      let path = "/console/\(Self.version)/main.js"
      let plain = try await server.http("GET", path)
      let answer = try await server.http("GET", path, headers: ["Accept-Encoding": accepted])
      #expect(answer.headers["content-encoding"] == (isCompressed ? "gzip" : nil))
      #expect(answer.headers["vary"] == "Accept-Encoding")
      #expect((answer.headers["etag"] == plain.headers["etag"]) == !isCompressed)
      #expect((answer.body.count < plain.body.count / 2) == isCompressed)
      if isCompressed { #expect(answer.body.starts(with: [0x1F, 0x8B])) }
    }
  }

  @Test(
    "a name that is not a file of the page is 404",
    arguments: ["/console/none.js", "/console/", "/console/..%2Findex.html", "/console/%00", "/console/main.js/x"])
  func unknown(path: String) async throws {
    try await TestServer.with { server in
      let response = try await server.request("GET", path)
      #expect(response.status == 404)
    }
  }
}
