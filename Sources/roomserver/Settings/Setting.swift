import ArgumentParser

/// One thing that `roomserver serve` can be told: by the flag `--key`, by the variable `ROOMSERVER_KEY`, or as `key:` in the file.
struct Setting: Sendable {
  enum Kind: Sendable {
    case text
    /// Texts; with commas between them in the environment.
    case list
    /// Whole.
    case number
    case decimal
    case flag

    /// For an error sentence.
    var words: String {
      switch self {
      case .text: "a text"
      case .list: "a list of texts"
      case .number: "a whole number"
      case .decimal: "a number"
      case .flag: "true or false"
      }
    }
  }

  /// What holds where nothing is said.
  enum Usual: Sendable, ExpressibleByStringLiteral {
    case value(String)
    /// No value of its own: what happens, in words.
    case words(String)

    init(stringLiteral value: String) { self = .value(value) }
  }

  let key: String
  let kind: Kind
  /// What the value is called in the help: its unit, or what it names.
  let unit: String
  let usual: Usual
  /// Where it is another with --dev.
  let inDevelopment: String?
  let text: String
  let isSecret: Bool
  /// It is a URL, in which a password or what stands behind a question mark may be a key.
  let hidesQuery: Bool
  /// The variable's name.
  let variable: String
  /// Where the configuration stores it; nil if the group of flags that it belongs to stores it itself.
  let number: Number?

  init(
    _ key: String, _ kind: Kind, _ unit: String = "", usual: Usual, dev: String? = nil, isSecret: Bool = false,
    hidesQuery: Bool = false, variable: String? = nil, number: Number? = nil, _ text: String
  ) {
    self.key = key
    self.kind = kind
    self.unit = unit
    self.usual = usual
    inDevelopment = dev
    self.text = text
    self.isSecret = isSecret
    self.hidesQuery = hidesQuery
    self.variable = variable ?? "ROOMSERVER_" + key.uppercased().replacing("-", with: "_")
    self.number = number
  }

  /// "Default 8080.", as the help and the file say it.
  /// - Parameter inFile: a file has nothing to do with --dev.
  func usualSentence(inFile: Bool = false) -> String {
    let value =
      switch usual {
      case .value(let value):
        kind == .flag && !inFile ? (value == "true" ? "on" : "off") : value
      case .words(let words): words
      }
    let development = inFile ? "" : inDevelopment.map { ", with --dev \($0)" } ?? ""
    return "Default \(value)\(development)."
  }

  /// A value as it may be shown; nil where it has to stay hidden.
  func shown(_ value: String) -> String? {
    if isSecret { return nil }
    let query = hidesQuery ? value.firstIndex { "?#".contains($0) } : nil
    var shown = String(value[..<(query ?? value.endIndex)])
    // The last one, as a password may hold others.
    if let scheme = shown.firstRange(of: "://"), let at = shown.lastIndex(of: "@"), scheme.upperBound < at {
      shown = shown[..<scheme.upperBound] + "hidden" + shown[at...]
    }
    return query == nil ? shown : shown + "?hidden"
  }

  var help: ArgumentHelp {
    let hidden = isSecret ? " \(variable) can say it where others can't see it." : ""
    return ArgumentHelp("\(text) \(usualSentence())\(hidden)", valueName: unit.isEmpty ? nil : unit)
  }
}

extension ArgumentHelp {
  /// Made once: the parser makes its options several times.
  private static let settings = Setting.named.mapValues(\.help)

  /// The help of a flag, from the table of settings.
  static func setting(_ key: String) -> ArgumentHelp { settings[key] ?? ArgumentHelp("") }
}
