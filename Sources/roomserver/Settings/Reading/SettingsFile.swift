import ArgumentParser
import Foundation
import Yams

/// A file of settings: a YAML mapping with the flags' names as keys. Errors name the line.
struct SettingsFile {
  struct Entry {
    /// One value, or those of a list.
    var values: [String]
    var line: Int
  }

  let path: String
  private(set) var entries: [String: Entry] = [:]

  init(path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else { throw ValidationError("\(path) can't be read") }
    guard let text = String(data: data, encoding: .utf8) else { throw ValidationError("\(path) is not UTF-8 text") }
    try self.init(text, path: path)
  }

  /// - Parameter path: the path for error messages.
  init(_ text: String, path: String) throws {
    self.path = path
    let root: Node?
    do { root = try Yams.compose(yaml: text) } catch { throw ValidationError("\(path): \(Self.description(error))") }
    switch root {
    case nil: return
    case .mapping(let mapping)?:
      for (key, value) in mapping { try add(key, value) }
    // A file that contains only comments.
    case .scalar(let scalar)? where scalar.string.isEmpty: return
    default: throw ValidationError("\(path): settings must have the form `key: value`, one per line")
    }
  }

  private static func description(_ error: any Error) -> String {
    guard let error = error as? YamlError else { return "\(error)" }
    switch error {
    case .duplicatedKeysInMapping(let keys, let context):
      return "\(keys.map(String.init(describing:)).joined(separator: ", ")) is given twice, before line \(context.mark.line)"
    // The error's own description quotes the line, which may contain a secret.
    case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
      .composer(let context, let problem, let mark, _):
      return "line \(mark.line), column \(mark.column): \(context.map { "\($0.text), " } ?? "")\(problem)"
    case .reader(let problem, _, _, _): return problem
    default: return "it is not valid YAML"
    }
  }

  private mutating func add(_ key: Node, _ value: Node) throws {
    let line = key.mark?.line ?? 0
    func refuse(_ sentence: String) -> ValidationError { ValidationError("\(path):\(line): \(sentence)") }
    guard let name = key.string else { throw refuse("the name of a setting must be a string") }
    guard let setting = Setting.named[name] else {
      let hint = Self.nearest(to: name).map { "; did you mean \($0)?" } ?? ""
      throw refuse("there is no setting \"\(name.prefix(64))\"\(hint)")
    }
    switch value {
    case .scalar(let scalar):
      guard value.null == nil else { throw refuse("\(name) has no value; leave the line out for the default") }
      guard setting.kind.takes(value) else {
        throw refuse("\(name) must be \(setting.kind.description), not \(scalar.string.prefix(64))")
      }
      entries[name] = Entry(values: [scalar.string], line: line)
    case .sequence(let sequence) where setting.kind.isList:
      let values = try sequence.map { item in
        guard case .scalar(let scalar) = item, item.null == nil else { throw refuse("\(name) must be a list of strings") }
        return scalar.string
      }
      entries[name] = Entry(values: values, line: line)
    default: throw refuse("\(name) must be \(setting.kind.description)")
    }
  }

  /// Returns the setting that was most likely intended; nil if none is similar.
  static func nearest(to name: String) -> String? {
    let name = name.lowercased().replacing("_", with: "-")
    // Matches HLS.segment, hlsSegment and hls segment.
    func letters(_ text: String) -> String { text.filter { $0.isLetter || $0.isNumber } }
    if let same = Setting.all.first(where: { letters($0.key) == letters(name) }) { return same.key }
    let distances = Setting.all.map { (key: $0.key, distance: distance(Array($0.key.utf8), Array(name.utf8.prefix(64)))) }
    return distances.min { $0.distance < $1.distance }.flatMap { $0.distance <= max(2, $0.key.count / 3) ? $0.key : nil }
  }

  /// Returns the number of letters to insert, remove or change.
  private static func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
    var row = Array(0...other.count)
    for (i, a) in one.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for (j, b) in other.enumerated() {
        let next = min(row[j] + 1, row[j + 1] + 1, diagonal + (a == b ? 0 : 1))
        diagonal = row[j + 1]
        row[j + 1] = next
      }
    }
    return row[other.count]
  }

  /// Returns a value in the syntax of a file.
  static func scalar(_ text: String, _ kind: Setting.Kind) -> String {
    switch kind {
    case .choice, .number, .decimal, .flag: return text
    case .text, .list:
      let isPlain =
        !text.isEmpty
        && text.utf8.allSatisfy { byte in
          Character(UnicodeScalar(byte)).isLetter || Character(UnicodeScalar(byte)).isNumber || "-_./".utf8.contains(byte)
        } && Double(text) == nil
        && !["true", "false", "yes", "no", "on", "off", "null", "none", "-"].contains(text.lowercased())
      if isPlain || text == "none" { return text }
      let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
      return "\"\(escaped)\""
    }
  }
}

extension Setting.Kind {
  /// Returns whether a scalar of the file is valid for this kind.
  fileprivate func takes(_ node: Node) -> Bool {
    switch self {
    case .text, .list, .choice: true
    case .number: node.int != nil && Int(node.string ?? "") != nil
    case .decimal: Double(node.string ?? "")?.isFinite == true
    case .flag: node.bool != nil
    }
  }
}
