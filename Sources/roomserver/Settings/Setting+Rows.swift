// The kinds of rows in the tables of settings. Each stores its value at a path of the configuration, whose initial value is the
// default.

extension Setting.Property {
  init(_ path: Setting.Path<Value>) {
    self.init(read: { $0[keyPath: path] }, write: { $0[keyPath: path] = $1 })
  }

  init(_ path: Setting.Path<Value?>) {
    self.init(read: { $0[keyPath: path] }, write: { $0[keyPath: path] = $1 })
  }
}

extension Setting {
  typealias Path<Value> = WritableKeyPath<ServeConfiguration, Value> & Sendable

  static func text(_ key: String, _ unit: String, at path: Path<String>, _ text: String) -> Setting {
    Setting(key, .text(Property(path)), unit: unit, text)
  }

  /// - Parameter words: the default in words.
  static func text(
    _ key: String, _ unit: String, at path: Path<String?>, default words: String = "none", privacy: Privacy = .open,
    _ text: String
  ) -> Setting {
    Setting(key, .text(Property(path)), unit: unit, default: words, privacy: privacy, text)
  }

  static func list(
    _ key: String, _ unit: String, at path: Path<[String]>, default words: String = "none", privacy: Privacy = .open,
    variable: String? = nil, _ text: String
  ) -> Setting {
    Setting(
      key, .list { $0[keyPath: path] = $1 }, unit: unit, default: words, privacy: privacy, variable: variable, text)
  }

  /// Returns a list that is stored as another type.
  static func list(
    _ key: String, _ unit: String, default words: String = "none",
    store: @escaping @Sendable (inout ServeConfiguration, [String]) throws -> Void, _ text: String
  ) -> Setting {
    Setting(key, .list(store: store), unit: unit, default: words, text)
  }

  /// Returns one of the cases of an enum, by their raw values.
  /// - Parameter unit: the value's name in the help; nil lists the choices.
  static func choice<Choice: RawRepresentable<String> & CaseIterable & Sendable>(
    _ key: String, at path: Path<Choice>, unit: String? = nil, _ text: String
  ) -> Setting {
    let choices = Choice.allCases.map(\.rawValue)
    let property = Property<String>(
      read: { $0[keyPath: path].rawValue },
      write: { configuration, text in Choice(rawValue: text).map { configuration[keyPath: path] = $0 } })
    return Setting(key, .choice(choices, property), unit: unit ?? choices.joined(separator: "|"), text)
  }

  /// Returns one of a few numbers.
  static func choice(_ key: String, of choices: [Int], unit: String, at path: Path<Int>, _ text: String) -> Setting {
    let property = Property<String>(
      read: { "\($0[keyPath: path])" },
      write: { configuration, text in Int(text).map { configuration[keyPath: path] = $0 } })
    return Setting(key, .choice(choices.map(String.init), property), unit: unit, text)
  }

  static func flag(_ key: String, at path: Path<Bool>, _ text: String) -> Setting {
    Setting(key, .flag(Property(path)), unit: "", text)
  }

  static func decimal(_ key: String, _ unit: String, at path: Path<Double>, _ text: String) -> Setting {
    Setting(key, .decimal(nil, Property(path)), unit: unit, text)
  }

  static func decimal(
    _ key: String, _ range: ClosedRange<Double>, _ unit: String, at path: Path<Double?>, default words: String, _ text: String
  ) -> Setting {
    Setting(key, .decimal(range, Property(path)), unit: unit, default: words, text)
  }

  static func port(_ key: String, at path: Path<UInt16>, requires: String? = nil, _ text: String) -> Setting {
    count(key, 0...65_535, at: path, unit: "port", requires: requires, text)
  }

  /// Returns a whole number.
  /// - Parameter scale: the factor by which the stored number is greater than the setting.
  static func count<Number: FixedWidthInteger & Sendable>(
    _ key: String, _ range: ClosedRange<Int>, at path: Path<Number>, times scale: Number = 1, unit: String = "count",
    requires: String? = nil, _ text: String
  ) -> Setting {
    let property = Property<Int>(
      read: { Int($0[keyPath: path] / scale) }, write: { $0[keyPath: path] = Number($1) * scale })
    return Setting(key, .number(range, property), unit: unit, requires: requires, text)
  }

  /// Returns a whole number that the server chooses itself by default.
  static func count(
    _ key: String, _ range: ClosedRange<Int>, at path: Path<Int?>, times scale: Int = 1, unit: String = "count",
    default words: String, requires: String? = nil, _ text: String
  ) -> Setting {
    let property = Property<Int>(
      read: { $0[keyPath: path].map { $0 / scale } }, write: { $0[keyPath: path] = $1 * scale })
    return Setting(key, .number(range, property), unit: unit, default: words, requires: requires, text)
  }

  static func bytes(_ key: String, _ range: ClosedRange<Int>, at path: Path<Int>, _ text: String) -> Setting {
    count(key, range, at: path, unit: "bytes", text)
  }

  /// Returns a rate that is stored as a `Double`.
  static func rate(_ key: String, _ range: ClosedRange<Int>, at path: Path<Double>, _ text: String) -> Setting {
    let property = Property<Int>(read: { Int($0[keyPath: path]) }, write: { $0[keyPath: path] = Double($1) })
    return Setting(key, .number(range, property), unit: "count", text)
  }

  /// Returns a time that is stored as a `Duration`.
  static func time(
    _ key: String, _ range: ClosedRange<Int>, _ unit: TimeUnit, at path: Path<Duration>, requires: String? = nil,
    _ text: String
  ) -> Setting {
    let property = Property<Int>(
      read: { configuration in
        let (seconds, attoseconds) = configuration[keyPath: path].components
        return Int((seconds * 1_000_000 + attoseconds / 1_000_000_000_000) / unit.rawValue)
      },
      write: { $0[keyPath: path] = .microseconds(Int64($1) * unit.rawValue) })
    return Setting(key, .number(range, property), unit: unit.name, requires: requires, text)
  }

  /// Returns a time that is stored as a number of another unit.
  static func time(
    _ key: String, _ range: ClosedRange<Int>, _ unit: TimeUnit, at path: Path<Int64>, in stored: TimeUnit, _ text: String
  ) -> Setting {
    count(key, range, at: path, times: unit.rawValue / stored.rawValue, unit: unit.name, text)
  }

  /// A unit of time, in which a setting is given or a property is stored, in microseconds.
  enum TimeUnit: Int64, Sendable {
    case microseconds = 1
    case milliseconds = 1000
    case seconds = 1_000_000
    case hours = 3_600_000_000
    case days = 86_400_000_000

    /// The unit's name in the help.
    var name: String {
      switch self {
      case .microseconds: "µs"
      case .milliseconds: "ms"
      case .seconds: "seconds"
      case .hours: "hours"
      case .days: "days"
      }
    }
  }
}
