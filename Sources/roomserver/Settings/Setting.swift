import ArgumentParser

/// A setting of `roomserver serve`: the flag `--key`, the variable `ROOMSERVER_KEY`, or `key:` in the file. The setting's row
/// in the table of a ``SettingSection`` is its only declaration.
struct Setting: Sendable {
  /// Where a value is stored.
  struct Property<Value>: Sendable {
    /// Returns nil if the server chooses the value itself.
    let read: @Sendable (ServeConfiguration) -> Value?
    let write: @Sendable (inout ServeConfiguration, Value) -> Void
  }

  enum Kind: Sendable {
    case text(Property<String>)
    /// Texts; separated by commas in the environment.
    case list(store: @Sendable (inout ServeConfiguration, [String]) throws -> Void)
    /// One of these texts.
    case choice([String], Property<String>)
    case number(ClosedRange<Int>, Property<Int>)
    case decimal(ClosedRange<Double>?, Property<Double>)
    case flag(Property<Bool>)
  }

  /// What the server may print of a value.
  enum Privacy: Sendable {
    case open
    /// The value is a URL, whose query may contain a key.
    case hidesQuery
    case secret
  }

  let key: String
  let kind: Kind
  /// The value's name in the help: its unit, or what it names.
  let unit: String
  /// The default in words, if the server chooses the value itself.
  let defaultWords: String
  let privacy: Privacy
  /// The key of another setting, without which this one has no effect.
  let requires: String?
  /// The name of the environment variable.
  let variable: String
  /// The description, without its full stop.
  let text: String

  init(
    _ key: String, _ kind: Kind, unit: String, default words: String = "none", privacy: Privacy = .open,
    requires: String? = nil, variable: String? = nil, _ text: String
  ) {
    self.key = key
    self.kind = kind
    self.unit = unit
    defaultWords = words
    self.privacy = privacy
    self.requires = requires
    self.variable = variable ?? "ROOMSERVER_" + key.uppercased().replacing("-", with: "_")
    self.text = text
  }

  /// Returns a value without secrets; nil if it must stay hidden.
  func shown(_ value: String) -> String? {
    if privacy == .secret { return nil }
    let query = privacy == .hidesQuery ? value.firstIndex { "?#".contains($0) } : nil
    var shown = String(value[..<(query ?? value.endIndex)])
    // The last one, because a password may contain others.
    if let scheme = shown.firstRange(of: "://"), let at = shown.lastIndex(of: "@"), scheme.upperBound < at {
      shown = shown[..<scheme.upperBound] + "hidden" + shown[at...]
    }
    return query == nil ? shown : shown + "?hidden"
  }
}

// MARK: - Help

extension Setting {
  /// Returns the description with range and default.
  /// - Parameter inFile: words for the file: without dashes, and without the defaults of --dev, which does not apply to a file.
  func description(inFile: Bool) -> String {
    var sentences = [text]
    if let range = kind.range { sentences.append(range) }
    if kind.isList { sentences.append(inFile ? "A list" : "May be repeated") }
    if let requires { sentences.append("Requires --\(requires)") }
    let (usual, development) = (defaultText(.usual, inFile: inFile), defaultText(.development, inFile: inFile))
    sentences.append("Default \(usual)" + (inFile || usual == development ? "" : ", with --dev \(development)"))
    let description = sentences.map { $0 + "." }.joined(separator: " ")
    return inFile ? description.replacing("--", with: "") : description
  }

  private func defaultText(_ configuration: ServeConfiguration, inFile: Bool) -> String {
    let value = kind.value(in: configuration) ?? defaultWords
    if case .flag = kind, !inFile { return value == "true" ? "on" : "off" }
    return value
  }

  var help: ArgumentHelp {
    let hidden = privacy == .secret ? " Prefer \(variable), which other users can't see." : ""
    return ArgumentHelp("\(description(inFile: false))\(hidden)", valueName: unit.isEmpty ? nil : unit)
  }

  /// What a shell completes the value with.
  var completion: CompletionKind {
    switch (kind, unit) {
    case (.choice(let choices, _), _): .list(choices)
    case (_, "file"): .file()
    case (_, "directory"): .directory
    default: .default
    }
  }
}
