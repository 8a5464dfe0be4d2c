import Foundation
import RoomTestSupport
import Synchronization
import Testing

/// A client by LiveKit's Python SDK in a process of its own (`livekit_peer.py`).
final class LiveKitPeer: Sendable {
  struct Track: Decodable, Sendable {
    var name: String
    var kind: String
    var source: String
    var muted: Bool
    var subscribed: Bool
    var simulcast: Bool
    /// Pictures decoded so far.
    var frames: Int
    /// The width of the last picture in pixels.
    var width: Int
    /// The mean of the last samples, of 32767.
    var energy: Double
  }

  struct Participant: Decodable, Sendable {
    var sid: String
    var name: String
    var metadata: String
    var attributes: [String: String]
    /// By sid.
    var tracks: [String: Track]

    func track(_ kind: String) -> Track? { tracks.values.first { $0.kind == kind } }
  }

  struct Packet: Decodable, Sendable, Equatable {
    var topic: String
    var text: String
    /// Empty for the server.
    var sender: String
    var reliable: Bool
  }

  struct Text: Decodable, Sendable, Equatable {
    var sender: String
    var text: String
  }

  struct File: Decodable, Sendable, Equatable {
    var size: Int
    var sha256: String
  }

  /// What came of an RPC, or of several.
  struct Answer: Decodable, Sendable, Equatable {
    var payload: String?
    var code: Int?
    var message: String?
    /// Milliseconds.
    var median: Double?
    var longest: Double?
  }

  struct State: Decodable, Sendable {
    var connected: Bool
    /// Why it was disconnected.
    var reason: String?
    var room: String
    /// That of the room.
    var metadata: String
    var me: Participant
    /// By identity.
    var others: [String: Participant]
    var events: [String]
    var data: [Packet]
    /// The lossy packets of `flood` that arrived.
    var flooded: Int
    var texts: [Text]
    /// By sender; `me` for what it sent itself.
    var files: [String: File]
    var answers: [Answer]
    /// Packets sent of the video `simulcast`, by rid.
    var layers: [String: Int]
    /// The rids of its layers that are not paused.
    var encoded: [String]
  }

  private struct Output: Sendable {
    var state: State?
    var failure: String?
    var rest: [UInt8] = []
  }

  private struct Failure: Decodable { var failure: String }

  private let process: Process
  private let input: FileHandle
  private let output = Mutex(Output())

  static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  static let python = root.appending(path: ".venv/bin/python").path

  /// Whether the tests' Python environment has the SDK.
  static let isInstalled: Bool = {
    let probe = Process()
    probe.executableURL = URL(filePath: python)
    probe.arguments = ["-c", "import livekit.rtc"]
    probe.standardError = FileHandle.nullDevice
    guard FileManager.default.isExecutableFile(atPath: python), (try? probe.run()) != nil else { return false }
    probe.waitUntilExit()
    return probe.terminationStatus == 0
  }()

  /// The text of the page that the package has for notebooks. It has the JavaScript SDK, and placeholders for the URL and the token.
  static var notebookPage: String {
    get throws {
      let library = root.appending(path: ".venv/lib")
      let version = try #require(try FileManager.default.contentsOfDirectory(atPath: library.path).first)
      let path = "\(version)/site-packages/livekit/rtc/resources/jupyter-html/index.html"
      return try String(contentsOf: library.appending(path: path), encoding: .utf8)
    }
  }

  /// The peer connections of a client. The SDK has one by default, as those for the web; mobile SDKs have two.
  enum Connections: CaseIterable { case single, two }

  /// Starts a client that joins.
  /// - Parameter dynacast: whether it pauses layers that nobody needs.
  init(_ url: String, token: String, dynacast: Bool = false, _ connections: Connections = .single) throws {
    process = Process()
    process.executableURL = URL(filePath: Self.python)
    process.arguments = [Self.root.appending(path: "Tests/Interop/LiveKit/livekit_peer.py").path, url, token]
    if dynacast { process.arguments?.append("dynacast") }
    if connections == .two { process.arguments?.append("two-connections") }
    let toPeer = Pipe()
    let fromPeer = Pipe()
    process.standardInput = toPeer
    process.standardOutput = fromPeer
    process.standardError = FileHandle.nullDevice
    input = toPeer.fileHandleForWriting
    try process.run()
    let handle = fromPeer.fileHandleForReading
    let reader = Thread { [weak self] in
      while true {
        let bytes = handle.availableData
        if bytes.isEmpty { return }
        self?.read(bytes)
      }
    }
    reader.start()
  }

  deinit {
    try? input.close()
    if process.isRunning { process.terminate() }
  }

  private func read(_ bytes: Data) {
    output.withLock { output in
      output.rest += bytes
      while let end = output.rest.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(output.rest[..<end])
        output.rest.removeSubrange(...end)
        if let state = try? JSONDecoder().decode(State.self, from: line) { output.state = state }
        if let failure = try? JSONDecoder().decode(Failure.self, from: line) { output.failure = failure.failure }
      }
    }
  }

  /// What it last printed.
  var state: State? { output.withLock { $0.state } }
  /// Why it could not join.
  var failure: String? { output.withLock { $0.failure } }

  /// Makes it do something: `publish video`, `mute audio`, `unsubscribe TR_…`, `permit bob:audio`, `quality TR_… LOW`, `leave`.
  func tell(_ command: String) throws { try input.write(contentsOf: Data("\(command)\n".utf8)) }

  /// Waits until its state satisfies `condition`.
  func reaches(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: (State) -> Bool
  ) async throws {
    do {
      try await eventually(what, within: .seconds(30), sourceLocation: sourceLocation) { state.map(condition) ?? false }
    } catch {
      print("The LiveKit client: \(failure ?? "") \(state.map { "\($0)" } ?? "no state")")
      throw error
    }
  }
}
