import Foundation

/// The Swift files of one module, without comments and the text of string literals.
struct ModuleSources {
  struct File {
    /// The folder inside the module; empty for the module's root folder.
    var folder: String
    var name: String
    var text: String
  }

  let name: String
  let files: [File]

  /// Reads a module.
  /// - Parameter name: the name of a folder in `Sources`.
  init(_ name: String) throws {
    self.name = name
    let root = Repository.sources.appending(path: name, directoryHint: .isDirectory).standardizedFileURL
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root.path).filter { $0.hasSuffix(".swift") }
    files = try paths.sorted().map { path in
      let parts = path.split(separator: "/").map(String.init)
      let text = try String(contentsOf: root.appending(path: path), encoding: .utf8)
      return File(folder: parts.dropLast().joined(separator: "/"), name: parts.last ?? path, text: Self.code(in: text))
    }
  }

  /// Creates a module from text, for tests of the rules themselves.
  init(_ name: String, files: [(folder: String, name: String, text: String)]) {
    self.name = name
    self.files = files.map { File(folder: $0.folder, name: $0.name, text: Self.code(in: $0.text)) }
  }

  /// The folders of the modules that this module imports, with the names of the importing files.
  var imports: [String: Set<String>] {
    let pattern = /(?m)^(?:@\w+ +|public +|package +|internal +)*import (?:struct +|class +|enum +|func +)?(\w+)/
    var imports: [String: Set<String>] = [:]
    for file in files {
      for match in file.text.matches(of: pattern) {
        imports[Self.folder(of: String(match.1)), default: []].insert(file.name)
      }
    }
    return imports
  }

  /// The types with more than two files `Type+Part.swift`: such a type should be several.
  var spreadTypes: [String] {
    let parts = files.filter { $0.name.contains("+") }
    return Dictionary(grouping: parts) { $0.name.prefix { $0 != "+" } }.filter { $1.count > 2 }
      .map { "\($0) is in \($1.map(\.name).sorted().joined(separator: ", "))" }.sorted()
  }

  /// The folder of a module: its name without the prefix that keeps it apart from an app's own modules.
  private static func folder(of module: String) -> String {
    if module == "RoomEngine" { return "Rooms" }
    let short = module.hasPrefix("Room") ? String(module.dropFirst(4)) : module
    let isFolder = Repository.folders.contains { FileManager.default.fileExists(atPath: $0.appending(path: short).path) }
    return isFolder ? short : module
  }

  private static func code(in text: String) -> String {
    text.replacing(/(?s)\/\*.*?\*\//, with: "").replacing(/\/\/[^\n]*/, with: "").replacing(/"(?:\\.|[^"\\\n])*"/, with: "\"\"")
  }
}

/// The location of this package.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  static let sources = root.appending(path: "Sources", directoryHint: .isDirectory)
  /// The folders that contain modules.
  static let folders = [sources, sources.appending(path: "CLibraries"), root.appending(path: "loadtest")]

  /// Returns the Swift modules in `Sources`, without examples and build tools.
  static func modules() throws -> [String] {
    let other: Set = ["CGCM", "CLibraries", "CLinux", "CSound", "EmbedPage", "Examples"]
    return try FileManager.default.contentsOfDirectory(atPath: sources.path).filter {
      !other.contains($0) && !$0.hasPrefix(".")
    }
    .sorted()
  }
}
