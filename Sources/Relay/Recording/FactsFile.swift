import Foundation
import Glibc

/// The facts of a recording on disk, in a hidden file beside it: `.show.mp4.json` for `show.mp4`. The facts stay with the
/// recordings when the directory is moved or restored. No recording's name begins with a dot.
struct FactsFile {
  private static let ending = ".json"
  private static let unfinishedEnding = ".json~"

  let directory: String

  private func path(_ name: String, _ ending: String) -> String { "\(directory)/.\(name)\(ending)" }

  /// Replaces the facts of a recording. A kill of the server leaves the old ones or the new ones.
  func write(_ facts: RecordingFacts) {
    let (unfinished, path) = (path(facts.name, Self.unfinishedEnding), path(facts.name, Self.ending))
    guard let data = try? JSONEncoder().encode(facts) else { return }
    // On a full disk the facts that only this file has are lost, and the recording is listed after a restart.
    if !Self.create(unfinished, data) || rename(unfinished, path) != 0 { unlink(unfinished) }
  }

  /// Not Foundation's: it writes to a temporary file of its own, which a kill would leave.
  private static func create(_ path: String, _ data: Data) -> Bool {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o640)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } == data.count
  }

  /// Returns the facts of a recording; nil if there are none, or they can't be read.
  func read(_ name: String) -> RecordingFacts? {
    guard let data = FileManager.default.contents(atPath: path(name, Self.ending)),
      let facts = try? JSONDecoder().decode(RecordingFacts.self, from: data), facts.name == name
    else { return nil }
    return facts
  }

  func remove(_ name: String) { unlink(path(name, Self.ending)) }

  /// Removes facts without a recording.
  func removeOthers(than names: Set<String>, of entries: [String]) {
    for entry in entries where entry.hasPrefix(".") {
      for ending in [Self.ending, Self.unfinishedEnding] where entry.hasSuffix(ending) {
        let name = String(entry.dropFirst().dropLast(ending.count))
        guard RecordingName(name) != nil, ending == Self.unfinishedEnding || !names.contains(name) else { continue }
        unlink("\(directory)/\(entry)")
      }
    }
  }
}
