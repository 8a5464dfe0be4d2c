import RoomRTMP
import RoomTestSupport
import Testing

@testable import RoomServer

@Suite("Peers without a token that send and never read")
struct UnreadAnswersTests {
  private static let handshake = [3] + [UInt8](repeating: 0, count: 3072)

  private static func chunks(_ messages: RTMPMessage...) -> [UInt8] {
    var writer = ChunkWriter()
    var bytes: [UInt8] = []
    for message in messages { writer.write(message, on: .command, into: &bytes) }
    return bytes
  }

  private static let connected =
    handshake + chunks(RoomRTMP.Command("connect", transaction: 1, object: .object(["app": "live"])).message())

  enum Flood: String, CaseIterable, CustomTestStringConvertible {
    case pings, calls, createStream, unknown, play, pingRequest, unfinished

    var testDescription: String { rawValue }
    var isRTMP: Bool { self != .pings && self != .calls }

    /// The bytes that are sent once.
    var beginning: [UInt8] {
      switch self {
      case .pings, .calls: Array(SignalClient.handshake.utf8)
      case .play: connected + chunks(RoomRTMP.Command("createStream", transaction: 2).message())
      default: connected
      }
    }

    /// The bytes that are sent repeatedly.
    var repeated: [UInt8] {
      switch self {
      case .pings: Frame(opcode: 9, payload: [UInt8](repeating: 0, count: 125)).bytes(masked: true)
      case .calls: Frame(opcode: 1, payload: Array(#"{"id":1,"method":"ping"}"#.utf8)).bytes(masked: true)
      case .createStream: chunks(RoomRTMP.Command("createStream", transaction: 2).message())
      case .unknown: chunks(RoomRTMP.Command("x", transaction: 2).message())
      // Rejected without being counted: the stream has no name.
      case .play: chunks(RoomRTMP.Command("play", arguments: [.string("")]).message(on: MessageStreamID(1)))
      case .pingRequest: chunks(RTMPMessage(type: .userControl, payload: [0, 6, 0, 0, 0, 0]))
      case .unfinished: [7, 0, 0, 0, 0x7f, 0xff, 0xff, 9, 1, 0, 0, 0] + [UInt8](repeating: 0, count: 128)
      }
    }
  }

  /// Sends as much as the server reads, on several connections in turn.
  private func flood(_ sockets: [RawSocket], _ pattern: [UInt8], for time: Duration) -> Int {
    let block = Array(repeatElement(pattern, count: max(1, 32768 / pattern.count)).joined())
    var rests = sockets.map { _ in block[...] }
    var sent = 0
    let deadline = ContinuousClock.now + time
    while ContinuousClock.now < deadline {
      for (index, socket) in sockets.enumerated() {
        let count = socket.send(rests[index])
        sent += count
        rests[index] = count == rests[index].count ? block[...] : rests[index].dropFirst(count)
      }
    }
    return sent
  }

  @Test("cost the server less than 4 MiB each", arguments: Flood.allCases)
  func costsLittle(kind: Flood) async throws {
    try await TestServer.with {
      $0.origin.threads = 1
      $0.keepAlive.silence = .seconds(4)
      $0.keepAlive.joinTime = .seconds(60)
      $0.origin.timeouts = .init(step: 4_000_000, idle: 4_000_000, silence: 2_000_000, pingAnswer: 2_000_000)
    } _: { server in
      let port = kind.isRTMP ? try #require(server.server.rtmpPort) : server.server.port
      let before = try await server.metric("process_resident_memory_bytes")
      // With a small buffer the kernel itself stops the pings.
      let sockets = try (0..<4).map { _ in try RawSocket(port: port, receiveBuffer: kind.isRTMP ? 4096 : nil) }
      for socket in sockets { socket.send(kind.beginning) }
      let open = kind.isRTMP ? "roomserver_rtmp_connections" : "roomserver_signalling_sockets"
      try await eventually("they are connected") { try await server.metric(open) == 4 }
      let sent = flood(sockets, kind.repeated, for: .seconds(2))
      let growth = try await server.metric("process_resident_memory_bytes") - before
      #expect(growth < 4 * 4 << 20, "\(growth) bytes for \(sent) sent")
      // A debug build needs long to read the rest of the signalling floods from the kernel.
      if kind.isRTMP { try await eventually("they are closed") { try await server.metric(open) == 0 } }
      withExtendedLifetime(sockets) {}
    }
  }

  @Test("the unread data of a socket that never joined is discarded with it")
  func leftBehind() async throws {
    try await TestServer.with {
      $0.limits.messageBurst = 1
      $0.limits.messagesPerSecond = 10
    } _: { server in
      let socket = try RawSocket(port: server.server.port)
      socket.send(SignalClient.handshake.utf8)
      try await eventually("it is open") { try await server.metric("roomserver_signalling_sockets") == 1 }
      let pings = repeatElement(Flood.calls.repeated, count: 60).joined()
      let join = #"{"id":2,"method":"join","params":{"token":"\#(try server.token("ghost"))","version":1}}"#
      socket.send(Array(pings) + Frame(opcode: 1, payload: Array(join.utf8)).bytes(masked: true))
      socket.send(Frame(opcode: 8, payload: [3, 232]).bytes(masked: true))
      try await eventually("it is closed") { try await server.metric("roomserver_signalling_sockets") == 0 }
      // At the limit of 10 per second, reading them takes six seconds.
      var last = (count: -1, since: ContinuousClock.now)
      try await eventually("nothing of it is read any more", within: .seconds(3)) {
        let count = try await server.metric(#"roomserver_limits_hit_total{limit="message_rate"}"#)
        if count != last.count { last = (count, .now) }
        return ContinuousClock.now - last.since > .milliseconds(500)
      }
    }
  }
}
