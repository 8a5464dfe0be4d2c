import Foundation
import Yams

/// A play with its parameters and limits, as described by a file in `loadtest/scenarios`.
///
/// ```yaml
/// play: voice-room
/// about: Eight seats and a hundred listeners.
/// parameters:
///   listeners: 100
/// limits:
///   - audio_gap_ms max <= 60
/// ```
///
/// `of` may replace `play`: it names another scenario, whose parameters apply unless they are set here.
struct Scenario: Sendable {
  static let fields = ["play", "of", "about", "parameters", "limits"]

  let name: String
  /// The scenario that this one is a variant of.
  let base: String?
  let play: PlayKind
  let about: String
  var values: ParameterValues
  var limits: [Limit]

  /// Parses a description.
  /// - Parameters:
  ///   - of: replaces the value of `of` in the description.
  ///   - find: returns the text of another scenario.
  init(
    name: String, yaml: String, of other: String? = nil, find: (String) throws(ScenarioError) -> String
  ) throws(ScenarioError) {
    let fields = try Self.fields(of: yaml, name)
    self.name = name
    about = try Self.string("about", fields) ?? ""
    let named = try Self.string("of", fields)
    if let other, named == nil {
      throw ScenarioError("\(name) is not a variant of another scenario, so --of \(other) is invalid")
    }
    if let base = other ?? named {
      guard fields["play"] == nil else { throw ScenarioError("\(name): use either play or of, not both") }
      guard base != name else { throw ScenarioError("\(name) can't be a variant of itself") }
      let text = try find(base)
      guard try Self.fields(of: text, base)["of"] == nil else {
        throw ScenarioError("\(name): \(base) is itself a variant of another scenario")
      }
      let scenario = try Scenario(name: base, yaml: text, find: find)
      play = scenario.play
      values = scenario.values
      self.base = base
    } else {
      guard let text = try Self.string("play", fields) else { throw ScenarioError("\(name): play is missing") }
      guard let play = PlayKind(rawValue: text) else {
        throw ScenarioError(unknown: "play", text, known: PlayKind.allCases.map(\.rawValue))
      }
      self.play = play
      values = ParameterValues(play.type.parameters + Parameter.common)
      base = nil
    }
    limits = []
    for (parameter, value) in try Self.numbers("parameters", fields) {
      do { try values.set(parameter, to: value) } catch { throw ScenarioError("\(name): \(error)") }
    }
    for text in try Self.strings("limits", fields) {
      do { limits.append(try Limit(parsing: text)) } catch { throw ScenarioError("\(name): \(error)") }
    }
  }

  /// Replaces the limit with the same subject, or adds the limit.
  mutating func replace(_ limit: Limit) {
    limits.removeAll { $0.subject == limit.subject }
    limits.append(limit)
  }

  // MARK: YAML

  private static func fields(of yaml: String, _ name: String) throws(ScenarioError) -> [String: Node] {
    let root: Node?
    do { root = try Yams.compose(yaml: yaml) } catch { throw ScenarioError("\(name) is not valid YAML: \(error)") }
    guard let mapping = root?.mapping else { throw ScenarioError("\(name) has no fields") }
    var fields: [String: Node] = [:]
    for (key, value) in mapping {
      let key = key.string ?? ""
      guard Self.fields.contains(key) else { throw ScenarioError(unknown: "field", key, known: Self.fields).in(name) }
      fields[key] = value
    }
    return fields
  }

  private static func string(_ field: String, _ fields: [String: Node]) throws(ScenarioError) -> String? {
    guard let node = fields[field] else { return nil }
    guard let text = node.scalar?.string, !text.isEmpty else { throw ScenarioError("\(field) must be a string") }
    return text
  }

  private static func strings(_ field: String, _ fields: [String: Node]) throws(ScenarioError) -> [String] {
    guard let node = fields[field] else { return [] }
    guard let items = node.sequence else { throw ScenarioError("\(field) must be a list") }
    var texts: [String] = []
    for (index, item) in items.enumerated() {
      guard let text = item.scalar?.string else { throw ScenarioError("\(field)[\(index)] must be a string") }
      texts.append(text)
    }
    return texts
  }

  private static func numbers(_ field: String, _ fields: [String: Node]) throws(ScenarioError) -> [(String, Double)] {
    guard let node = fields[field] else { return [] }
    guard let mapping = node.mapping else { throw ScenarioError("\(field) must map names to numbers") }
    var numbers: [(String, Double)] = []
    for (key, value) in mapping {
      let name = key.string ?? ""
      guard let number = value.float ?? value.int.map(Double.init) else {
        throw ScenarioError("\(field).\(name) must be a number, not \"\(value.scalar?.string ?? "a list")\"")
      }
      numbers.append((name, number))
    }
    return numbers
  }
}

extension ScenarioError {
  fileprivate func `in`(_ name: String) -> ScenarioError { ScenarioError("\(name): \(description)") }
}
