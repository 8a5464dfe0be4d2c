import ArgumentParser

/// The flags of a section. ArgumentParser finds options in the mirror of a value. This mirror is made from the section's table,
/// so that no property declares a setting again.
struct SectionFlags<Section: SettingSection>: ParsableArguments, CustomReflectable {
  /// The values of the flags that are given, by key.
  private(set) var values: [String: [String]] = [:]

  init() {}

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MirrorKey.self)
    for setting in Section.settings { values[setting.key] = try setting.values(in: container) }
  }

  /// Reports an invalid value with the usage of the command.
  func validate() throws {
    var configuration = ServeConfiguration.usual
    for setting in Section.settings {
      if let values = values[setting.key] { try setting.kind.store(values, in: &configuration, as: "--\(setting.key)") }
    }
  }

  var customMirror: Mirror { Mirror(self, children: Section.settings.map { ($0.key, $0.option) }) }
}

/// The label of a mirror's child, by which the parser also decodes its value.
struct MirrorKey: CodingKey, ExpressibleByStringLiteral {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init(stringLiteral value: String) { stringValue = value }
  init?(intValue: Int) { nil }
}

extension SettingSection {
  static var group: Any { OptionGroup<SectionFlags<Self>>(title: title) }

  static func values(in container: KeyedDecodingContainer<MirrorKey>) throws -> [String: [String]] {
    try container.decode(OptionGroup<SectionFlags<Self>>.self, forKey: MirrorKey(stringValue: title)).wrappedValue.values
  }
}

extension Setting {
  /// Created once: the parser asks for its options several times.
  private static let helps = named.mapValues(\.help)

  fileprivate var option: Any {
    let (name, help) = (NameSpecification.customLong(key), Self.helps[key])
    return switch kind {
    case .flag: Flag<Bool?>(name: name, inversion: .prefixedNo, help: help)
    case .list: Option<[String]>(wrappedValue: [], name: name, help: help, completion: completion)
    default: Option<String?>(name: name, help: help, completion: completion)
    }
  }

  /// Returns the values of the flag; nil if it is not given.
  fileprivate func values(in container: KeyedDecodingContainer<MirrorKey>) throws -> [String]? {
    let label = MirrorKey(stringValue: key)
    switch kind {
    case .flag: return try container.decode(Flag<Bool?>.self, forKey: label).wrappedValue.map { ["\($0)"] }
    case .list:
      let values = try container.decode(Option<[String]>.self, forKey: label).wrappedValue
      return values.isEmpty ? nil : values
    default: return try container.decode(Option<String?>.self, forKey: label).wrappedValue.map { [$0] }
    }
  }
}
