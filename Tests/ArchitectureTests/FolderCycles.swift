/// The folders of a module that use types which other folders declare.
///
/// Only names count: a type belongs to the folder that declares it at the top level, and every file that contains its name uses
/// it. Names that several folders declare are ignored, because the name alone is ambiguous.
struct FolderGraph {
  /// A use of another folder's type in a file.
  struct Use: Hashable, CustomStringConvertible {
    var type: String
    var file: String

    var description: String { "\(type) in \(file)" }
  }

  private var uses: [String: [String: Set<Use>]] = [:]

  init(_ module: ModuleSources) {
    let declaration =
      /(?m)^(?:@\w+(?:\([^)]*\))? +)*(?<words>(?:[a-z]+(?:\([a-z]+\))? +)*)(?:class|struct|enum|actor|protocol|typealias) +(?<name>\w+)/
    var owners: [String: Set<String>] = [:]
    for file in module.files {
      for match in file.text.matches(of: declaration) where !match.words.contains("private") {
        owners[String(match.name), default: []].insert(file.folder)
      }
    }
    for file in module.files {
      // Names of members and nested types follow a dot.
      for match in file.text.matches(of: /(?:^|[^.\w])([A-Z]\w*)/) {
        let name = String(match.1)
        guard let folders = owners[name], folders.count == 1, let owner = folders.first, owner != file.folder else { continue }
        uses[file.folder, default: [:]][owner, default: []].insert(Use(type: name, file: file.name))
      }
    }
  }

  /// Pairs of folders that use each other, each with the uses that cause it.
  var cycles: [String] {
    uses.keys.sorted().flatMap { a in
      (uses[a] ?? [:]).keys.sorted().compactMap { b in
        guard a < b, let there = uses[a]?[b], let back = uses[b]?[a] else { return nil }
        return "\(Self.shown(a)) uses \(Self.shown(b)): \(Self.shown(there)); and back: \(Self.shown(back))"
      }
    }
  }

  private static func shown(_ folder: String) -> String { folder.isEmpty ? "the module's root folder" : folder }
  private static func shown(_ uses: Set<Use>) -> String { uses.map(\.description).sorted().joined(separator: ", ") }
}
