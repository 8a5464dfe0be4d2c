import Foundation
import Glibc
import Synchronization

/// Firefox's Marionette protocol: JSON arrays, each after its length and a colon. One command at a time.
final class Marionette: Sendable {
  private let queue = DispatchQueue(label: "marionette")
  private let connection: Mutex<(socket: Int32, pending: [UInt8], last: Int, window: String?)>

  private init(_ socket: Int32) { connection = Mutex((socket, [], 0, nil)) }

  deinit { _ = connection.withLock { Glibc.close($0.socket) } }

  /// - Parameter prefix: if not empty, the browser is in another network, which `nc` in it reaches.
  static func connect(to port: UInt16, prefix: [String]) async throws -> Marionette {
    let socket: Int32
    if prefix.isEmpty {
      socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
      let connected = withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          Glibc.connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
      guard connected == 0 else { throw BrowserFailure(description: "Firefox's port \(port) refuses") }
    } else {
      var ends: [Int32] = [0, 0]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
        throw BrowserFailure(description: "no socket pair")
      }
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      let script = """
        import socket, sys, threading, os
        peer = socket.create_connection(('127.0.0.1', \(port)))
        def up():
          while data := os.read(0, 65536): peer.sendall(data)
          os._exit(0)
        threading.Thread(target=up, daemon=True).start()
        while data := peer.recv(65536): os.write(1, data)
        """
      process.arguments = prefix + ["/usr/bin/python3", "-c", script]
      let end = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
      process.standardInput = end
      process.standardOutput = end
      try process.run()
      socket = ends[0]
    }
    let marionette = Marionette(socket)
    _ = try await marionette.perform { try $0.read() }
    return marionette
  }

  private func perform<Value: Sendable>(_ body: @escaping @Sendable (Marionette) throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      queue.async { continuation.resume(with: Result { try body(self) }) }
    }
  }

  /// Performs a command, in a window if one is named. Returns its result as JSON.
  @discardableResult
  func call(_ command: String, _ params: [String: Any], in window: String? = nil) async throws -> Data {
    let body = try JSONSerialization.data(withJSONObject: params)
    return try await perform { marionette in
      if let window, marionette.connection.withLock({ $0.window }) != window {
        _ = try marionette.exchange(
          "WebDriver:SwitchToWindow", JSONSerialization.data(withJSONObject: ["handle": window]))
        marionette.connection.withLock { $0.window = window }
      }
      if command == "WebDriver:CloseWindow" { marionette.connection.withLock { $0.window = nil } }
      return try marionette.exchange(command, body)
    }
  }

  /// Runs a script with the rights of the browser's own code, in the window of a page.
  func script(_ text: String, in window: String?) async throws {
    try await call("Marionette:SetContext", ["value": "chrome"], in: window)
    // The context is that of every later command.
    do { try await call("WebDriver:ExecuteScript", ["script": text, "args": [String]()]) } catch {
      try await call("Marionette:SetContext", ["value": "content"])
      throw error
    }
    try await call("Marionette:SetContext", ["value": "content"])
  }

  /// Sends a command, and returns the result as JSON.
  private func exchange(_ command: String, _ params: Data) throws -> Data {
    let id = connection.withLock { state in
      state.last += 1
      return state.last
    }
    let body = Array("[0,\(id),\"\(command)\",".utf8) + params + Array("]".utf8)
    try write(Array("\(body.count):".utf8) + body)
    while true {
      guard let list = try JSONSerialization.jsonObject(with: try read()) as? [Any], list.count == 4 else { continue }
      guard list[1] as? Int == id else { continue }
      if let error = list[2] as? [String: Any] {
        throw BrowserFailure(description: "\(command): \(error["error"] ?? "") \(error["message"] ?? "")")
      }
      return try JSONSerialization.data(
        withJSONObject: list[3] is NSNull ? [String: Any]() : list[3], options: .fragmentsAllowed)
    }
  }

  private func write(_ bytes: [UInt8]) throws {
    let socket = connection.withLock { $0.socket }
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { throw BrowserFailure(description: "Firefox has closed its connection") }
      sent += count
    }
  }

  /// Returns the next message.
  private func read() throws -> Data {
    let socket = connection.withLock { $0.socket }
    while true {
      let message: Data? = connection.withLock { state in
        guard let colon = state.pending.firstIndex(of: UInt8(ascii: ":")),
          let length = Int(String(decoding: state.pending[..<colon], as: UTF8.self)), state.pending.count >= colon + 1 + length
        else { return nil }
        let message = Data(state.pending[(colon + 1)..<(colon + 1 + length)])
        state.pending.removeFirst(colon + 1 + length)
        return message
      }
      if let message { return message }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = Glibc.read(socket, &buffer, buffer.count)
      guard count > 0 else { throw BrowserFailure(description: "Firefox has closed its connection") }
      connection.withLock { $0.pending += buffer[..<count] }
    }
  }
}
