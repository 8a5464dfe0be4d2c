import Foundation
import RoomRTP
import RoomProtocol

/// A client that uses signalling without media. Confined to its loop's thread.
final class SignalBot: TCPBot {
  typealias Answer = (Result<[UInt8], LoadtestError>) -> Void

  /// Timeout of a response, in microseconds.
  private static let patience: Int64 = 20_000_000

  let socket: TCPSocket
  /// When the connection attempt started.
  let began: Instant
  private(set) var failure: String?
  private var frames: SignalFrames
  private var unsent: [UInt8] = []
  private var lastId = 0
  private var waiting: (until: Instant, done: Answer)?

  init(_ socket: TCPSocket, _ frames: SignalFrames, now: Instant) {
    self.socket = socket
    self.frames = frames
    began = now
  }

  /// Number of text messages received, and their bytes.
  var messages: Int { frames.messages }
  var messageBytes: Int { frames.messageBytes }

  var isInHaste: Bool { waiting != nil }
  var hasUnsent: Bool { !unsent.isEmpty && failure == nil }

  /// Sends a request and calls `done` with the response's text. Only one request may be pending.
  func ask(_ call: SignalCall, now: Instant, _ done: @escaping Answer) {
    if let failure { return done(.failure(.refused(failure))) }
    guard waiting == nil else { return done(.failure(.refused("another request is pending"))) }
    lastId += 1
    do { frames.send(try JSONEncoder().encode(SignalRequest(id: lastId, call: call))) } catch {
      return done(.failure(.refused("\(error)")))
    }
    frames.keepsMessages = true
    waiting = (now.advanced(microseconds: Self.patience), done)
    send()
  }

  func send() {
    guard failure == nil else { return }
    unsent += frames.takeOutput()
    if !unsent.isEmpty, !socket.send(&unsent) { fail("the connection failed") }
    if let waiting, waiting.until < TCPBotSet.now { fail("the request timed out") }
  }

  func read(into space: UnsafeMutableRawBufferPointer, now: Instant) {
    guard failure == nil else { return }
    switch socket.receive(into: space) {
    case .nothing: break
    case .closed(let reason): fail(reason)
    case .bytes(let count):
      var reason: String?
      do throws(LoadtestError) {
        try frames.receive(UnsafeRawBufferPointer(rebasing: space[..<count]))
      } catch { reason = "\(error)" }
      // The response to `leave` arrives just before the connection closes.
      for message in frames.takeMessages() { look(at: message) }
      if let reason { fail(reason) }
      send()
    }
  }

  /// The fields that distinguish responses from events.
  private struct Head: Decodable {
    var id: Int?
  }

  private func look(at message: [UInt8]) {
    guard let waiting, (try? JSONDecoder().decode(Head.self, from: Data(message)))?.id == lastId else { return }
    self.waiting = nil
    frames.keepsMessages = false
    waiting.done(.success(message))
  }

  private func fail(_ reason: String) {
    failure = reason
    waiting?.done(.failure(.refused(reason)))
    waiting = nil
  }
}
