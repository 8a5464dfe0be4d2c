import Foundation
import RoomPeers
import RoomRTP
import RoomProtocol
import RoomTestSupport
import RoomWebRTC
import Testing

/// A signalling client of bytes and JSON: it sends what the test specifies, in order or out of it.
final class SignalClient: Sendable {
  let wire: Wire
  private let state = Shared(State())
  private let reading = Shared<Task<Void, Never>?>(nil)

  struct State {
    var lastId = 0
    var answers: [Int: Data] = [:]
    /// Errors without an id, or with an id of at least 1000: those of requests that a test sends by hand.
    var errors: [RoomError] = []
    var events: [SignalEvent] = []
    /// Answers by their ids and events by their names, in the order of their arrival.
    var heard: [String] = []
    var pings = 0
    var pongs = 0
    /// Binary messages that no test has taken.
    var binaries: [[UInt8]] = []
    var closeCode: UInt16?
  }

  private init(_ wire: Wire) { self.wire = wire }

  /// - Parameters:
  ///   - forwardedFor: the `X-Forwarded-For` header of a proxy.
  ///   - trusted: connects with TLS to the server with this certificate.
  static func connect(
    port: UInt16, path: String = "/v1/signal", forwardedFor: String? = nil, trusting trusted: String? = nil
  ) async throws -> SignalClient {
    let wire = try await Wire.connect(port: port, trusting: trusted)
    let handshake = handshake.replacing("/v1/signal", with: path)
    wire.send(forwardedFor.map { handshake.replacing("Upgrade: ", with: "X-Forwarded-For: \($0)\r\nUpgrade: ") } ?? handshake)
    let response = try await wire.response()
    guard response.status == 101, response.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" else {
      throw DidNotHappen(what: "a WebSocket")
    }
    let client = SignalClient(wire)
    client.startReading()
    return client
  }

  /// The example of RFC 6455 §1.3.
  static let handshake =
    "GET /v1/signal HTTP/1.1\r\nHost: test\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"

  /// Reads until the socket is closed: a client that the test has released still answers pings and close frames.
  private func startReading() {
    let task = Task {
      while !Task.isCancelled {
        guard let frame = try? await wire.next(within: .milliseconds(200), Frame.init(taking:)) else {
          if wire.isClosed { return }
          continue
        }
        received(frame)
      }
    }
    reading.withLock { $0 = task }
  }

  private func received(_ frame: Frame) {
    switch frame.opcode {
    case 1: received(Data(frame.payload))
    case 2: state.withLock { $0.binaries.append(frame.payload) }
    case 8:
      let code = frame.payload.count >= 2 ? UInt16(frame.payload[0]) << 8 | UInt16(frame.payload[1]) : 1005
      state.withLock { $0.closeCode = code }
      send(Frame(opcode: 8, payload: Array(frame.payload.prefix(2))))
    case 9:
      state.withLock { $0.pings += 1 }
      send(Frame(opcode: 10, payload: frame.payload))
    case 10: state.withLock { $0.pongs += 1 }
    default: break
    }
  }

  private func received(_ json: Data) {
    struct Kind: Decodable {
      var id: Int?
      var event: String?
      var error: RoomError?
    }
    guard let kind = try? JSONDecoder().decode(Kind.self, from: json) else { return }
    let event = kind.event == nil ? nil : try? JSONDecoder().decode(SignalEvent.self, from: json)
    state.withLock { state in
      state.heard.append(kind.event ?? kind.id.map { "\($0)" } ?? "error")
      if let event {
        state.events.append(event)
      } else if let id = kind.id, id < 1000 {
        state.answers[id] = json
      } else if let error = kind.error {
        state.errors.append(error)
      }
    }
  }

  /// Removes and returns the binary messages received so far.
  func takeBinaries() -> [[UInt8]] {
    state.withLock { state in
      defer { state.binaries = [] }
      return state.binaries
    }
  }

  // MARK: Saying

  func send(_ frame: Frame) { wire.send(frame.bytes(masked: true)) }
  func send(_ json: String) { send(Frame(opcode: 1, payload: Array(json.utf8))) }

  /// Sends a call and waits for its answer.
  func call<Result: Codable & Sendable>(_ call: SignalCall, _: Result.Type = Empty.self) async throws -> Result {
    switch try await answer(to: call, Result.self) {
    case .result(_, let result): return result
    case .error(_, let error): throw error
    }
  }

  /// Returns the error that a call is answered with; nil if it succeeds.
  func error(of call: SignalCall) async throws -> RoomError? {
    switch try await answer(to: call, JSONValue.self) {
    case .result: nil
    case .error(_, let error): error
    }
  }

  private func answer<Result: Codable & Sendable>(to call: SignalCall, _: Result.Type) async throws -> SignalAnswer<Result> {
    let id = state.withLock { state in
      state.lastId += 1
      return state.lastId
    }
    send(String(decoding: try JSONEncoder().encode(SignalRequest(id: id, call: call)), as: UTF8.self))
    let json = try await eventually("the answer to \(call.method)") {
      state.withLock { $0.answers.removeValue(forKey: id) }
    }
    return try JSONDecoder().decode(SignalAnswer<Result>.self, from: json)
  }

  @discardableResult
  func join(
    _ token: String, autoSubscribe: Bool? = nil, audioLevels: Bool? = nil, resume: SessionID? = nil
  ) async throws -> JoinResult {
    try await call(
      .join(JoinParams(token: token, autoSubscribe: autoSubscribe, audioLevels: audioLevels, resume: resume)), JoinResult.self)
  }

  /// Closes the connection without a close frame.
  func kill() {
    reading.withLock { $0?.cancel() }
    wire.close()
  }

  // MARK: Hearing

  var events: [SignalEvent] { state.withLock { $0.events } }
  var heard: [String] { state.withLock { $0.heard } }
  var pings: Int { state.withLock { $0.pings } }
  var closeCode: UInt16? { state.withLock { $0.closeCode } }

  /// Removes and returns the first event that `pick` accepts.
  func event<Value: Sendable>(
    _ what: String, within time: Duration = .seconds(60), _ pick: @Sendable (SignalEvent) -> Value?
  ) async throws -> Value {
    try await eventually("\(what), after receiving \(events.map(\.name))", within: time) {
      state.withLock { state in
        for (index, event) in state.events.enumerated() {
          if let value = pick(event) {
            state.events.remove(at: index)
            return value
          }
        }
        return nil
      }
    }
  }

  /// Returns the next error that is not an answer to a call of this client.
  func nextError() async throws -> RoomError {
    try await eventually("an error") {
      state.withLock { $0.errors.isEmpty ? nil : $0.errors.removeFirst() }
    }
  }

  func pong() async throws { try await eventually("a pong") { state.withLock { $0.pongs > 0 } } }

  /// Waits until the server has closed the socket; returns the code of its close frame.
  @discardableResult
  func closed(within time: Duration = .seconds(60)) async throws -> UInt16? {
    try await eventually("the close", within: time) { wire.isClosed }
    return closeCode
  }
}

/// Any JSON, ignored.
struct JSONValue: Codable, Sendable {
  init(from decoder: any Decoder) throws {}
  func encode(to encoder: any Encoder) throws {}
}

/// A WebSocket frame (RFC 6455 §5.2).
struct Frame: Sendable {
  var opcode: UInt8
  var isFinal = true
  var payload: [UInt8]

  init(opcode: UInt8, isFinal: Bool = true, payload: [UInt8]) {
    self.opcode = opcode
    self.isFinal = isFinal
    self.payload = payload
  }

  /// Removes a complete frame from the front; nil if it is not complete yet.
  init?(taking bytes: inout [UInt8]) {
    guard bytes.count >= 2 else { return nil }
    var length = Int(bytes[1] & 0x7F)
    var start = 2
    if length >= 126 {
      let width = length == 126 ? 2 : 8
      guard bytes.count >= 2 + width else { return nil }
      length = bytes[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
      start += width
    }
    guard bytes.count >= start + length else { return nil }
    opcode = bytes[0] & 0x0F
    isFinal = bytes[0] & 0x80 != 0
    payload = Array(bytes[start..<start + length])
    bytes.removeFirst(start + length)
  }

  func bytes(masked: Bool) -> [UInt8] {
    var bytes = [(isFinal ? 0x80 : 0) | opcode]
    let mask: UInt8 = masked ? 0x80 : 0
    switch payload.count {
    case ..<126: bytes.append(mask | UInt8(payload.count))
    case ..<65536: bytes += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default: bytes += [mask | 127] + (0..<8).reversed().map { UInt8(payload.count >> ($0 * 8) & 0xFF) }
    }
    guard masked else { return bytes + payload }
    let key: [UInt8] = [0x37, 0xFA, 0x21, 0x3D]
    return bytes + key + payload.enumerated().map { $0.element ^ key[$0.offset & 3] }
  }
}

extension SignalClient {
  /// Publishes on a new transport.
  @discardableResult
  func publish(_ codecs: RTPCodec..., tag: String = "camera") async throws -> [TrackInfo] {
    var publisher = TestPublisher()
    let result = try await call(.publish(try publisher.publish(codecs, tag: tag)), PublishResult.self)
    try publisher.accept(result)
    return result.tracks.map(\.track)
  }

  /// Returns the next offer of the server.
  func offer() async throws -> OfferData {
    try await event("an offer") { if case .offer(let data) = $0 { data } else { nil } }
  }
}
