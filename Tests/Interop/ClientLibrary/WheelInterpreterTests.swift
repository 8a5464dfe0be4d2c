import Foundation
import RoomPeers
import Testing

extension RealMedia {
  /// `deploy/build-wheel.sh` refuses an interpreter that cannot build the wheel, before minutes of a build.
  @Suite("Interpreters that cannot build the wheel of the Python package", .timeLimit(.minutes(2)))
  final class WheelInterpreterTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: folder) }

    /// Expects that the script fails with a message, and builds nothing.
    private func expectRefusal(of python: String, modules: String = "", _ message: String) async throws {
      let output = folder.appending(path: "wheel").path
      let script = InstalledClient.root.appending(path: "deploy/build-wheel.sh").path
      let build = try Program("env", ["PYTHON=\(python)", "PYTHONPATH=\(modules)", script, "--debug", output])
      #expect(try await build.finish(within: .seconds(60)) == 1, "\(build.text)")
      #expect(build.text.contains(message), "\(build.text)")
      // The build of the library prints where it is installed.
      #expect(!build.text.contains("libroomclient"), "\(build.text)")
      #expect(!FileManager.default.fileExists(atPath: output))
    }

    @Test("a missing interpreter is named") func missing() async throws {
      try await expectRefusal(of: "no-such-python", "there is no no-such-python")
    }

    @Test("an old interpreter is refused with its version") func old() async throws {
      let python = folder.appending(path: "python3.8")
      let program = """
        #!/bin/sh
        # The last argument is the script.
        for script; do :; done
        exec python3 -c 'import sys; sys.version_info = (3, 8, 0); exec(open(sys.argv[1]).read())' "$script"

        """
      try Data(program.utf8).write(to: python)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python.path)
      try await expectRefusal(of: python.path, "is Python 3.8.0; the wheel needs Python 3.9 or newer")
    }

    @Test("an environment without pip and setuptools learns how to install both") func bare() async throws {
      let environment = folder.appending(path: "bare").path
      try await InstalledClient.shell("'\(InstalledClient.interpreter)' -m venv --without-pip '\(environment)'")
      let python = "\(environment)/bin/python"
      try await expectRefusal(
        of: python, "\n  \(python) -m ensurepip\n  \(python) -m pip install --upgrade 'setuptools>=70.1'\n")
    }

    @Test("an old setuptools without the package wheel is refused", arguments: ["65.5.0", "59.6.0"])
    func oldSetuptools(version: String) async throws {
      // These packages hide the real ones. 65 lacks the package wheel, and 59 does not read pyproject.toml.
      let hasWheel = version == "59.6.0"
      for package in ["setuptools", "wheel"] {
        let path = folder.appending(path: "old/\(package)")
        try FileManager.default.createDirectory(at: path, withIntermediateDirectories: true)
        try Data("__version__ = '\(version)'\n".utf8).write(to: path.appending(path: "__init__.py"))
        guard package == "wheel", hasWheel else { continue }
        try Data("import setuptools\n".utf8).write(to: path.appending(path: "bdist_wheel.py"))
      }
      try await expectRefusal(
        of: InstalledClient.interpreter, modules: folder.appending(path: "old").path,
        "the wheel needs setuptools 70.1 or newer. Run:\n")
    }
  }
}
