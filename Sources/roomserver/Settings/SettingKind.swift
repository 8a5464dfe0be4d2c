import ArgumentParser

extension Setting.Kind {
  var isList: Bool { if case .list = self { true } else { false } }

  /// The description in an error message.
  var description: String {
    switch self {
    case .text, .choice: "a string"
    case .list: "a list of strings"
    case .number: "an integer"
    case .decimal: "a number"
    case .flag: "true or false"
    }
  }

  /// The valid values; nil if they have no range.
  var range: String? {
    switch self {
    case .number(let range, _): "\(range.lowerBound) to \(range.upperBound)"
    case .decimal(let range?, _): "\(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    case .text, .list, .choice, .decimal, .flag: nil
    }
  }

  private static func text(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? "\(number)" }

  /// Returns a configuration's value as text; nil if it has none, or is a list.
  func value(in configuration: ServeConfiguration) -> String? {
    switch self {
    case .text(let property), .choice(_, let property): property.read(configuration)
    case .list: nil
    case .number(_, let property): property.read(configuration).map(String.init)
    case .decimal(_, let property): property.read(configuration).map(Self.text)
    case .flag(let property): property.read(configuration).map(String.init)
    }
  }

  /// Parses a value, checks it and stores it.
  /// - Parameters:
  ///   - values: one text, or those of a list.
  ///   - name: the start of an error message.
  /// - Throws: `ValidationError`
  func store(_ values: [String], in configuration: inout ServeConfiguration, as name: String) throws {
    let text = values.first ?? ""
    func refusal(_ rule: String) -> ValidationError {
      ValidationError("\(name) must be \(rule), not \(text.prefix(64))")
    }
    switch self {
    case .text(let property): property.write(&configuration, text)
    case .list(let store):
      do { try store(&configuration, values) } catch { throw ValidationError("\(name): \(error)") }
    case .choice(let choices, let property):
      guard choices.contains(text) else {
        throw refusal(choices.dropLast().joined(separator: ", ") + " or \(choices.last ?? "")")
      }
      property.write(&configuration, text)
    case .number(let valid, let property):
      guard let number = Int(text) else { throw refusal(description) }
      guard valid.contains(number) else { throw refusal(range ?? "") }
      property.write(&configuration, number)
    case .decimal(let valid, let property):
      guard let number = Double(text) else { throw refusal(description) }
      guard valid?.contains(number) ?? true else { throw refusal(range ?? "") }
      property.write(&configuration, number)
    case .flag(let property):
      switch text.lowercased() {
      case "1", "true", "yes", "on": property.write(&configuration, true)
      case "0", "false", "no", "off", "": property.write(&configuration, false)
      default: throw refusal(description)
      }
    }
  }
}
