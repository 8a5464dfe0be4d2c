import Foundation
import Glibc

/// A request of WHIP or WHEP, of the bots of this program alone.
struct FloorRequest {
  private static let limit = 65_536

  let method: String
  let path: String
  let body: String

  /// Reads a request from a connection, for at most a second. Returns nil if none comes.
  init?(from connection: Int32) {
    var bytes = Data()
    var chunk = [UInt8](repeating: 0, count: 16_384)
    while bytes.count < Self.limit {
      if let whole = Self.parse(bytes) {
        self = whole
        return
      }
      var waiting = pollfd(fd: connection, events: Int16(POLLIN), revents: 0)
      guard poll(&waiting, 1, 1000) > 0 else { return nil }
      let count = read(connection, &chunk, chunk.count)
      guard count > 0 else { return nil }
      bytes.append(contentsOf: chunk[..<count])
    }
    return nil
  }

  private init(method: String, path: String, body: String) { (self.method, self.path, self.body) = (method, path, body) }

  private static func parse(_ bytes: Data) -> FloorRequest? {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3 else { return nil }
    let length = lines.first { $0.lowercased().hasPrefix("content-length:") }?.split(separator: ":").last
    let count = length.flatMap { Int($0.trimmingCharacters(in: .whitespaces)) } ?? 0
    let body = bytes[end.upperBound...]
    guard body.count >= count else { return nil }
    return FloorRequest(
      method: String(words[0]), path: String(words[1]), body: String(decoding: body.prefix(count), as: UTF8.self))
  }

  /// Answers with 201 and a session description, or with 200.
  static func answer(_ sdp: String?, to connection: Int32) {
    let body = sdp ?? ""
    let text = """
      HTTP/1.1 \(sdp == nil ? "200 OK" : "201 Created")\r
      Content-Type: application/sdp\r
      Location: /session\r
      Content-Length: \(body.utf8.count)\r
      Connection: close\r
      \r
      \(body)
      """
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
      guard count > 0 else { return }
      sent += count
    }
  }
}
