/// Writes metrics in the text format that Prometheus reads (version 0.0.4).
package struct PrometheusText: Sendable {
  package enum Kind: String, Sendable { case counter, gauge }

  package private(set) var text = ""

  package init() {}

  /// Adds a metric with one value.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: some BinaryInteger) {
    add(name, kind, help, label: nil, [("", Int64(clamping: value))])
  }

  /// Adds a metric with one floating-point value.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ value: Double) {
    add(name, kind, help, label: nil, [("", value)])
  }

  /// Adds a metric with a count for each code, in the order of the codes.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, label: String, _ counts: [Int: Int]) {
    add(name, kind, help, label: label, counts.sorted { $0.key < $1.key }.map { ("\($0.key)", Int64($0.value)) })
  }

  /// Adds a metric with a value for each of `label`'s values.
  package mutating func add(
    _ name: String, _ kind: Kind, _ help: String, label: String?, _ values: [(String, some CustomStringConvertible)]
  ) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for (key, value) in values {
      if let label { text += "\(name){\(label)=\"\(Self.escaped(key))\"} \(value)\n" } else { text += "\(name) \(value)\n" }
    }
  }

  /// Adds a metric with a value for each pair of values of two labels.
  package mutating func add(
    _ name: String, _ kind: Kind, _ help: String, labels: (String, String), _ values: [(String, String, Int)]
  ) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for (first, second, value) in values {
      text += "\(name){\(labels.0)=\"\(Self.escaped(first))\",\(labels.1)=\"\(Self.escaped(second))\"} \(value)\n"
    }
  }

  private static func escaped(_ value: String) -> String {
    var result = ""
    for character in value.unicodeScalars {
      switch character {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.unicodeScalars.append(character)
      }
    }
    return result
  }
}
