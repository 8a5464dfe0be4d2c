import Foundation
import RoomPeers
import RoomTestSupport
import Testing

/// `deploy/install-program.sh` removes the debug information of a program, and keeps names for backtraces.
@Suite("Installing a program without its debug information", .timeLimit(.minutes(2)))
struct InstallProgramTests {
  private static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized

  private func run(_ program: String, _ arguments: [String]) async throws -> String {
    let process = try Program(program, arguments)
    #expect(try await process.finish(within: .seconds(60)) == 0, "\(process.text)")
    return process.text
  }

  @Test("the program is smaller, a debugger has the names of its functions, and lines with the symbols beside it")
  func install() async throws {
    let directory = FileManager.default.temporaryDirectory.appending(path: "install-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    func file(_ name: String) -> String { directory.appending(path: name).path }
    let installed = file("bin/crash")
    // A long comment in the debug information: a string of a macro, which -g3 keeps.
    let source = """
      #define LONG "\(String(repeating: "text ", count: 20_000))"
      static __attribute__((noinline)) int deep_inside(int *value) { return *value; }
      int main(int count, char **arguments) { return deep_inside(count > 5 ? &count : 0); }
      """
    try Data(source.utf8).write(to: URL(filePath: file("crash.c")))
    _ = try await run("cc", ["-g3", "-O0", "-o", file("built"), file("crash.c")])
    _ = try await run("bash", [Self.root.appending(path: "deploy/install-program.sh").path, file("built"), installed])
    func size(_ path: String) throws -> Int { try Data(contentsOf: URL(filePath: path)).count }
    #expect(try size(installed) < size(file("built")) - 50_000)
    #expect(try size("\(installed).debug") > 50_000)
    let arguments = ["-q", "-batch", "-ex", "info line deep_inside", "-ex", "info address deep_inside", installed]
    #expect(try await run("gdb", arguments).contains("Line 2 of"))
    try FileManager.default.removeItem(atPath: "\(installed).debug")
    let alone = try await run("gdb", arguments)
    #expect(alone.contains("\"deep_inside\" is at 0x") && !alone.contains("Line 2 of"), "\(alone)")
  }
}
