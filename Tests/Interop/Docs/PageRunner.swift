import Foundation
import RoomPeers
import Testing

/// Runs the commands of a page in a shell, in an empty folder, one block after the other, as a reader would.
struct PageRunner {
  private static let prelude = Page.root.appending(path: "Tests/Interop/Docs/newcomer.sh")

  /// A film of two minutes that all pages share.
  private static let film = Task {
    let film = FileManager.default.temporaryDirectory.appending(path: "newcomer-\(UUID().uuidString).mp4")
    let encoder = try Program(
      "ffmpeg",
      ["-nostdin", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180:rate=15:duration=120"]
        + ["-f", "lavfi", "-i", "sine=frequency=440:sample_rate=44100:duration=120"]
        + ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-c:a", "aac", film.path])
    let status = try await encoder.finish(within: .seconds(120))
    if status != 0 { throw ProgramFailure(what: "ffmpeg failed with \(status): \(encoder.text)") }
    return film.path
  }

  /// Removes the film of all pages.
  static func removeFilm() async throws { try FileManager.default.removeItem(atPath: try await film.value) }

  /// The page's prerequisites: commands to run before its first block.
  var before = ""
  /// Text of the page, with its replacement for the test. All of it has to occur.
  var words: [String: String] = [:]
  /// A check to run after a block, by text that identifies the block.
  var then: [String: String] = [:]

  func paste(_ blocks: [Page.Block], of page: Page) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "newcomer-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = folder.appending(path: "page.sh")
    try text(blocks, of: page, in: folder, film: try await Self.film.value).write(to: script, atomically: true, encoding: .utf8)
    let shell = try Program("bash", [script.path])
    let status = try await shell.finish(within: .seconds(150))
    #expect(status == 0, "\(page.path): \(shell.text.suffix(4000))")
  }

  private func text(_ blocks: [Page.Block], of page: Page, in folder: URL, film: String) throws -> String {
    let programs = Program.built("roomserver").deletingLastPathComponent().path
    let (http, rtmp) = (try TCPPort.free(), try TCPPort.free())
    var words = words
    // Pages use default ports and addresses; the test replaces them by free ones of this machine.
    for (word, meant) in [
      "127.0.0.1:8080": "127.0.0.1:\(http)", "127.0.0.1:1935": "127.0.0.1:\(rtmp)",
      "rtmp://127.0.0.1/": "rtmp://127.0.0.1:\(rtmp)/",
      "serve …": "serve",
    ] where words[word] == nil && blocks.contains(where: { $0.text.contains(word) }) {
      words[word] = meant
    }
    var script = """
      cd '\(folder.path)'
      mkdir .build deploy
      ln -s '\(programs)' .build/debug
      ln -s '\(programs)' .build/release
      for each in '\(Page.root.path)'/deploy/*; do ln -s "$each" deploy/; done
      rm deploy/install-packages.sh
      printf '#!/bin/sh\\n' >deploy/install-packages.sh
      chmod +x deploy/install-packages.sh
      export PATH='\(programs)':$PATH ROOMSERVER_PORT=\(http) ROOMSERVER_RTMP_PORT=\(rtmp) ROOMSERVER_MEDIA_PORT=0 ROOMSERVER_WORKERS=1
      export FILM='\(film)'
      export ROOMSERVER_KEY=docs ROOMSERVER_SECRET=a-secret-of-the-tests-of-at-least-32-bytes
      . '\(Self.prelude.path)'
      \(before)

      """
    var (unused, awaited) = (Set(words.keys), Set(then.keys))
    for block in blocks {
      var text = block.text
      for (word, meant) in words.sorted(by: { $0.key.count > $1.key.count }) where text.contains(word) {
        text = text.replacing(word, with: meant)
        unused.remove(word)
      }
      #expect(!text.contains("…"), "\(page.path):\(block.line) contains a placeholder without a replacement: \(text)")
      script += "echo '== \(page.path):\(block.line)'\n"
      script += commands(text)
      for (word, end) in then where block.text.contains(word) {
        script += end + "\n"
        awaited.remove(word)
      }
    }
    #expect(unused.isEmpty && awaited.isEmpty, "\(page.path) has none of \(unused.union(awaited))")
    return script
  }

  /// Settings on their own belong to `roomserver serve`, which is not run for them; and the server starts in the background,
  /// before the commands that follow it.
  private func commands(_ text: String) -> String {
    text.components(separatedBy: "\n").map { line in
      if line.hasPrefix("--") { return "roomserver config " + line }
      guard line.hasPrefix("roomserver serve"), let end = line.range(of: " &") else { return line }
      return line.replacingCharacters(in: end, with: "")
    }.joined(separator: "\n") + "\n"
  }
}
