import Foundation

/// Finds scenarios: in `loadtest/scenarios` below the working directory, the executable's folder or their parents, or by a
/// file's path.
struct ScenarioFiles {
  let folders: [URL]

  init() {
    var folders: [URL] = []
    var here = URL(filePath: FileManager.default.currentDirectoryPath)
    let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    for start in [here, program.deletingLastPathComponent()] {
      here = start
      for _ in 0..<8 {
        folders.append(here.appending(path: "loadtest/scenarios"))
        here = here.deletingLastPathComponent()
      }
    }
    self.folders = folders
  }

  init(folder: URL) { folders = [folder] }

  /// Scenarios by name.
  var names: [String] {
    guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else { return [] }
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }

  /// Returns the text of a scenario, given its name or its file's path.
  func text(of name: String) throws(ScenarioError) -> String {
    let candidates =
      name.contains("/") || name.hasSuffix(".yaml")
      ? [URL(filePath: name)] : folders.map { $0.appending(path: "\(name).yaml") }
    for file in candidates {
      if let text = try? String(contentsOf: file, encoding: .utf8) { return text }
    }
    guard !names.isEmpty else {
      throw ScenarioError("there is no scenario \"\(name)\", and no folder loadtest/scenarios was found")
    }
    throw ScenarioError(unknown: "scenario", name, known: names)
  }

  /// Returns a scenario, given its name or its file's path.
  /// - Parameter of: the base scenario, replacing the one that the description names.
  func scenario(_ name: String, of other: String? = nil) throws(ScenarioError) -> Scenario {
    let short = name.split(separator: "/").last.map { $0.hasSuffix(".yaml") ? String($0.dropLast(5)) : String($0) } ?? name
    return try Scenario(name: short, yaml: try text(of: name), of: other) { name throws(ScenarioError) in try text(of: name) }
  }
}
