import Foundation

/// A headless Chromium, controlled through its DevTools protocol over a pair of pipes: no port and no driver program.
///
/// It exits when its pipes close, so it never outlives this process.
package final class Chromium: Sendable {
  package struct NotFound: Error, CustomStringConvertible {
    package var description: String { "no Chromium: deploy/test.sh installs one, or CHROMIUM names it" }
  }

  package let devTools: DevTools
  private let process: Process

  /// A browser for all users of this process; each has pages of its own.
  package static func shared() throws -> Chromium { try sharedBrowser.get() }
  private static let sharedBrowser = Result { try Chromium() }

  /// Starts a separate browser, which ends when the object is released.
  /// - Parameters:
  ///   - prefix: words in front of the command, such as those of `nsenter`.
  ///   - autoplays: whether pages may play sound before a user has acted in them.
  package init(prefix: [String] = [], autoplays: Bool = true) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "chromium-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let browser = try Self.executable()
    let toBrowser = Pipe()
    let fromBrowser = Pipe()
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    // Chromium reads commands from descriptor 3 and writes to 4. Its profile is removed when it has exited.
    let script = #"profile=$1; shift; "$@" --user-data-dir="$profile" 3<&0 4>&1 </dev/null >/dev/null 2>&1; rm -rf "$profile""#
    let flags = Self.flags + (autoplays ? ["--autoplay-policy=no-user-gesture-required"] : [])
    process.arguments = ["-c", script, "sh", folder.path] + prefix + [browser] + flags + ["about:blank"]
    process.standardInput = toBrowser
    process.standardOutput = fromBrowser
    try process.run()
    self.process = process
    devTools = DevTools(commands: toBrowser.fileHandleForWriting, answers: fromBrowser.fileHandleForReading)
  }

  private static let flags = [
    "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-extensions",
    "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
    // A browser prepares the pages of its address bar, which nobody sees, in 1.5 s of CPU time: half of its start.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
    "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream",
    "--allow-loopback-in-peer-connection", "--allow-file-access-from-files",
    // Several pages are open concurrently; none may be treated as a background page.
    "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--disable-backgrounding-occluded-windows",
  ]

  private static func executable() throws -> String {
    let named = ProcessInfo.processInfo.environment["CHROMIUM"].map { [$0] }
    for candidate in named ?? ["/usr/bin/chromium", "/usr/bin/google-chrome"]
    where FileManager.default.isExecutableFile(atPath: candidate) {
      return candidate
    }
    throw NotFound()
  }
}
