/// The client side of a WebSocket (RFC 6455) without socket and clock: its output and the messages received.
///
/// Messages are counted, and kept only on request: a thousand clients must cost less than the server that they measure.
struct SignalFrames {
  private enum State {
    case handshake
    case header
    case payload(rest: Int)
  }

  /// Maximum size of an HTTP response header, in bytes.
  private static let longestHead = 16 << 10
  private static let mask: [UInt8] = [0x5A, 0xC3, 0x96, 0x0F]

  private var state = State.handshake
  /// The part of the HTTP header or frame header received so far.
  private var head: [UInt8] = []
  private var opcode: UInt8 = 0
  private var payload: [UInt8] = []
  private var isKept = false
  private var kept: [[UInt8]] = []
  private var output: [UInt8]

  /// Whether messages that start from now on are kept.
  var keepsMessages = false
  /// Number of complete text messages received, and their bytes.
  private(set) var messages = 0
  private(set) var messageBytes = 0

  /// - Parameter path: the path, including the query.
  init(host: String, port: UInt16, path: String) {
    output = Array(
      """
      GET \(path) HTTP/1.1\r\nHost: \(host):\(port)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
      Sec-WebSocket-Key: bG9hZHRlc3QtY3Jvd2QtMQ==\r\nSec-WebSocket-Version: 13\r\n\r\n
      """.utf8)
  }

  /// Returns and clears the pending output.
  mutating func takeOutput() -> [UInt8] {
    defer { output = [] }
    return output
  }

  /// Sends a text message.
  mutating func send(_ text: some Collection<UInt8>) { send(opcode: 1, text) }

  private mutating func send(opcode: UInt8, _ bytes: some Collection<UInt8>) {
    output.append(0x80 | opcode)
    switch bytes.count {
    case ..<126: output.append(0x80 | UInt8(bytes.count))
    case ..<0x1_0000: output += [0x80 | 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
    default: output += [0x80 | 127] + (0..<8).map { UInt8(bytes.count >> (56 - 8 * $0) & 0xFF) }
    }
    output += Self.mask
    for (index, byte) in bytes.enumerated() { output.append(byte ^ Self.mask[index & 3]) }
  }

  /// Returns and clears the kept messages.
  mutating func takeMessages() -> [[UInt8]] {
    defer { kept = [] }
    return kept
  }

  /// Processes bytes read from the socket.
  /// - Throws: ``LoadtestError/refused(_:)`` with the reason if the connection has to end.
  mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(LoadtestError) {
    var offset = 0
    while offset < bytes.count {
      switch state {
      case .handshake:
        head.append(bytes[offset])
        offset += 1
        try readResponse()
      case .header:
        head.append(bytes[offset])
        offset += 1
        try readHeader()
      case .payload(let rest):
        let count = min(rest, bytes.count - offset)
        if isKept { payload += bytes[offset..<offset + count] }
        offset += count
        state = .payload(rest: rest - count)
        if count == rest { try finish() }
      }
    }
  }

  private mutating func readResponse() throws(LoadtestError) {
    guard head.count < Self.longestHead else { throw .refused("the server's HTTP response header is too long") }
    guard head.suffix(4) == [13, 10, 13, 10] else { return }
    let line = String(decoding: head.prefix { $0 != 13 }, as: UTF8.self)
    guard line.hasPrefix("HTTP/1.1 101") else { throw .refused("the server did not accept the WebSocket: \(line)") }
    head.removeAll(keepingCapacity: true)
    state = .header
  }

  private mutating func readHeader() throws(LoadtestError) {
    guard head.count >= 2 else { return }
    let short = Int(head[1])
    let size = short == 127 ? 10 : short == 126 ? 4 : 2
    guard head.count == size else { return }
    guard head[0] & 0xF0 == 0x80, [1, 8, 9, 10].contains(head[0] & 0x0F), short < 128 else {
      throw .refused("unsupported WebSocket frame: \(head[0]), \(head[1])")
    }
    let length = size == 2 ? UInt64(short) : head[2...].reduce(0) { $0 << 8 | UInt64($1) }
    guard length <= 64 << 20 else { throw .refused("a message of \(length) bytes is too long") }
    opcode = head[0] & 0x0F
    head.removeAll(keepingCapacity: true)
    isKept = opcode != 1 || keepsMessages
    if opcode == 1 { messageBytes += Int(length) }
    state = .payload(rest: Int(length))
    if length == 0 { try finish() }
  }

  private mutating func finish() throws(LoadtestError) {
    state = .header
    defer { payload = [] }
    switch opcode {
    case 1:
      messages += 1
      if isKept { kept.append(payload) }
    case 8:
      let code = payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
      throw .refused("the server closed the socket: \(code) \(String(decoding: payload.dropFirst(2), as: UTF8.self))")
    case 9: send(opcode: 10, payload)
    default: break
    }
  }
}
