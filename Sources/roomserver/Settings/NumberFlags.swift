import ArgumentParser
import RoomServer

extension ParsableArguments {
  /// Applies every number of the table for which this group has a flag: the flag `graceTime` is the setting `grace-time`.
  /// - Throws: `ValidationError` if a number is out of its range.
  func applyNumbers(to configuration: inout ServerConfiguration, _ settings: ServeSettings) throws {
    for child in Mirror(reflecting: self).children {
      // A property wrapper's storage has the property's name with an underscore.
      guard let flag = child.value as? Option<Int?>, let label = child.label?.dropFirst() else { continue }
      let key = label.reduce(into: "") { $0 += $1.isUppercase ? "-\($1.lowercased())" : "\($1)" }
      guard let number = Setting.named[key]?.number else { continue }
      if let value = try settings.number(key, flag.wrappedValue, in: number.range) { number.write(&configuration, value) }
    }
  }
}
