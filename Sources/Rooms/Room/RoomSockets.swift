import Logging
import NIOCore
import RoomProtocol

/// The sockets and encoders of a room's participants: writes what they get, each event once for all of them.
struct RoomSockets {
  /// Recipients to whom an event is sent without waiting for others.
  private static let few = 8

  /// The sockets of participants that are connected.
  private var clients: [ConnectionID: any SignalOutlet] = [:]
  private var encoders: [ConnectionID: any RoomEncoder] = [:]
  /// The socket whose request is being carried out.
  private var caller: (id: ConnectionID, outlet: any SignalOutlet)?
  /// Whether the last request was refused.
  private(set) var wasRefused = false
  /// Of the answer to the last join.
  private var written = WrittenParticipants()
  private let log: Logger
  private let count: @Sendable (RoomCount) -> Void

  init(log: Logger, count: @escaping @Sendable (RoomCount) -> Void) {
    self.log = log
    self.count = count
  }

  // MARK: Who is there

  /// A request of this socket is carried out until ``endCall()``.
  mutating func beginCall(on outlet: any SignalOutlet) -> ConnectionID {
    let id = ConnectionID(outlet)
    caller = (id, outlet)
    wasRefused = false
    return id
  }

  mutating func endCall() { caller = nil }

  /// The socket that calls belongs to a participant from now on.
  mutating func attach(_ id: ConnectionID) { if let caller, caller.id == id { clients[id] = caller.outlet } }
  mutating func detach(_ id: ConnectionID) { clients[id] = nil }

  mutating func add(_ encoder: any RoomEncoder) -> ConnectionID {
    let id = ConnectionID(encoder)
    encoders[id] = encoder
    return id
  }

  mutating func remove(_ encoder: any RoomEncoder) { encoders[ConnectionID(encoder)] = nil }

  // MARK: What they get

  /// Another socket continues the session.
  mutating func replace(_ id: ConnectionID) { clients.removeValue(forKey: id)?.close(.replaced) }

  mutating func end(_ id: ConnectionID, _ ended: EndedData) {
    if let encoder = encoders.removeValue(forKey: id) { return encoder.ended(ended) }
    guard let outlet = clients.removeValue(forKey: id) else { return }
    if ended.reason != .left, let message = written(.ended(ended)) { outlet.send(message) }
    outlet.close(ended.reason == .serverStopping ? .serverStopping : .sessionEnded)
  }

  mutating func answer(_ id: ConnectionID, _ request: Int, _ result: Result<any Codable & Sendable, RoomError>) {
    if let outlet = clients[id] ?? (caller?.id == id ? caller?.outlet : nil) { answer(request, result, on: outlet) }
  }

  /// Answers a join.
  mutating func welcome(_ id: ConnectionID, _ request: Int, _ result: JoinResult) {
    guard let outlet = clients[id] else { return }
    do throws(SignalWriter.Unwritable) {
      outlet.send(try SignalWriter.joined(result, id: request, &written))
    } catch { unwritable(request, error, on: outlet) }
  }

  mutating func answer(_ request: Int, _ result: Result<any Codable & Sendable, RoomError>, on outlet: any SignalOutlet) {
    switch result {
    case .success(let value):
      do throws(SignalWriter.Unwritable) {
        outlet.send(try SignalWriter.result(value, id: request))
      } catch { unwritable(request, error, on: outlet) }
    case .failure(let error):
      wasRefused = true
      outlet.send(SignalWriter.error(error, id: request))
    }
  }

  func send(_ event: SignalEvent, to id: ConnectionID) {
    if let outlet = clients[id], let message = written(event) { outlet.send(message) }
  }

  /// An event goes to many: it is written once.
  func broadcast(_ event: SignalEvent, to recipients: RoomOutput.Recipients) {
    guard !clients.isEmpty, let message = written(event) else { return }
    let patience = event.patience
    switch recipients {
    case .everyone(let besides): for (id, outlet) in clients where id != besides { outlet.gather(message, patience) }
    // To send to a few at once costs little.
    case .these(let ids) where ids.count <= Self.few: for id in ids { clients[id]?.send(message) }
    case .these(let ids): for id in ids { clients[id]?.gather(message, patience) }
    }
  }

  /// Nil, and logged, for an event that can't be written: nobody gets it.
  private func written(_ event: SignalEvent) -> ByteBuffer? {
    do throws(SignalWriter.Unwritable) { return try SignalWriter.event(event) } catch {
      unwritable("the event \(event.name)", error.reason)
      return nil
    }
  }

  /// The client waits for an answer.
  private func unwritable(_ request: Int, _ error: SignalWriter.Unwritable, on outlet: any SignalOutlet) {
    unwritable("an answer", error.reason)
    let error = RoomError(.unknownMessage, "the call is carried out, but its answer can't be written")
    outlet.send(SignalWriter.error(error, id: request))
  }

  private func unwritable(_ what: String, _ reason: String) {
    count(.unwritable)
    log.error("\(what) can't be written", metadata: ["reason": "\(reason)"])
  }
}

extension SignalEvent {
  fileprivate var patience: SignalPatience {
    switch self {
    case .joined, .left, .connectionChanged: .long
    default: .short
    }
  }
}

extension ConnectionID {
  /// Names an object for as long as the room holds it.
  init(_ object: AnyObject) { self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object)))) }
}
