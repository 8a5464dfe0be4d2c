import Foundation
import RoomLiveKitProtocol
import RoomPeers

/// The PyPI packages `livekit-protocol` and `livekit-api`.
enum Oracle {
  /// A message in three forms.
  struct Sample: Codable {
    var message: String
    /// base64.
    var protobuf: String
    var twirp: String
    var webhook: String
    /// The bytes that were read; base64.
    var original: String?

    init<M: Message>(_ message: M, original: String? = nil) {
      self.message = M.fields.name
      self.original = original
      protobuf = Data(message.protobuf).base64EncodedString()
      twirp = String(decoding: message.json(.twirp), as: UTF8.self)
      webhook = String(decoding: message.json(.webhook), as: UTF8.self)
    }
  }

  struct Answer: Decodable {
    /// What differs.
    var failures: [String]
    /// Random messages.
    var samples: [Sample]
  }

  private struct Question: Encodable {
    var schema: Schema
    var samples: [Sample]
    var messages: [String]
    var count: Int
    var seed: Int
  }

  private static let python = URL(filePath: #filePath).appending(path: "../../../../.venv/bin/python").standardized

  /// Whether the tests' Python environment has the packages.
  static let isInstalled: Bool = {
    guard let probe = try? Program(python, ["-c", "import livekit.protocol.rtc, livekit.api; print('it is there')"]) else {
      return false
    }
    while probe.isRunning { usleep(10_000) }
    return probe.text.contains("it is there")
  }()

  /// Compares the tables and samples, and makes `count` random messages of each type.
  static func compare(_ samples: [Sample], making count: Int, of types: [any Message.Type], seed: Int) async throws -> Answer {
    let question = Question(
      schema: Schema(types), samples: samples, messages: types.map { name(of: $0) }, count: count, seed: seed)
    return try await run("oracle.py", question)
  }

  /// Runs a script of this folder with a question, and returns its answer.
  static func run<Question: Encodable, Answer: Decodable>(_ script: String, _ question: Question) async throws -> Answer {
    let folder = FileManager.default.temporaryDirectory.appending(path: "oracle-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (input, output) = (folder.appending(path: "input.json"), folder.appending(path: "output.json"))
    try JSONEncoder().encode(question).write(to: input)
    let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: script)
    let program = try Program(python, [script.path, input.path, output.path])
    guard try await program.finish(within: .seconds(120)) == 0 else { throw ProgramFailure(what: program.text) }
    return try JSONDecoder().decode(Answer.self, from: try Data(contentsOf: output))
  }

  static func name<M: Message>(of type: M.Type) -> String { M.fields.name }
}
