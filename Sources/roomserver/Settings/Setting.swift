import ArgumentParser

/// A setting of `roomserver serve`: the flag `--key`, the variable `ROOMSERVER_KEY`, or `key:` in the file.
struct Setting: Sendable {
  enum Kind: Sendable {
    case text
    /// Texts; separated by commas in the environment.
    case list
    /// An integer.
    case number
    case decimal
    case flag

    /// The description in an error message.
    var description: String {
      switch self {
      case .text: "a string"
      case .list: "a list of strings"
      case .number: "an integer"
      case .decimal: "a number"
      case .flag: "true or false"
      }
    }
  }

  /// The default of a setting.
  enum DefaultValue: Sendable, ExpressibleByStringLiteral {
    case value(String)
    /// No fixed value; a description of the behaviour.
    case description(String)

    init(stringLiteral value: String) { self = .value(value) }
  }

  let key: String
  let kind: Kind
  /// The value's name in the help: its unit, or what it names.
  let unit: String
  let defaultValue: DefaultValue
  /// The default with --dev, if it differs.
  let inDevelopment: String?
  let text: String
  let isSecret: Bool
  /// Whether it is a URL, whose password or query may contain a key.
  let hidesQuery: Bool
  /// The name of the environment variable.
  let variable: String
  /// The property in the configuration; nil if the setting's group of flags stores it itself.
  let number: Number?

  init(
    _ key: String, _ kind: Kind, _ unit: String = "", defaultValue: DefaultValue, dev: String? = nil, isSecret: Bool = false,
    hidesQuery: Bool = false, variable: String? = nil, number: Number? = nil, _ text: String
  ) {
    self.key = key
    self.kind = kind
    self.unit = unit
    self.defaultValue = defaultValue
    inDevelopment = dev
    self.text = text
    self.isSecret = isSecret
    self.hidesQuery = hidesQuery
    self.variable = variable ?? "ROOMSERVER_" + key.uppercased().replacing("-", with: "_")
    self.number = number
  }

  /// Returns "Default 8080.", for the help and the file.
  /// - Parameter inFile: leaves out the default of --dev, which does not apply to a file.
  func defaultSentence(inFile: Bool = false) -> String {
    let value =
      switch defaultValue {
      case .value(let value):
        kind == .flag && !inFile ? (value == "true" ? "on" : "off") : value
      case .description(let description): description
      }
    let development = inFile ? "" : inDevelopment.map { ", with --dev \($0)" } ?? ""
    return "Default \(value)\(development)."
  }

  /// Returns a value without secrets; nil if it must stay hidden.
  func shown(_ value: String) -> String? {
    if isSecret { return nil }
    let query = hidesQuery ? value.firstIndex { "?#".contains($0) } : nil
    var shown = String(value[..<(query ?? value.endIndex)])
    // The last one, because a password may contain others.
    if let scheme = shown.firstRange(of: "://"), let at = shown.lastIndex(of: "@"), scheme.upperBound < at {
      shown = shown[..<scheme.upperBound] + "hidden" + shown[at...]
    }
    return query == nil ? shown : shown + "?hidden"
  }

  var help: ArgumentHelp {
    let hidden = isSecret ? " Prefer \(variable), which other users can't see." : ""
    return ArgumentHelp("\(text) \(defaultSentence())\(hidden)", valueName: unit.isEmpty ? nil : unit)
  }
}

extension ArgumentHelp {
  /// Created once: the parser creates its options several times.
  private static let settings = Setting.named.mapValues(\.help)

  /// Returns the help of a flag, from the table of settings.
  static func setting(_ key: String) -> ArgumentHelp { settings[key] ?? ArgumentHelp("") }
}
