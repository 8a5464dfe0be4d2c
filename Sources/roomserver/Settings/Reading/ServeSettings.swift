import ArgumentParser
import Foundation

/// The values of settings: a flag takes precedence over the environment, the environment over the file, and the file over the
/// default.
struct ServeSettings {
  /// The source of a value.
  enum Source: String { case flag, environment, file }

  /// A value that is given.
  struct Given {
    var values: [String]
    var source: Source
    /// The start of an error message about the value.
    var name: String
  }

  /// Whether the defaults are those of --dev.
  let development: Bool
  private let given: [String: Given]

  init(
    flags: [String: [String]] = [:], environment: [String: String] = ProcessInfo.processInfo.environment,
    file: SettingsFile? = nil, development: Bool = false
  ) {
    self.development = development
    given = Setting.named.compactMapValues { setting in
      if let values = flags[setting.key] { return Given(values: values, source: .flag, name: "--\(setting.key)") }
      if let text = environment[setting.variable] {
        let values = setting.kind.isList ? text.split(separator: ",").map(String.init) : [text]
        if !values.isEmpty { return Given(values: values, source: .environment, name: setting.variable) }
      }
      if let file, let entry = file.entries[setting.key], !entry.values.isEmpty {
        return Given(values: entry.values, source: .file, name: "\(file.path):\(entry.line): \(setting.key)")
      }
      return nil
    }
  }

  /// Returns the configuration of these values and the defaults.
  /// - Parameter settings: the settings to read.
  /// - Throws: `ValidationError` if a value is invalid, or two conflict.
  func configuration(of settings: [Setting] = Setting.all) throws -> ServeConfiguration {
    var configuration = ServeConfiguration(development: development)
    for setting in settings {
      guard let given = given[setting.key] else { continue }
      try setting.kind.store(given.values, in: &configuration, as: given.name)
    }
    for setting in settings where given[setting.key] != nil {
      guard let required = setting.requires, given[required] == nil else { continue }
      throw ValidationError("--\(setting.key) requires --\(required)")
    }
    try configuration.combine(development: development)
    return configuration
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
    guard let given = given[setting.key] else {
      guard let value = setting.kind.value(in: development ? .development : .usual) else {
        return "# \(setting.key): default \(setting.defaultWords)"
      }
      return "\(setting.key): \(SettingsFile.scalar(value, setting.kind))  # default"
    }
    let shown = given.values.compactMap { setting.shown($0) }
    guard shown.count == given.values.count else { return "# \(setting.key): hidden  # \(given.source.rawValue)" }
    let written = shown.map { SettingsFile.scalar($0, setting.kind) }.joined(separator: ", ")
    return "\(setting.key): \(setting.kind.isList ? "[\(written)]" : written)  # \(given.source.rawValue)"
  }

  /// The values that are given, for the log.
  var overrides: [String: String] {
    given.reduce(into: [:]) { overrides, entry in
      overrides[entry.key] = entry.value.values.map { Setting.named[entry.key]?.shown($0) ?? "hidden" }.joined(separator: ",")
    }
  }
}
