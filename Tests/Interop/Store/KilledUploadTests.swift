import Foundation
import RoomPeers
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("Uploads of a killed server")
  struct KilledUploadTests {
    private struct Stored: Decodable {
      struct Upload: Decodable, Hashable {
        var id: String
        var name: String
        var bytes: Int
      }
      var upload: Upload
    }

    private struct List: Decodable { var uploads: [Stored.Upload] }

    private func list(_ server: ServerProcess) async throws -> [Stored.Upload] {
      try JSONDecoder().decode(List.self, from: Data(try await server.api("GET", "/v1/uploads").body.utf8)).uploads
    }

    /// Starts a program that uploads a file, and prints the answer.
    private func upload(_ file: String, to server: ServerProcess, _ options: [String] = []) throws -> (
      curl: Process, answer: Pipe
    ) {
      let program: URL = try #require(Program.path("curl"))
      let (curl, answer) = (Process(), Pipe())
      curl.executableURL = program
      curl.arguments =
        ["-s", "-X", "POST", "-T", file, "-H", "Authorization: Bearer \(try server.apiToken())"] + options
        + ["http://127.0.0.1:\(server.port)/v1/uploads?name=film.mp4"]
      curl.standardOutput = answer
      try curl.run()
      return (curl, answer)
    }

    @Test("a server that is killed has every upload that it answered, and nothing of the one that was arriving")
    func kill() async throws {
      let root = FileManager.default.temporaryDirectory.appending(path: "uploads-\(UUID().uuidString)")
      let (folder, film) = (root.appending(path: "stored").path, root.appending(path: "film.mp4"))
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: root) }
      let content = Data(repeating: 7, count: 3_000_000)
      try content.write(to: film)
      func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }

      let arguments = ["--upload-directory", folder, "--workers", "1"]
      let first = try await ServerProcess(arguments)
      let whole = try upload(film.path, to: first)
      let answer = whole.answer.fileHandleForReading.readDataToEndOfFile()
      let stored = try JSONDecoder().decode(Stored.self, from: answer).upload
      // It takes a minute.
      let slow = try upload(film.path, to: first, ["--limit-rate", "50k"])
      defer { slow.curl.terminate() }
      try await eventually("the second one arrives") { try names().contains { $0.hasSuffix(".part") } }
      first.kill()

      let second = try await ServerProcess(arguments)
      #expect(try await list(second) == [stored] && stored.name == "film.mp4" && stored.bytes == content.count)
      #expect(try names() == [".\(stored.id).json", stored.id])
      #expect(FileManager.default.contents(atPath: "\(folder)/\(stored.id)") == content)
      second.kill()
    }
  }
}
