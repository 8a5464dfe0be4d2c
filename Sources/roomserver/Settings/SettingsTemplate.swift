/// The file with every setting, commented out: deploy/roomserver.yaml.
enum SettingsTemplate {
  private static let width = 110

  static var text: String {
    var all = comment(
      """
      Settings of roomserver: all there are, each with its default. Start with: roomserver serve --config FILE. A setting can also be \
      a flag, --media-port 8100, or a variable, ROOMSERVER_MEDIA_PORT=8100; a flag counts more than the environment, that more than \
      this file. Names that are no settings are refused. `roomserver config --check FILE` checks a file, `roomserver config` prints \
      what holds. Written by: roomserver config --template
      """)
    for section in Setting.sections {
      let rule = String(repeating: "-", count: width - section.title.count - 7)
      all += ["", "# --- \(section.title) \(rule)"]
      for setting in section.settings { all += [""] + lines(of: setting) }
    }
    return all.joined(separator: "\n") + "\n"
  }

  private static func lines(of setting: Setting) -> [String] {
    let list = setting.kind == .list ? "A list" : ""
    let text = "\(setting.text) \(setting.usualSentence(inFile: true))".replacing("May be repeated", with: list)
      .replacing("--", with: "")
    let value =
      switch setting.usual {
      case .value(let value): SettingsFile.scalar(value, setting.kind)
      case .words: setting.kind == .list ? "[<\(setting.unit)>]" : "<\(setting.unit)>"
      }
    return comment(text) + ["#\(setting.key): \(value)"]
  }

  /// Returns comment lines, wrapped at the width.
  private static func comment(_ text: String) -> [String] {
    var lines: [String] = []
    var line = "#"
    for word in text.split(separator: " ") {
      if line.count + 1 + word.count > width {
        lines.append(line)
        line = "#"
      }
      line += " " + word
    }
    return lines + [line]
  }
}
