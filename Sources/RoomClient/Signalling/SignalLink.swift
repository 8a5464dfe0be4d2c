import Foundation
import NIOCore
import RoomProtocol

/// The signalling of one session over one socket after another: calls with their answers, and the pulse that tells a dead
/// socket.
///
/// Belongs to the session's actor.
final class SignalLink {
  let socket: SignalSocket
  private var requests = RequestTable()
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()
  private var lastHeard: ContinuousClock.Instant
  private var lastPing: ContinuousClock.Instant
  private var doubtedSince: ContinuousClock.Instant?
  private static let doubtTime: Duration = .seconds(2)
  /// As the join's answer says.
  var pingInterval: Duration = .seconds(5)

  init(_ socket: SignalSocket, now: ContinuousClock.Instant) {
    self.socket = socket
    lastHeard = now
    lastPing = now
  }

  /// What a message from the server turned out to be.
  enum Heard {
    case event(SignalEvent)
    /// The id of a call that was answered, well or not.
    case answer
    case nonsense(String)
  }

  /// The head that tells answers from events.
  private struct Head: Decodable {
    var id: Int?
    var event: String?
    var error: RoomError?
  }

  /// - Parameter number: of the message, in the order in which they came.
  func heard(_ text: Data, number: Int, now: ContinuousClock.Instant) -> Heard {
    lastHeard = now
    doubtedSince = nil
    do {
      let head = try decoder.decode(Head.self, from: text)
      if head.event != nil { return .event(try decoder.decode(SignalEvent.self, from: text)) }
      guard let id = head.id else { return .nonsense(head.error?.description ?? "a message that is neither answer nor event") }
      if let error = head.error {
        requests.refused(id, with: error)
      } else {
        requests.answered(id, with: RequestTable.Answer(text: text, number: number))
      }
      return .answer
    } catch {
      return .nonsense(String(describing: error))
    }
  }

  /// Puts a call on the wire; `waiter` gets its answer, or an error.
  /// - Parameter settled: waits also for the events that the call causes: a ping goes out behind it, and the server answers in order.
  func call(_ call: SignalCall, settled: Bool, _ waiter: RequestTable.Waiter) -> Int? {
    let id = requests.nextId()
    guard requests.wait(for: id, waiter) else {
      waiter.resume(throwing: RoomClientError.timedOut(call.method))
      return nil
    }
    do {
      socket.send(ByteBuffer(bytes: try encoder.encode(SignalRequest(id: id, call: call))))
      if settled {
        let ping = requests.nextId()
        requests.settle(id, with: ping)
        socket.send(ByteBuffer(bytes: try encoder.encode(SignalRequest(id: ping, call: .ping))))
      }
      return id
    } catch {
      requests.refused(id, with: RoomClientError.protocolViolation(String(describing: error)))
      return nil
    }
  }

  /// Puts a call on the wire whose answer nobody waits for.
  func tell(_ call: SignalCall) {
    guard let text = try? encoder.encode(SignalRequest(id: requests.nextId(), call: call)) else { return }
    socket.send(ByteBuffer(bytes: text))
  }

  func expire(_ id: Int, _ method: String) { requests.refused(id, with: RoomClientError.timedOut(method)) }

  /// Pings at once, and takes the socket for dead where nothing is heard within two seconds.
  func doubt(now: ContinuousClock.Instant) {
    doubtedSince = doubtedSince ?? now
    lastPing = now
    tell(.ping)
  }

  /// Pings when it is time. False when nothing was heard for three intervals: the socket is dead.
  func beat(now: ContinuousClock.Instant) -> Bool {
    if now - lastHeard > pingInterval * 3 { return false }
    if let since = doubtedSince, now - since > Self.doubtTime { return false }
    if now - lastPing >= pingInterval {
      lastPing = now
      tell(.ping)
    }
    return true
  }

  /// Ends it; who waits for an answer gets `error`.
  func end(_ error: RoomClientError, politely: Bool) {
    requests.refuseAll(with: error)
    if politely { socket.close() } else { socket.abandon() }
  }
}
