import ArgumentParser

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
