import ArgumentParser
import Foundation

/// Looks up settings: a flag takes precedence over the environment, the environment over the file, and the file over the
/// default. Records the values it returned, for `roomserver config`.
final class ServeSettings {
  /// The source of a value.
  enum Source: String { case flag, environment, file, `default` = "default" }

  /// An effective value.
  struct Effective {
    var values: [String]
    var source: Source
  }

  private let environment: [String: String]
  private let file: SettingsFile?
  /// The settings that have a value, by key. Settings that were read and have none are only in `readKeys`.
  private(set) var effective: [String: Effective] = [:]
  private(set) var readKeys: Set<String> = []

  init(environment: [String: String] = ProcessInfo.processInfo.environment, file: SettingsFile? = nil) {
    self.environment = environment
    self.file = file
  }

  private func found(_ key: String, _ flag: [String]) -> Effective? {
    readKeys.insert(key)
    let setting = Setting.named[key]
    if !flag.isEmpty { return remember(key, Effective(values: flag, source: .flag)) }
    if let setting, let text = environment[setting.variable] {
      let values = setting.kind == .list ? text.split(separator: ",").map(String.init) : [text]
      if !values.isEmpty { return remember(key, Effective(values: values, source: .environment)) }
    }
    if let entry = file?.entries[key], !entry.values.isEmpty {
      return remember(key, Effective(values: entry.values, source: .file))
    }
    return nil
  }

  private func remember(_ key: String, _ value: Effective) -> Effective {
    effective[key] = value
    return value
  }

  /// Returns the start of an error message about a value.
  private func name(_ key: String, _ source: Source) -> String {
    switch source {
    case .flag, .default: "--\(key)"
    case .environment: Setting.named[key]?.variable ?? key
    case .file: "\(file?.path ?? ""):\(file?.entries[key]?.line ?? 0): \(key)"
    }
  }

  func text(_ key: String, _ flag: String?) -> String? { found(key, flag.map { [$0] } ?? [])?.values.first }

  func text(_ key: String, _ flag: String?, default defaultValue: String) -> String {
    text(key, flag) ?? self.defaulted(key, defaultValue)
  }

  func list(_ key: String, _ flags: [String]) -> [String] { found(key, flags)?.values ?? [] }

  private func parsed<Value: CustomStringConvertible>(
    _ key: String, _ flag: Value?, _ description: String, _ parse: (String) -> Value?
  ) throws -> Value? {
    guard let found = found(key, flag.map { ["\($0)"] } ?? []) else { return nil }
    if let flag { return flag }
    let text = found.values.first ?? ""
    guard let value = parse(text) else {
      throw ValidationError("\(name(key, found.source)) must be \(description), not \(text)")
    }
    return value
  }

  func number<Number: FixedWidthInteger>(_ key: String, _ flag: Number?) throws -> Number? {
    try parsed(key, flag, "an integer in the valid range") { Number($0) }
  }

  func number<Number: FixedWidthInteger>(_ key: String, _ flag: Number?, default defaultValue: Number) throws -> Number {
    try number(key, flag) ?? self.defaulted(key, defaultValue)
  }

  /// - Throws: if the number is out of its range.
  func number(_ key: String, _ flag: Int?, in range: ClosedRange<Int>) throws -> Int? {
    guard let value = try number(key, flag) else { return nil }
    guard range.contains(value) else {
      throw ValidationError("\(name(key, effective[key]?.source ?? .flag)) must be \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func decimal(_ key: String, _ flag: Double?) throws -> Double? { try parsed(key, flag, "a number") { Double($0) } }

  func flag(_ key: String, _ flag: Bool?, default defaultValue: Bool) throws -> Bool {
    let value = try parsed(key, flag, "true or false") { text -> Bool? in
      switch text.lowercased() {
      case "1", "true", "yes", "on": true
      case "0", "false", "no", "off", "": false
      default: nil
      }
    }
    return value ?? self.defaulted(key, defaultValue)
  }

  /// Records a default that is not constant.
  private func defaulted<Value: CustomStringConvertible>(_ key: String, _ value: Value) -> Value {
    effective[key] = Effective(values: ["\(value)"], source: .default)
    return value
  }

  // MARK: Output

  /// Returns all settings as a file that could be read again, except secrets.
  func yaml() -> String {
    var text = "# The effective configuration.\n"
    for section in Setting.sections {
      text += "\n# \(section.title)\n"
      for setting in section.settings { text += line(of: setting) + "\n" }
    }
    return text
  }

  private func line(of setting: Setting) -> String {
    guard let value = effective[setting.key] else {
      switch setting.defaultValue {
      case .value(let defaultValue): return "\(setting.key): \(SettingsFile.scalar(defaultValue, setting.kind))  # default"
      case .description(let description): return "# \(setting.key): default \(description)"
      }
    }
    let shown = value.values.compactMap { setting.shown($0) }
    guard shown.count == value.values.count else { return "# \(setting.key): hidden  # \(value.source.rawValue)" }
    let written = shown.map { SettingsFile.scalar($0, setting.kind) }.joined(separator: ", ")
    return "\(setting.key): \(setting.kind == .list ? "[\(written)]" : written)  # \(value.source.rawValue)"
  }

  /// The values that differ from the defaults, for the log.
  var overrides: [String: String] {
    effective.filter { $0.value.source != .default }.reduce(into: [:]) { overrides, entry in
      overrides[entry.key] = entry.value.values.map { Setting.named[entry.key]?.shown($0) ?? "hidden" }.joined(separator: ",")
    }
  }
}
