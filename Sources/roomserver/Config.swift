import ArgumentParser
import Foundation

/// `roomserver config`
struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the effective configuration, or check a file of settings.",
    usage: """
      roomserver config [<options of serve>]
      roomserver config --check <file>
      roomserver config --template
      """,
    discussion: """
      Takes the options of `roomserver serve`, and prints the effective settings as YAML with the source of each value. Secrets \
      stay hidden:

        roomserver config --config /etc/roomserver.yaml

      With --check it reads only that file, without flags and environment, and reports errors in it:

        roomserver config --check /etc/roomserver.yaml
      """)

  @Option(help: ArgumentHelp("A file of settings to check.", valueName: "file"), completion: .file())
  var check: String?

  @Flag(help: "Print a file with every setting in it, commented out.")
  var template = false

  @OptionGroup var serve: Serve

  func run() throws {
    if template { return print(SettingsTemplate.text, terminator: "") }
    guard let check else {
      let settings = try serve.settings()
      _ = try settings.configuration()
      print(settings.yaml(), terminator: "")
      return
    }
    let file = try SettingsFile(path: check)
    _ = try ServeSettings(environment: [:], file: file).configuration()
    print("\(check): \(file.entries.count) settings, valid")
  }
}
