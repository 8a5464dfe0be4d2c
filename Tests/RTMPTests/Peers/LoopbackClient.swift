import Foundation
import RoomRTMP
import RoomRTP

/// A minimal client around `ClientSession`.
final class LoopbackClient {
  private let socket: LoopbackSocket
  private(set) var session: ClientSession
  private var output: [UInt8] = []
  private(set) var events: [ClientEvent] = []

  init(
    _ purpose: ClientSession.Purpose, port: UInt16, app: String = "live", stream: String = "studio",
    options: ClientSession.Options = .init()
  ) throws {
    socket = try LoopbackSocket.connected(port: port)
    let address = RTMPAddress(host: "127.0.0.1", port: port, app: app, stream: stream)
    session = ClientSession(purpose, address, options: options, now: Self.now)
  }

  static var now: Instant { Instant(microseconds: Int64(ProcessInfo.processInfo.systemUptime * 1_000_000)) }

  /// Reads, writes and does what is due, for at most 10 ms.
  func turn() {
    output += session.takeOutput()
    if !socket.write(&output) { session.disconnected() }
    LoopbackSocket.wait([socket])
    if let bytes = socket.read() {
      bytes.withUnsafeBytes { session.receive($0, now: Self.now) }
    } else {
      session.disconnected()
    }
    session.advance(to: Self.now)
    while let event = session.nextEvent() { events.append(event) }
    output += session.takeOutput()
    _ = socket.write(&output)
  }

  /// Runs turns until the session is active or has ended.
  func start() { while !session.isActive, !session.isClosed { turn() } }

  /// Sends each message at its timestamp, counted from now, while `isWanted` returns true.
  func publish(_ messages: [MediaMessage], while isWanted: () -> Bool = { true }) {
    let begin = Self.now
    for message in messages where isWanted() {
      while Self.now - begin < Int64(message.timestamp) * 1000, !session.isClosed { turn() }
      session.send(message)
    }
    turn()
  }

  func end() {
    session.end()
    turn()
    socket.finish()
  }

  var failure: SessionFailure? {
    events.compactMap { if case .closed(let failure) = $0 { failure } else { nil } }.first
  }

  var played: [MediaMessage] { events.compactMap { if case .media(let media) = $0 { media } else { nil } } }
}
