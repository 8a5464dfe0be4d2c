import Foundation
import RoomDigests
import Testing

@testable import RoomServer

@Suite("The web client, as the server offers it to pages")
struct WebClientPagesTests {
  private struct Version: Decodable {
    struct Module: Decodable { var path, integrity: String }
    var version: String
    var modules: [Module]
  }

  @Test("a path without a version leads to the server's version, which never changes; pages of any origin may import both")
  func versions() async throws {
    try await TestServer.with { server in
      let latest = try await server.request("GET", "/sdk/signalling.js")
      let path = try #require(latest.headers["location"])
      #expect(latest.status == 302 && latest.headers["cache-control"] == "no-cache")
      let module = try await server.request("GET", path)
      #expect(module.status == 200 && module.headers["cache-control"] == "public, max-age=31536000, immutable")
      for answer in [latest, module] { #expect(answer.headers["access-control-allow-origin"] == "*") }
      #expect(module.headers["content-type"] == "text/javascript; charset=utf-8")
      #expect(module.headers["cross-origin-resource-policy"] == "cross-origin")
      for path in ["/sdk/none.js", "/sdk/0123456789abcdef01234567/signalling.js", path + "x"] {
        #expect(try await server.request("GET", path).status == 404)
      }
    }
  }

  @Test("an example runs its own script and the server's modules, and nothing else")
  func examples() async throws {
    try await TestServer.with { server in
      for name in ["audience", "go-live", "pk", "voice-room"] {
        let page = try await server.request("GET", "/sdk/\(name).html")
        #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
        let policy = try #require(page.headers["content-security-policy"])
        let script = try #require(page.text.firstMatch(of: /<script type="module">([\s\S]*)<\/script>/)).1
        let digest = Data(Digest.sha256.digest(of: Array(script.utf8))).base64EncodedString()
        #expect(policy.contains("script-src 'self' 'sha256-\(digest)';") && !policy.contains("unsafe"))
        #expect(page.text.split(separator: "\n").count < 80)
      }
    }
  }

  @Test("a source map leads from each line of a module to the line with its comments")
  func sourceMaps() async throws {
    struct Map: Decodable {
      var version: Int
      var sources, sourcesContent: [String]
      var mappings: String
    }
    try await TestServer.with { server in
      let path = try #require(try await server.request("GET", "/sdk/room.js").headers["location"])
      let module = try await server.request("GET", path).text
      let name = try #require(module.firstMatch(of: /\/\/# sourceMappingURL=(.*)\n$/)).1
      #expect(name == "room.js.map")
      let answer = try await server.request("GET", path + ".map")
      #expect(answer.headers["content-type"] == "application/json" && answer.headers["access-control-allow-origin"] == "*")
      let map: Map = try answer.decoded()
      #expect(map.version == 3 && map.sources == ["core/room.js"])
      let source = map.sourcesContent[0].split(separator: "\n", omittingEmptySubsequences: false)
      let lines = module.split(separator: "\n", omittingEmptySubsequences: false)
      let mappings = map.mappings.split(separator: ";")
      let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
      var line = 0
      // The last line is empty in the source, and names the map in the module.
      for (number, mapping) in mappings.enumerated().dropLast() {
        var (value, shift) = (0, 0)
        for digit in mapping.dropFirst(2).dropLast().compactMap(alphabet.firstIndex(of:)) {
          value |= (digit & 31) << shift
          shift += 5
        }
        line += value >> 1
        #expect(source[line] == lines[number])
      }
      #expect(mappings.count == lines.count - 1 && source.count > lines.count)
      let listed: Version = try await server.request("GET", "/v1/sdk").decoded()
      #expect(listed.modules.allSatisfy { $0.path.hasSuffix(".js") })
    }
  }

  @Test("REST lists each module with the digest that a page may require")
  func integrity() async throws {
    try await TestServer.with { server in
      let answer = try await server.request("GET", "/v1/sdk")
      #expect(answer.headers["access-control-allow-origin"] == "*")
      let version: Version = try answer.decoded()
      let listed = try #require(version.modules.first { $0.path == "/sdk/\(version.version)/signalling.js" })
      let module = try await server.request("GET", listed.path)
      let digest = Data(Digest.sha256.digest(of: Array(module.text.utf8))).base64EncodedString()
      #expect(listed.integrity == "sha256-\(digest)")
    }
  }
}
