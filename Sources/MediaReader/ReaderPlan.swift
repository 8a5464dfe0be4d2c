import Foundation

/// What a reader process reads: the first line of its standard input, as JSON.
package struct ReaderPlan: Codable, Sendable, Hashable {
  package enum Source: Codable, Sendable, Hashable {
    case url(String)
    /// The path of a file on this machine.
    case file(String)
  }

  package var source: Source
  /// The networks that may be reached, as `RelayTargets` reads them.
  package var networks: [String]
  /// Seconds that the source has to open, and to send the next frame.
  package var patience: Double
  /// The position in seconds at which to begin.
  package var start: Double

  package init(_ source: Source, networks: [String] = [], patience: Double = 15, start: Double = 0) {
    self.source = source
    self.networks = networks
    self.patience = patience
    self.start = start
  }

  /// The plan as a line of JSON.
  package var line: [UInt8] {
    // Texts and numbers can always be encoded.
    ((try? JSONEncoder().encode(self)).map(Array.init) ?? []) + [UInt8(ascii: "\n")]
  }

  package init?(line: String) {
    guard let plan = try? JSONDecoder().decode(Self.self, from: Data(line.utf8)) else { return nil }
    self = plan
  }
}

/// A command to a reader process: a later line of its standard input.
package enum ReaderCommand: Sendable, Hashable {
  /// Continues at a position in seconds. The report ``ReaderReport/moved(_:position:)`` with the same number precedes the frames.
  case seek(Int, seconds: Double)

  package var line: [UInt8] {
    switch self {
    case .seek(let number, let seconds): Array("seek \(number) \(seconds)\n".utf8)
    }
  }

  package init?(line: String) {
    let words = line.split(separator: " ")
    guard words.count == 3, words[0] == "seek", let number = Int(words[1]), let seconds = Double(words[2]), seconds.isFinite,
      seconds >= 0
    else { return nil }
    self = .seek(number, seconds: seconds)
  }
}
