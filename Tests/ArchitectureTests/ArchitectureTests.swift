import Foundation
import Testing

@Suite("Modules and folders")
struct ArchitectureTests {
  /// Returns the modules in docs/architecture.md, from the lowest layer up.
  private static func floors() throws -> [String] {
    let text = try String(contentsOf: Repository.root.appending(path: "docs/architecture.md"), encoding: .utf8)
    let table = text.split(separator: "\n## ").first { $0.hasPrefix("Modules\n") } ?? ""
    return table.matches(of: /(?m)^\| `(\w+)` \|/).map { String($0.1) }
  }

  /// Modules that may not be imported, although the table allows them or they are external.
  private static let forbidden: [String: [String]] = [
    "RTP": ["NIO"], "RTMP": ["NIO"], "WebRTC": ["NIO"], "RoomProtocol": ["NIO"], "RoomState": ["NIO"],
    "SFU": ["NIO", "Room"], "HTTPServer": ["SFU", "Relay", "LiveOrigin", "RoomState"],
    "OriginServer": ["SFU", "Relay", "RoomState"],
    "Webhooks": ["SFU", "Relay", "OriginServer", "RoomState"],
    "Rooms": ["CMicroHTTPD", "NIOHTTP1", "NIOWebSocket", "HTTPServer", "OriginServer", "Webhooks"],
    "RoomServer": ["NodeLink", "LiveKitProtocol", "LiveKitServer", "ClusterServer", "WebPages"],
    "LiveKitServer": ["NodeLink", "Cluster", "Redis", "ClusterServer", "WebPages"],
    "ClusterServer": ["LiveKitProtocol", "LiveKitServer", "WebPages"],
    "WebPages": ["LiveKitProtocol", "LiveKitServer", "ClusterServer", "NodeLink", "Cluster"],
    "RoomClient": ["Codecs", "Mixing", "SFU", "Relay", "HTTPServer", "OriginServer", "RoomServer", "RoomToken"],
  ]

  @Test("every module is in the table of docs/architecture.md")
  func table() throws {
    let floors = try Self.floors()
    #expect(Set(floors).count == floors.count)
    for module in try Repository.modules() { #expect(floors.contains(module), "\(module) is not in the table") }
  }

  @Test("a module imports only modules above it in the table")
  func imports() throws {
    let floors = try Self.floors()
    for module in try Repository.modules() {
      guard let floor = floors.firstIndex(of: module) else { continue }
      for (imported, files) in try ModuleSources(module).imports {
        let isAbove = floors.firstIndex(of: imported).map { $0 < floor } ?? true
        #expect(isAbove, "\(module) imports \(imported) in \(files.sorted())")
        let isForbidden = Self.forbidden[module]?.contains { imported.hasPrefix($0) } ?? false
        #expect(!isForbidden, "\(module) imports \(imported) in \(files.sorted())")
      }
    }
  }

  @Test("no two folders of a module use each other")
  func folders() throws {
    for module in try Repository.modules() {
      for circle in FolderGraph(try ModuleSources(module)).cycles { Issue.record("\(module): \(circle)") }
    }
  }

  /// The modules of the server, whose parts `roomserver` assembles.
  private static let server = ["RoomServer", "LiveKitServer", "ClusterServer", "WebPages"]

  @Test("an initializer of the server's modules has at most six parameters", arguments: server)
  func parameters(module: String) throws {
    for file in try ModuleSources(module).files {
      for match in file.text.matches(of: /(?m)^[\w() ]*\binit\??(?:<[^>]*>)?\(/) {
        let count = Self.parameters(of: file.text[match.range.upperBound...])
        #expect(count <= 6, "\(file.folder)/\(file.name) has an init with \(count) parameters")
      }
    }
  }

  /// Counts the parameters of a list that begins behind its parenthesis.
  private static func parameters(of text: Substring) -> Int {
    var (depth, commas, last) = (1, 0, Character(" "))
    for character in text {
      switch character {
      case "(", "[", "{", "<": depth += 1
      case ")" where depth == 1: return last == " " ? 0 : commas + 1
      case ")", "]", "}": depth -= 1
      case ">" where last != "-": depth -= 1
      case "," where depth == 1: commas += 1
      default: break
      }
      if !character.isWhitespace { last = character }
    }
    return commas
  }

  @Test("the assembly is one screen, and only the module of the cluster asks whether there is one")
  func assembly() throws {
    let server = try ModuleSources("RoomServer")
    let assembly = try #require(server.files.first { $0.name == "RoomServer.swift" })
    #expect(assembly.text.split(separator: "\n", omittingEmptySubsequences: false).count < 150)
    for module in Self.server where module != "ClusterServer" {
      for file in try ModuleSources(module).files {
        #expect(!file.text.contains("configuration.cluster"), "\(file.name)")
        #expect(!file.text.contains(/if let \w*[cC]luster\b/), "\(file.name)")
      }
    }
  }

  @Test("a type has at most two files that are named Type+Part")
  func spreadTypes() throws {
    for module in try Repository.modules() {
      for type in try ModuleSources(module).spreadTypes { Issue.record("\(module): \(type)") }
    }
    let files = ["A+X.swift", "A+Y.swift", "A+Z.swift", "B+X.swift", "B+Y.swift"].map { (folder: "", name: $0, text: "") }
    #expect(ModuleSources("M", files: files).spreadTypes == ["A is in A+X.swift, A+Y.swift, A+Z.swift"])
  }

  @Test("fuzz targets have different names, because the fuzzer compiles those of all modules as one module")
  func fuzzTargets() throws {
    let tests = Repository.root.appending(path: "Tests")
    var files: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: tests.path)
    where path.contains("/Fuzz/Targets/") && path.hasSuffix(".swift") {
      let text = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
      for match in text.matches(of: /(?m)^[@\w ]*func (fuzz\w+)/) {
        let name = String(match.1)
        #expect(files[name] == nil, "\(name) is in \(files[name] ?? "") and in \(path)")
        files[name] = path
      }
    }
    #expect(files.count > 40)
  }

  @Test("mutual uses of types are found; names in comments, strings and members are not uses")
  func circlesAreFound() {
    let circle = ModuleSources(
      "M",
      files: [
        ("A", "One.swift", "public struct One { var two: Two }"), ("B", "Two.swift", "final class Two {}\nextension One {}"),
      ])
    #expect(FolderGraph(circle).cycles == ["A uses B: Two in One.swift; and back: One in Two.swift"])
    let line = ModuleSources(
      "M",
      files: [
        ("A", "One.swift", "struct One { var two: Two }"),
        ("B", "Two.swift", "struct Two {}\n// One\nlet text = \"One\"\nlet member = Three.One()"),
      ])
    #expect(FolderGraph(line).cycles.isEmpty)
  }
}
