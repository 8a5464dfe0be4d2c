import Logging
import NIOCore
import RoomProtocol
import RoomSFU

/// The sockets and encoders of a room's participants. Encodes each event once for all recipients.
struct RoomSockets {
  /// Maximum number of recipients for which an event is sent without batching.
  private static let few = 8

  /// The sockets of connected participants.
  private var clients: [ConnectionID: any SignalOutlet] = [:]
  /// The sockets of clients that take values instead of messages.
  private var readers: [ConnectionID: any ValueOutlet] = [:]
  private var encoders: [ConnectionID: any RoomEncoder] = [:]
  /// The sockets and encoders of a room that departs, until they are redirected; nil for a room that stays.
  private var departing: (clients: [any SignalOutlet], encoders: [any RoomEncoder])?
  /// The socket whose request is being performed.
  private var caller: (id: ConnectionID, outlet: any SignalOutlet)?
  /// Whether the last request failed.
  private(set) var wasRefused = false
  /// The encoded participants of the answer to the last join.
  private var written = WrittenParticipants()
  private let log: Logger
  private let count: @Sendable (RoomCount) -> Void

  init(log: Logger, count: @escaping @Sendable (RoomCount) -> Void) {
    self.log = log
    self.count = count
  }

  // MARK: Connections

  /// Starts a request of this socket, which ends with ``endCall()``.
  mutating func beginCall(on outlet: any SignalOutlet) -> ConnectionID {
    let id = ConnectionID(outlet)
    caller = (id, outlet)
    wasRefused = false
    return id
  }

  mutating func endCall() { caller = nil }

  /// Assigns the calling socket to a participant.
  mutating func attach(_ id: ConnectionID) {
    guard let caller, caller.id == id else { return }
    if let reader = caller.outlet as? any ValueOutlet { readers[id] = reader } else { clients[id] = caller.outlet }
  }

  mutating func detach(_ id: ConnectionID) { _ = take(id) }

  private mutating func take(_ id: ConnectionID) -> (any SignalOutlet)? {
    clients.removeValue(forKey: id) ?? readers.removeValue(forKey: id)
  }

  mutating func add(_ encoder: any RoomEncoder) -> ConnectionID {
    let id = ConnectionID(encoder)
    encoders[id] = encoder
    return id
  }

  mutating func remove(_ encoder: any RoomEncoder) { encoders[ConnectionID(encoder)] = nil }

  // MARK: Sending

  /// Closes a socket whose session continues on another.
  mutating func replace(_ id: ConnectionID) { take(id)?.close(.replaced) }

  /// Retains the sockets and encoders that end from now on, until ``redirect(_:)``.
  mutating func depart() { departing = ([], []) }

  /// Ends the sockets and encoders that were retained.
  mutating func redirect(_ ended: EndedData) {
    guard let (clients, encoders) = departing else { return }
    departing = nil
    for encoder in encoders { encoder.ended(ended) }
    for outlet in clients { finish(outlet, ended, .serverStopping) }
  }

  mutating func end(_ id: ConnectionID, _ ended: EndedData) {
    if departing != nil {
      if let encoder = encoders.removeValue(forKey: id) { departing?.encoders.append(encoder) }
      if let outlet = take(id) { departing?.clients.append(outlet) }
      return
    }
    if let encoder = encoders.removeValue(forKey: id) { return encoder.ended(ended) }
    guard let outlet = take(id) else { return }
    finish(outlet, ended, ended.reason == .serverStopping ? .serverStopping : .sessionEnded)
  }

  /// Sends the reason, unless the client left by itself, and closes.
  private func finish(_ outlet: any SignalOutlet, _ ended: EndedData, _ reason: CloseReason) {
    if ended.reason != .left || ended.room != nil {
      if let reader = outlet as? any ValueOutlet {
        reader.deliver(.event(.ended(ended)))
      } else if let message = written(.ended(ended)) {
        outlet.send(message)
      }
    }
    outlet.close(reason)
  }

  mutating func answer(_ id: ConnectionID, _ request: Int, _ result: Result<any Codable & Sendable, RoomError>) {
    if let outlet = clients[id] ?? readers[id] ?? (caller?.id == id ? caller?.outlet : nil) {
      answer(request, result, on: outlet)
    }
  }

  /// Answers a join.
  mutating func welcome(_ id: ConnectionID, _ request: Int, _ result: JoinResult) {
    readers[id]?.deliver(.welcome(request: request, result))
    guard let outlet = clients[id] else { return }
    do throws(SignalWriter.Unwritable) {
      outlet.send(try SignalWriter.joined(result, id: request, &written))
    } catch { unwritable(request, error, on: outlet) }
  }

  mutating func answer(_ request: Int, _ result: Result<any Codable & Sendable, RoomError>, on outlet: any SignalOutlet) {
    if let reader = outlet as? any ValueOutlet {
      if case .failure = result { wasRefused = true }
      return reader.deliver(.answer(request: request, result))
    }
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
    readers[id]?.deliver(.event(event))
  }

  /// Sends a value to a client of another protocol.
  func deliver(_ value: RoomDelivery, to id: ConnectionID) { readers[id]?.deliver(value) }

  /// Passes on what a client of another protocol sent over a data channel. Returns false for one of this server's own.
  func deliver(_ message: DataMessage, of id: ConnectionID) -> Bool {
    guard let reader = readers[id] else { return false }
    reader.deliver(.message(message))
    return true
  }

  /// Sends an event to many recipients, encoded once.
  func broadcast(_ event: SignalEvent, to recipients: RoomOutput.Recipients) {
    deliver(event, to: recipients)
    guard !clients.isEmpty, let message = written(event) else { return }
    let delay = event.batchDelay
    switch recipients {
    case .everyone(let besides): for (id, outlet) in clients where id != besides { outlet.gather(message, delay) }
    // Sending to a few at once is cheap.
    case .these(let ids) where ids.count <= Self.few: for id in ids { clients[id]?.send(message) }
    case .these(let ids): for id in ids { clients[id]?.gather(message, delay) }
    }
  }

  private func deliver(_ event: SignalEvent, to recipients: RoomOutput.Recipients) {
    guard !readers.isEmpty else { return }
    switch recipients {
    case .everyone(let besides): for (id, reader) in readers where id != besides { reader.deliver(.event(event)) }
    case .these(let ids): for id in ids { readers[id]?.deliver(.event(event)) }
    }
  }

  /// Encodes an event. Returns nil, and logs it, if that fails: the event is not sent.
  private func written(_ event: SignalEvent) -> ByteBuffer? {
    do throws(SignalWriter.Unwritable) { return try SignalWriter.event(event) } catch {
      unwritable("the event \(event.name)", error.reason)
      return nil
    }
  }

  /// Sends an error if an answer can't be encoded: the client waits for one.
  private func unwritable(_ request: Int, _ error: SignalWriter.Unwritable, on outlet: any SignalOutlet) {
    unwritable("an answer", error.reason)
    let error = RoomError(.unknownMessage, "the call was performed, but its answer can't be encoded")
    outlet.send(SignalWriter.error(error, id: request))
  }

  private func unwritable(_ what: String, _ reason: String) {
    count(.unwritable)
    log.error("\(what) can't be encoded", metadata: ["reason": "\(reason)"])
  }
}

extension SignalEvent {
  fileprivate var batchDelay: BatchDelay {
    switch self {
    case .joined, .left, .connectionChanged: .long
    default: .short
    }
  }
}

extension ConnectionID {
  /// Identifies an object for as long as the room retains it.
  package init(_ object: AnyObject) { self.init(UInt64(UInt(bitPattern: ObjectIdentifier(object)))) }
}
