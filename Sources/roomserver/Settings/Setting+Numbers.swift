import RoomServer

extension Setting {
  /// An integer of the configuration: the row that declares it names its property, and its default is the initial value of that
  /// property.
  struct Number: Sendable {
    let range: ClosedRange<Int>
    /// Returns the lower bound for a number that the server chooses itself.
    let read: @Sendable (ServerConfiguration) -> Int
    let write: @Sendable (inout ServerConfiguration, Int) -> Void
  }

  /// A unit of time, in which a setting is given or a property is stored.
  enum TimeUnit: Int64, Sendable {
    case microseconds = 1
    case milliseconds = 1000
    case seconds = 1_000_000
    case hours = 3_600_000_000

    /// The unit's name in the help.
    var name: String {
      switch self {
      case .microseconds: "µs"
      case .milliseconds: "ms"
      case .seconds: "seconds"
      case .hours: "hours"
      }
    }

    func microseconds(_ number: Int) -> Int64 { Int64(number) * rawValue }
    func number(ofMicroseconds microseconds: Int64) -> Int { Int(microseconds / rawValue) }
  }

  private static let defaults = ServerConfiguration(keys: [:])

  private init(_ key: String, _ unit: String, _ text: String, _ number: Number) {
    self.init(
      key, .number, unit, defaultValue: .value("\(number.read(Self.defaults))"), number: number,
      "\(text). \(number.range.lowerBound) to \(number.range.upperBound).")
  }

  /// Returns a number that is stored unchanged.
  /// - Parameter text: a sentence without its full stop; the range is added.
  static func count(
    _ key: String, _ range: ClosedRange<Int>, at path: WritableKeyPath<ServerConfiguration, Int> & Sendable,
    unit: String = "count",
    _ text: String
  ) -> Setting {
    Setting(
      key, unit, text, Number(range: range, read: { $0[keyPath: path] }, write: { $0[keyPath: path] = $1 }))
  }

  /// Returns a count that the server chooses itself by default.
  /// - Parameter defaultValue: a description of the value that it chooses.
  static func count(
    _ key: String, _ range: ClosedRange<Int>, at path: WritableKeyPath<ServerConfiguration, Int?> & Sendable,
    defaultValue: String,
    _ text: String
  ) -> Setting {
    Setting(
      key, .number, "count", defaultValue: .description(defaultValue),
      number: Number(
        range: range, read: { $0[keyPath: path] ?? range.lowerBound }, write: { $0[keyPath: path] = $1 }),
      "\(text). \(range.lowerBound) to \(range.upperBound).")
  }

  /// Returns a number of bytes.
  static func bytes(
    _ key: String, _ range: ClosedRange<Int>, at path: WritableKeyPath<ServerConfiguration, Int> & Sendable, _ text: String
  ) -> Setting { count(key, range, at: path, unit: "bytes", text) }

  /// Returns a rate that is stored as a `Double`.
  static func rate(
    _ key: String, _ range: ClosedRange<Int>, at path: WritableKeyPath<ServerConfiguration, Double> & Sendable, _ text: String
  ) -> Setting {
    Setting(
      key, "count", text, Number(range: range, read: { Int($0[keyPath: path]) }, write: { $0[keyPath: path] = Double($1) }))
  }

  /// Returns a time that is stored as a `Duration`.
  static func time(
    _ key: String, _ range: ClosedRange<Int>, _ unit: TimeUnit,
    at path: WritableKeyPath<ServerConfiguration, Duration> & Sendable, _ text: String
  ) -> Setting {
    Setting(
      key, unit.name, text,
      Number(
        range: range,
        read: { configuration in
          let (seconds, attoseconds) = configuration[keyPath: path].components
          return unit.number(ofMicroseconds: seconds * 1_000_000 + attoseconds / 1_000_000_000_000)
        }, write: { $0[keyPath: path] = .microseconds(unit.microseconds($1)) }))
  }

  /// Returns a time that is stored as a number of another unit.
  static func time(
    _ key: String, _ range: ClosedRange<Int>, _ unit: TimeUnit,
    at path: WritableKeyPath<ServerConfiguration, Int64> & Sendable, in stored: TimeUnit, _ text: String
  ) -> Setting {
    Setting(
      key, unit.name, text,
      Number(
        range: range, read: { unit.number(ofMicroseconds: $0[keyPath: path] * stored.rawValue) },
        write: { $0[keyPath: path] = unit.microseconds($1) / stored.rawValue }))
  }
}
