import Foundation
import RoomPeers
import Testing

/// `libroomclient.so` installed into a folder of the build, as `deploy/install-client.sh` does it.
enum InstalledClient {
  static let root = URL(filePath: #filePath).appending(path: "../../../..").standardized
  private static let folder = root.appending(path: ".build/client-library")
  static let examples = root.appending(path: "Sources/ClientLibrary/examples")
  static let tests = root.appending(path: "Tests/Interop/ClientLibrary/C")
  static let python = root.appending(path: "Sources/ClientLibrary/python")

  private static let installation = Task {
    try await run("deploy/install-client.sh", ["--debug", "--prefix", prefix])
  }

  private static var prefix: String { folder.appending(path: "prefix").path }

  /// Compiles a program in C or C++ with the flags of pkg-config. Returns its path.
  /// - Parameter sanitized: whether AddressSanitizer checks its memory, and that of the library, for leaks.
  static func compile(_ source: URL, sanitized: Bool = true) async throws -> URL {
    try await installation.value
    let program = folder.appending(path: source.deletingPathExtension().lastPathComponent)
    let leaks = tests.appending(path: "leaks.c").path
    let compiler = source.pathExtension == "c" ? "gcc -std=c11 -D_GNU_SOURCE" : "g++ -std=c++17"
    try await shell(
      """
      export PKG_CONFIG_PATH='\(prefix)/lib/pkgconfig'
      \(compiler) -Wall -Wextra -Werror -g \(sanitized ? "-fsanitize=address '\(leaks)'" : "") '\(source.path)' -o '\(program.path)' \
        $(pkg-config --cflags --libs roomclient) -lm -Wl,-rpath,'\(prefix)/lib'
      """)
    return program
  }

  /// Starts a program that `compile` compiled, without the library that `stdbuf` preloads: AddressSanitizer must come first.
  static func start(_ program: URL, _ arguments: [String]) throws -> Program {
    try Program("env", ["-u", "LD_PRELOAD", sanitizerOptions, program.path] + arguments)
  }

  /// The setting of the environment for programs that AddressSanitizer checks.
  static var sanitizerOptions: String {
    "LSAN_OPTIONS=suppressions=\(tests.path)/lsan.supp:print_suppressions=0:leak_check_at_exit=0"
  }

  /// The tests' Python, with NumPy and mypy.
  static var interpreter: String {
    let own = root.appending(path: ".venv/bin/python").path
    return FileManager.default.isExecutableFile(atPath: own) ? own : "python3"
  }

  /// Builds the wheel and installs it into a folder of its own, once. Returns the folder.
  static func installWheel() async throws -> String { try await wheel.value }

  private static let wheel = Task {
    let (wheels, site) = (folder.appending(path: "wheel").path, folder.appending(path: "site").path)
    try await shell(
      """
      rm -rf '\(wheels)' '\(site)'
      wheel=$(PYTHON='\(interpreter)' deploy/build-wheel.sh --debug '\(wheels)')
      '\(interpreter)' -m pip install --quiet --disable-pip-version-check --no-deps --no-index --target '\(site)' "$wheel"
      """)
    return site
  }

  /// Checks the types of a page's blocks in Python, each as a module of its own, against the installed wheel and its py.typed.
  static func checkTypes(of page: Page) async throws {
    let site = try await installWheel()
    let modules = folder.appending(path: "page")
    try? FileManager.default.removeItem(at: modules)
    try FileManager.default.createDirectory(at: modules, withIntermediateDirectories: true)
    for block in page.blocks {
      try Data("\(block.text)\n".utf8).write(to: modules.appending(path: "line\(block.line).py"))
    }
    #expect(page.blocks.count >= 2)
    try await shell(
      """
      cd '\(modules.path)'
      PYTHONPATH='\(site)' '\(interpreter)' -m mypy --strict --cache-dir '\(site)/../mypy' --config-file /dev/null *.py
      """)
  }

  /// Runs commands in the root of the repository.
  static func shell(_ commands: String) async throws {
    try await run("bash", ["-euc", "cd '\(root.path)'\n\(commands)"])
  }

  private static func run(_ command: String, _ arguments: [String]) async throws {
    let path = command.contains("/") ? root.appending(path: command) : URL(filePath: "/usr/bin/\(command)")
    let program = try Program(path, arguments)
    let status = try await program.finish(within: .seconds(180))
    if status != 0 { throw ProgramFailure(what: "\(command) failed with \(status):\n\(program.text)") }
  }
}
