import Foundation
import NIOCore
import RoomProtocol

/// The signalling over one socket: calls with their answers, and the pings that detect a dead socket.
///
/// Confined to the session's actor.
final class SignalLink {
  let socket: SignalSocket
  private var requests = RequestTable()
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()
  private var lastHeard: ContinuousClock.Instant
  private var lastPing: ContinuousClock.Instant
  private var probedSince: ContinuousClock.Instant?
  private static let doubtTime: Duration = .seconds(2)
  /// The ping interval of the join's answer.
  var pingInterval: Duration = .seconds(5)

  init(_ socket: SignalSocket, now: ContinuousClock.Instant) {
    self.socket = socket
    lastHeard = now
    lastPing = now
  }

  /// The kind of a received message.
  enum Heard {
    case event(SignalEvent)
    /// An answer to a call: a result or an error.
    case answer
    case invalid(String)
  }

  /// The fields that distinguish answers from events.
  private struct Head: Decodable {
    var id: Int?
    var event: String?
    var error: RoomError?
  }

  /// Processes a received message.
  /// - Parameter number: the message's number, in the order of arrival.
  func heard(_ text: Data, number: Int, now: ContinuousClock.Instant) -> Heard {
    lastHeard = now
    probedSince = nil
    do {
      let head = try decoder.decode(Head.self, from: text)
      if head.event != nil { return .event(try decoder.decode(SignalEvent.self, from: text)) }
      guard let id = head.id else { return .invalid(head.error?.description ?? "a message that is neither answer nor event") }
      if let error = head.error {
        requests.refused(id, with: error)
      } else {
        requests.answered(id, with: RequestTable.Answer(text: text, number: number))
      }
      return .answer
    } catch {
      return .invalid(String(describing: error))
    }
  }

  /// Sends a call. `waiter` receives its answer or an error.
  /// - Parameter settled: whether to also wait for the events that the call causes. A ping follows the call, and the server
  ///   answers in order.
  /// - Returns: whether the call was sent.
  func call(_ call: SignalCall, id: Int, settled: Bool, _ waiter: RequestTable.Waiter) -> Bool {
    guard requests.wait(for: id, waiter) else {
      waiter.resume(throwing: RoomClientError.timedOut(call.method))
      return false
    }
    do {
      socket.send(ByteBuffer(bytes: try encoder.encode(SignalRequest(id: id, call: call))))
      if settled {
        let ping = requests.nextId()
        requests.settle(id, with: ping)
        socket.send(ByteBuffer(bytes: try encoder.encode(SignalRequest(id: ping, call: .ping))))
      }
      return true
    } catch {
      requests.refused(id, with: RoomClientError.protocolViolation(String(describing: error)))
      return false
    }
  }

  /// Sends a call and ignores its answer.
  func tell(_ call: SignalCall) {
    guard let text = try? encoder.encode(SignalRequest(id: requests.nextId(), call: call)) else { return }
    socket.send(ByteBuffer(bytes: text))
  }

  /// Returns the id for the next call.
  func nextId() -> Int { requests.nextId() }

  /// Ends the wait for an answer. The server may carry out the call nevertheless.
  func abandon(_ id: Int, with error: any Error) { requests.refused(id, with: error) }

  /// Pings at once. The socket is considered dead if nothing arrives within two seconds.
  func probe(now: ContinuousClock.Instant) {
    probedSince = probedSince ?? now
    lastPing = now
    tell(.ping)
  }

  /// Pings when due. Returns false if nothing arrived for three intervals: the socket is dead.
  func pingIfDue(now: ContinuousClock.Instant) -> Bool {
    if now - lastHeard > pingInterval * 3 { return false }
    if let since = probedSince, now - since > Self.doubtTime { return false }
    if now - lastPing >= pingInterval {
      lastPing = now
      tell(.ping)
    }
    return true
  }

  /// Closes the socket. Pending calls fail with `error`.
  func end(_ error: RoomClientError, politely: Bool) {
    requests.refuseAll(with: error)
    if politely { socket.close() } else { socket.abandon() }
  }
}
