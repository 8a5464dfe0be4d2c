import Foundation
import Yams

/// A value of a YAML file, with paths into it: `object["spec.replicas"]`. Elements of a list have their index as name.
struct Manifest: Sendable, CustomStringConvertible {
  /// The value, as JSON.
  private let json: Data

  private init(_ value: Any) throws {
    json = try JSONSerialization.data(withJSONObject: value, options: [.fragmentsAllowed, .sortedKeys])
  }

  /// Returns the documents of a YAML file in the repository.
  static func documents(at path: String) throws -> [Manifest] {
    try documents(of: String(contentsOfFile: path, encoding: .utf8))
  }

  static func documents(of text: String) throws -> [Manifest] {
    try Yams.load_all(yaml: text).compactMap { $0 }.map(Manifest.init)
  }

  private var value: Any? { try? JSONSerialization.jsonObject(with: json, options: .fragmentsAllowed) }
  var description: String { String(decoding: json, as: UTF8.self) }

  private func find(_ path: String) -> Any? {
    path.split(separator: ".").reduce(value) { value, name in
      if let list = value as? [Any], let index = Int(name), list.indices.contains(index) { return list[index] }
      return (value as? [String: Any])?[String(name)]
    }
  }

  subscript(path: String) -> String? { find(path).map { "\($0)" } }

  /// The entries of an object that are texts, such as labels.
  func texts(_ path: String) -> [String: String] { (find(path) as? [String: Any] ?? [:]).compactMapValues { $0 as? String } }
  /// The elements of a list.
  func list(_ path: String) -> [Manifest] { (find(path) as? [Any] ?? []).compactMap { try? Manifest($0) } }
  func object(_ path: String) -> Manifest? { find(path).flatMap { try? Manifest($0) } }
  /// The text itself, of an element of a list of texts.
  var text: String? { value as? String }
  var keys: [String] { (value as? [String: Any] ?? [:]).keys.sorted() }
  var kind: String { self["kind"] ?? "" }
  var name: String { self["metadata.name"] ?? "" }
}
