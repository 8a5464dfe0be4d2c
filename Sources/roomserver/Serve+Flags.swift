import ArgumentParser
import Foundation

// The parser reads this mirror instead of properties: two flags, and a group for each section of settings. The groups are direct
// children, because in a debug build each level of groups multiplies the time that the parser takes to check its options.

extension Serve: CustomReflectable {
  private static let file = ArgumentHelp(
    "A YAML file of settings; deploy/roomserver.yaml lists all of them. Default ROOMSERVER_CONFIG.", valueName: "file")
  private static let development: ArgumentHelp =
    """
    For development: prints a random key pair and a token, and creates rooms at the first join. Only media ports listen on other \
    addresses than loopback.
    """

  var customMirror: Mirror {
    let options: [(String, Any)] = [
      ("config", Option<String?>(help: Self.file, completion: .file())),
      ("dev", Flag<Bool>(wrappedValue: false, help: Self.development)),
    ]
    return Mirror(self, children: options + Setting.sections.map { ($0.title, $0.group) })
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: MirrorKey.self)
    config = try container.decode(Option<String?>.self, forKey: "config").wrappedValue
    dev = try container.decode(Flag<Bool>.self, forKey: "dev").wrappedValue
    for section in Setting.sections { flags.merge(try section.values(in: container)) { $1 } }
  }

  /// Returns the settings of the flags, the environment, and the file that one of the two names.
  func settings() throws -> ServeSettings {
    let environment = ProcessInfo.processInfo.environment
    let file = try (config ?? environment["ROOMSERVER_CONFIG"]).map { try SettingsFile(path: $0) }
    return settings(environment: environment, file: file)
  }

  func settings(environment: [String: String], file: SettingsFile?) -> ServeSettings {
    ServeSettings(flags: flags, environment: environment, file: file, development: dev)
  }
}
