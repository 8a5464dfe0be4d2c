import Foundation
import Glibc
import RoomPeers
import RoomServer
import RoomTestSupport
import Testing

/// A headless Firefox, controlled by its Marionette protocol over a loopback socket: no driver program.
///
/// A sound server of its own takes the sound: without a device Firefox runs no AudioContext.
final class Firefox: Sendable {
  static let program = ["/usr/bin/firefox-esr", "/usr/bin/firefox"].first { FileManager.default.isExecutableFile(atPath: $0) }

  private let process: Process
  private let profile: URL
  private let sound: SoundServer
  private let marionette: Marionette

  private static func start(prefix: [String]) async throws -> Firefox {
    guard let program else { throw BrowserFailure(description: "no Firefox") }
    let profile = FileManager.default.temporaryDirectory.appending(path: "firefox-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: profile, withIntermediateDirectories: true)
    let preferences: [(String, String)] = [
      ("marionette.port", "0"), ("media.navigator.streams.fake", "true"), ("media.navigator.permission.disabled", "true"),
      ("media.autoplay.default", "0"), ("media.autoplay.blocking_policy", "0"),

      ("browser.shell.checkDefaultBrowser", "false"), ("datareporting.policy.dataSubmissionEnabled", "false"),
      ("app.update.enabled", "false"), ("browser.aboutConfig.showWarning", "false"),
      ("network.captive-portal-service.enabled", "false"), ("network.connectivity-service.enabled", "false"),
      ("media.gmp-manager.updateEnabled", "false"),
      ("services.settings.server", "\"data:,\""), ("browser.safebrowsing.update.enabled", "false"),
      ("extensions.systemAddon.update.enabled", "false"), ("dom.disable_open_during_load", "false"),
    ]
    let lines = preferences.map { "user_pref(\"\($0.0)\", \($0.1));" }.joined(separator: "\n")
    try lines.write(to: profile.appending(path: "user.js"), atomically: true, encoding: .utf8)
    let sound = try await SoundServer(sinks: ["speaker"])
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      prefix + [
        program, "--headless", "--no-remote", "--marionette", "-remote-allow-system-access", "--profile", profile.path,
        "about:blank",
      ]
    process.environment = ProcessInfo.processInfo.environment.merging([
      "HOME": profile.path, "MOZ_HEADLESS": "1", "PULSE_SERVER": sound.address,
    ]) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    do {
      let file = profile.appending(path: "MarionetteActivePort")
      let port: UInt16 = try await eventually("Firefox listens", within: .seconds(90)) {
        guard process.isRunning else { throw BrowserFailure(description: "Firefox has ended") }
        return (try? String(contentsOf: file, encoding: .utf8)).flatMap {
          UInt16($0.trimmingCharacters(in: .whitespacesAndNewlines))
        }
      }
      let marionette = try await Marionette.connect(to: port, prefix: prefix)
      try await marionette.call("WebDriver:NewSession", ["capabilities": ["alwaysMatch": ["acceptInsecureCerts": true]]])
      try await marionette.call("WebDriver:SetTimeouts", ["script": 60_000])
      return Firefox(process, profile, sound, marionette)
    } catch {
      process.terminate()
      throw error
    }
  }

  /// Runs a scenario in a browser of its own, which ends with the scenario.
  /// - Parameter prefix: words in front of the command, such as those of `nsenter`.
  static func run(prefix: [String] = [], _ scenario: (Firefox) async throws -> Void) async throws {
    let firefox = try await start(prefix: prefix)
    do { try await scenario(firefox) } catch {
      await firefox.quit()
      throw error
    }
    await firefox.quit()
  }

  /// Lets media listen on the addresses of all interfaces: Firefox offers no loopback candidates, and reaches no server on the
  /// loopback address from others.
  static func reach(_ configuration: inout ServerConfiguration) { configuration.media.bind = ["127.0.0.1", "::"] }

  private init(_ process: Process, _ profile: URL, _ sound: SoundServer, _ marionette: Marionette) {
    (self.process, self.profile, self.sound, self.marionette) = (process, profile, sound, marionette)
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// Whether the browser has ended. `Process` learns it later, when the browser's helpers have closed what they inherited.
  private var hasEnded: Bool {
    var state = siginfo_t()
    let found = waitid(P_PID, id_t(process.processIdentifier), &state, WEXITED | WNOHANG | WNOWAIT)
    return found != 0 || state.si_signo != 0
  }

  /// Ends the browser, and removes its profile.
  private func quit() async {
    _ = try? await marionette.call("Marionette:Quit", ["flags": ["eForceQuit"]])
    do { try await eventually("Firefox ends", within: .seconds(10)) { hasEnded } } catch {
      kill(process.processIdentifier, SIGKILL)
    }
    sound.stop()
    try? FileManager.default.removeItem(at: profile)
  }

  /// Opens an empty page in a window of its own.
  /// - Parameter script: a script that runs before every document loaded afterwards.
  func page(script: String = "") async throws -> FirefoxPage {
    struct Opened: Decodable { let handle: String }
    // A new window needs one that exists.
    let window = try await anyWindow()
    let opened = try await marionette.call("WebDriver:NewWindow", ["type": "window", "focus": true], in: window)
    let page = FirefoxPage(marionette: marionette, handle: try JSONDecoder().decode(Opened.self, from: opened).handle)
    try await page.runFirst(FirefoxPage.recording + "\n" + script)
    return page
  }

  private func anyWindow() async throws -> String? {
    try JSONDecoder().decode([String].self, from: try await marionette.call("WebDriver:GetWindowHandles", [:])).first
  }
}
