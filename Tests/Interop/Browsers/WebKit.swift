import Foundation
import FoundationNetworking
import Glibc
import RoomPeers
import RoomTestSupport
import Testing

/// WebKitGTK's browser on a display of its own, controlled by WebDriver (W3C) over loopback HTTP. One page.
struct WebKit: WebPage, @unchecked Sendable {
  // Unchecked: Program has no state that changes after its start but the process itself.
  private static let browser = ["4.1", "4.0"].map { "/usr/lib/x86_64-linux-gnu/webkit2gtk-\($0)/MiniBrowser" }
    .first { FileManager.default.isExecutableFile(atPath: $0) }
  private static let driver = "/usr/bin/WebKitWebDriver"

  static var isInstalled: Bool { browser != nil && FileManager.default.isExecutableFile(atPath: driver) }

  private let display: Program
  private let driver: Process
  private let port: UInt16
  private let session: String

  /// The browser does not answer, or shows nothing. WebKitGTK hangs in one of four tries on a machine with software rendering.
  private struct Unresponsive: Error, CustomStringConvertible { let description: String }

  /// Starts a browser and calls `body` with its page. If the browser hangs, `body` begins again with another one, four times at most.
  static func run(_ body: (WebKit) async throws -> Void) async throws {
    for attempt in 1...4 {
      let browser = try await start()
      do {
        try await body(browser)
        return try await browser.close()
      } catch {
        try await browser.close()
        guard error is Unresponsive, attempt < 4 else { throw error }
        print("WebKitGTK hangs; another one starts: \(error)")
      }
    }
  }

  /// Starts a browser, which ends with ``close()``.
  private static func start() async throws -> WebKit {
    guard let browser else { throw BrowserFailure(description: "no WebKitGTK") }
    let display = try Program("Xvfb", ["-displayfd", "1", "-screen", "0", "1000x700x24", "-nolisten", "tcp", "-noreset"])
    let number = try await eventually("Xvfb serves") {
      display.text.firstMatch(of: /(?m)^(\d+)$/).map { String($0.1) }
    }
    let port = try freePort()
    let driver = Process()
    driver.executableURL = URL(filePath: Self.driver)
    driver.arguments = ["--host=127.0.0.1", "--port=\(port)"]
    let home = FileManager.default.temporaryDirectory.appending(path: "webkit-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
    driver.environment = ProcessInfo.processInfo.environment.merging([
      "DISPLAY": ":\(number)", "HOME": home.path, "XDG_RUNTIME_DIR": home.path, "GDK_BACKEND": "x11",
      // The sandbox of the web process needs user namespaces, which a container may not permit.
      "WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS": "1", "WEBKIT_FORCE_SANDBOX": "0", "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
      "LIBGL_ALWAYS_SOFTWARE": "1", "NO_AT_BRIDGE": "1", "GSETTINGS_BACKEND": "memory",
    ]) { $1 }
    driver.standardOutput = FileHandle.nullDevice
    driver.standardError = FileHandle.nullDevice
    try driver.run()
    do {
      struct Created: Decodable { let sessionId: String }
      let options: [String: Any] = ["binary": browser, "args": ["--automation"]]
      let wanted = try JSONSerialization.data(
        withJSONObject: ["capabilities": ["alwaysMatch": ["webkitgtk:browserOptions": options]]])
      let created: Created = try await eventually("WebKitGTK starts", within: .seconds(60)) {
        guard driver.isRunning else { throw BrowserFailure(description: "the driver has ended") }
        return try? await request("POST", port, "/session", wanted)
      }
      let webKit = WebKit(display, driver, port, created.sessionId)
      let _: Ignored = try await webKit.order("/timeouts", ["script": 10_000])
      return webKit
    } catch {
      driver.terminate()
      display.stop()
      throw error
    }
  }

  private init(_ display: Program, _ driver: Process, _ port: UInt16, _ session: String) {
    (self.display, self.driver, self.port, self.session) = (display, driver, port, session)
  }

  func go(to url: String) async throws {
    let _: Ignored = try await order("/url", ["url": url])
  }

  func evaluate<Result: Decodable>(_ expression: String) async throws -> Result {
    let answer: PageScript.Answer = try await order(
      "/execute/async", ["script": PageScript.text(expression), "args": [String]()])
    return try answer.decoded(expression)
  }

  /// Waits until an expression says that the page plays.
  func plays(_ expression: String) async throws {
    do { try await wait(until: expression, within: .seconds(40)) } catch let error as BrowserFailure {
      throw Unresponsive(description: error.description)
    }
  }

  func close() async throws {
    let _: Ignored? = try? await Self.request("DELETE", port, "/session/\(session)", nil)
    driver.terminate()
    try? await eventually("the driver ends", within: .seconds(10)) { !driver.isRunning }
    if driver.isRunning { kill(driver.processIdentifier, SIGKILL) }
    display.stop()
  }

  private struct Ignored: Decodable { init(from decoder: any Decoder) {} }

  private func order<Value: Decodable>(_ path: String, _ body: [String: Any]) async throws -> Value {
    let data = try JSONSerialization.data(withJSONObject: body)
    do { return try await Self.request("POST", port, "/session/\(session)\(path)", data) } catch let error as URLError
      where error.code == .timedOut
    {
      throw Unresponsive(description: "no answer to \(path)")
    } catch {
      throw BrowserFailure(description: "\(path) \(body): \(error)")
    }
  }

  private struct Answer<Value: Decodable>: Decodable { let value: Value }

  private static func request<Value: Decodable>(
    _ method: String, _ port: UInt16, _ path: String, _ body: Data?
  ) async throws -> Value {
    var request = URLRequest(url: URL(string: "http://127.0.0.1:\(port)\(path)") ?? URL(filePath: "/"))
    request.httpMethod = method
    // Longer than a script may take, and than a page may load.
    request.timeoutInterval = 25
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = body
    let (data, response) = try await URLSession.shared.data(for: request)
    guard (response as? HTTPURLResponse)?.statusCode == 200 else {
      throw BrowserFailure(description: "\(path): \(String(decoding: data.prefix(300), as: UTF8.self))")
    }
    return try JSONDecoder().decode(Answer<Value>.self, from: data).value
  }

  /// Returns a TCP port that nobody listens on. The driver takes no 0.
  private static func freePort() throws -> UInt16 {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port: UInt16? = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { raw in
        bind(socket, raw, length) == 0 && getsockname(socket, raw, &length) == 0
      } ? UInt16(bigEndian: pointer.pointee.sin_port) : nil
    }
    guard let port else { throw BrowserFailure(description: "no free port") }
    return port
  }
}
