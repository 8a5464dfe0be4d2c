import Foundation
import RoomTestSupport
import Synchronization
import Testing

/// A third-party WHIP or WHEP client in a process of its own (`Tests/Interop/WHIP`). It prints one JSON object per line and
/// exits when its standard input closes.
final class HTTPPeer: Sendable {
  /// A line of output; each event has some of these fields.
  struct Line: Decodable, Sendable {
    var event: String
    /// Status of a response.
    var status: Int?
    /// State of the peer's connection.
    var state: String?
    /// Number of pictures decoded so far.
    var frames: Int?
    var changes: Int?
    var samples: Int?
    /// Size of the last picture, and the YUV value of its centre.
    var size: [Int]?
    var colour: [Int]?
    /// RMS of the last audio, relative to full scale 1, and its frequency in Hz.
    var energy: Double?
    var frequency: Int?
    /// GStreamer's cipher and authentication numbers for each DTLS association.
    var ciphers: [[Int]]?
  }

  private struct State {
    var lines: [String: Line] = [:]
    var rest: [UInt8] = []
    var hasEnded = false
  }

  private let process: Process
  private let input: FileHandle
  private let state = Mutex(State())
  private let name: String

  /// Starts aiortc from the tests' own Python environment.
  static func aiortc(_ arguments: String...) throws -> HTTPPeer {
    let own = root.appending(path: ".venv/bin/python").path
    let python = FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
    return try HTTPPeer(python, "aiortc_peer.py", arguments)
  }

  /// Starts GStreamer's webrtcbin; its Python bindings are Debian's.
  static func gstreamer(_ arguments: String...) throws -> HTTPPeer {
    try HTTPPeer("/usr/bin/python3", "gstreamer_viewer.py", arguments)
  }

  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private init(_ python: String, _ script: String, _ arguments: [String]) throws {
    name = script
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [python, Self.root.appending(path: "Tests/Interop/WHIP/\(script)").path] + arguments
    let toPeer = Pipe()
    let fromPeer = Pipe()
    process.standardInput = toPeer
    process.standardOutput = fromPeer
    input = toPeer.fileHandleForWriting
    try process.run()
    let output = fromPeer.fileHandleForReading
    let reader = Thread { [weak self] in
      while true {
        let bytes = output.availableData
        self?.read(bytes)
        if bytes.isEmpty { return }
      }
    }
    reader.start()
  }

  deinit { try? input.close() }

  private func read(_ bytes: Data) {
    state.withLock { state in
      state.hasEnded = bytes.isEmpty
      state.rest += bytes
      while let end = state.rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(state.rest[..<end])
        state.rest.removeSubrange(...end)
        guard let line = try? JSONDecoder().decode(Line.self, from: line) else { continue }
        state.lines[line.event] = line
      }
    }
  }

  /// Returns the last line with that event.
  func last(_ event: String) -> Line? { state.withLock { $0.lines[event] } }

  /// The last report of decoded media.
  var decoded: Line { last("decoded") ?? Line(event: "decoded") }

  /// Waits until the decoded media satisfies `condition`.
  func decodes(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: (Line) -> Bool
  ) async throws {
    do {
      try await eventually(what, within: .seconds(60), sourceLocation: sourceLocation) {
        if state.withLock({ $0.hasEnded }) { throw Ended(name: name) }
        return condition(decoded)
      }
    } catch {
      print("\(name) decoded \(decoded), its connection is \(last("state")?.state ?? "new")")
      throw error
    }
  }

  struct Ended: Error, CustomStringConvertible {
    let name: String
    var description: String { "\(name) has ended" }
  }

  /// Makes the peer end its session. Returns the status of its DELETE.
  func end() async throws -> Int? {
    try input.write(contentsOf: Data("\n".utf8))
    try await eventually("\(name) has ended") { !process.isRunning && state.withLock { $0.hasEnded } }
    return last("ended")?.status
  }
}
