public import RoomRTP

/// The data channels of one peer over one SCTP association (RFC 8831, RFC 8832), without I/O.
///
/// The value's owner calls it as `SCTPAssociation` describes. The association begins with `start`, or with the other side's
/// first packet.
public final class DataChannels {
  /// The limits of this side.
  public struct Limits: Sendable, Hashable {
    public var channels = 64
    /// The maximum number of bytes of a label, and of a subprotocol.
    public var label = 1024

    public init() {}
  }

  private struct Channel {
    var properties: DataChannel
    /// Whether both sides know the channel. Until then, messages of an unordered channel keep their order, behind the one that
    /// opens it (RFC 8832 §6).
    var isOpen: Bool
    /// Agreed by other means: nothing opens it.
    var isNegotiated: Bool
    /// Whether a message was sent, so that the amount of unsent bytes concerns the owner.
    var isUsed = false
    /// This side has begun to close its direction; it is closed; the other one is closed.
    var isClosing = false
    var isClosed = false
    var isClosedByRemote = false
  }

  private var association: SCTPAssociation
  private let role: DTLSRole
  private let limits: Limits
  private let longestMessage: Int
  private var channels: [DataChannelID: Channel] = [:]
  /// Messages of the channel protocol that the send buffer did not yet accept.
  private var pending: [SCTPMessage] = []
  private var events = Ring<DataChannelEvent>()
  private var streams = 0
  private var hasEnded = false

  /// - Parameters:
  ///   - role: the DTLS role of this side; it determines the numbers of its channels.
  ///   - remote: what the other side's description says.
  public init(
    role: DTLSRole, remote: DataParameters, limits: Limits = Limits(), configuration: SCTPConfiguration = SCTPConfiguration()
  ) {
    var configuration = configuration
    configuration.remotePort = remote.port
    association = SCTPAssociation(configuration)
    self.role = role
    self.limits = limits
    longestMessage = min(remote.maximumMessage ?? .max, configuration.sendBuffer)
  }

  public var deadline: Instant? { association.deadline }
  public var isConnected: Bool { association.isConnected }
  /// The smoothed round trip of the association in microseconds.
  public var roundTrip: Int64? { association.roundTrip }

  /// Sends the association's first packet.
  public func start(now: Instant) { association.start(now: now) }

  // MARK: Channels

  /// Opens a channel. `opened` reports when messages can be sent.
  /// - Parameter negotiated: the number, if the other side opens the channel by the same agreement (`negotiated: true`).
  public func open(_ channel: DataChannel, negotiated: DataChannelID? = nil) throws(DataChannelError) -> DataChannelID {
    guard !hasEnded else { throw .unavailable }
    guard channels.count < limits.channels else { throw .tooManyChannels }
    guard channel.label.utf8.count <= limits.label, channel.subprotocol.utf8.count <= limits.label else {
      throw .labelTooLong(limit: limits.label)
    }
    guard let id = negotiated ?? freeNumber(), channels[id] == nil, streams == 0 || id.rawValue < streams else { throw .number }
    channels[id] = Channel(properties: channel, isOpen: false, isNegotiated: negotiated != nil)
    if association.isConnected { announce(id) }
    return id
  }

  /// The side with the DTLS role client uses even numbers, the other one odd numbers (RFC 8832 §6).
  private func freeNumber() -> DataChannelID? {
    stride(from: role == .client ? 0 : 1, to: streams == 0 ? 1024 : UInt16(clamping: streams), by: 2).lazy
      .map { DataChannelID($0) }.first { self.channels[$0] == nil }
  }

  private func announce(_ id: DataChannelID) {
    guard let channel = channels[id] else { return }
    guard Int(id.rawValue) < streams else { return remove(id) }
    if channel.isNegotiated {
      becomeOpen(id)
    } else {
      queue(.open(channel.properties), on: id)
      // The opener may send at once; SCTP keeps the order (RFC 8832 §6).
      events.append(.opened(id, channel.properties))
    }
  }

  private func becomeOpen(_ id: DataChannelID) {
    guard let channel = channels[id], !channel.isOpen else { return }
    channels[id]?.isOpen = true
    if channel.isNegotiated { events.append(.opened(id, channel.properties)) }
  }

  /// Sends a message. `now` begins its lifetime, if the channel limits it.
  public func send(_ message: DataChannelMessage, on id: DataChannelID, now: Instant) throws(DataChannelError) {
    guard association.isConnected, let channel = channels[id], !channel.isClosing else { throw .notOpen }
    guard message.payload.count <= longestMessage else { throw .messageTooLong(limit: longestMessage) }
    let reliability: SCTPMessage.Reliability =
      switch channel.properties.reliability {
      case .reliable: .reliable
      case .retransmissions(let count): .retransmissions(Int(count))
      case .lifetime(let milliseconds): .until(now.advanced(milliseconds: Int64(milliseconds)))
      }
    let isEmpty = message.payload.isEmpty
    typealias ID = ChannelProtocol.PayloadID
    // SCTP carries no empty message: it is sent as one byte (RFC 8831 §6.6).
    do {
      try association.send(
        SCTPMessage(
          stream: id.rawValue,
          protocolID: message.isText ? (isEmpty ? ID.emptyText : ID.text) : (isEmpty ? ID.emptyBinary : ID.binary),
          payload: isEmpty ? [0] : message.payload, isUnordered: channel.isOpen && !channel.properties.isOrdered,
          reliability: reliability))
    } catch {
      throw error == .bufferFull ? .bufferFull : .notOpen
    }
    channels[id]?.isUsed = true
  }

  /// Closes a channel after the messages that are queued. `closed` reports the end.
  public func close(_ id: DataChannelID) {
    guard let channel = channels[id], !channel.isClosing else { return }
    guard association.isConnected else { return remove(id) }
    channels[id]?.isClosing = true
    association.reset([id.rawValue])
  }

  /// Ends all channels after the messages that are queued.
  public func shutdown(now: Instant) { association.shutdown(now: now) }

  /// Returns the bytes of a channel that are not yet sent.
  public func bufferedAmount(of id: DataChannelID) -> Int { association.bufferedAmount(of: id.rawValue) }

  /// Sets the unsent bytes at which `bufferedAmountLow` is reported; 0 at first.
  public func setBufferedAmountLow(_ bytes: Int, of id: DataChannelID) {
    association.setBufferedAmountLow(bytes, of: id.rawValue)
  }

  // MARK: Packets, events and time

  public func receive(_ packet: UnsafeRawBufferPointer, now: Instant) { association.receive(packet, now: now) }

  public func advance(to now: Instant) { association.advance(to: now) }

  /// Returns the next packet to send. Take the events first: some of them cause packets.
  public func nextPacket(now: Instant) -> [UInt8]? {
    flush()
    return association.nextPacket(now: now)
  }

  /// Returns the next event.
  public func nextEvent() -> DataChannelEvent? {
    while events.isEmpty, let event = association.nextEvent() { handle(event) }
    return events.removeFirst()
  }

  private func handle(_ event: SCTPEvent) {
    switch event {
    case .connected(let streams):
      self.streams = streams
      for id in channels.keys.sorted(by: { $0.rawValue < $1.rawValue }) { announce(id) }
    case .message(let message): receive(message)
    case .remoteReset(let streams):
      let ids = streams.isEmpty ? Array(channels.keys) : streams.map { DataChannelID($0) }
      for id in ids where channels[id] != nil {
        channels[id]?.isClosedByRemote = true
        close(id)
        finish(id)
      }
    case .localReset(let streams, isAccepted: _):
      for stream in streams {
        let id = DataChannelID(stream)
        channels[id]?.isClosed = true
        finish(id)
      }
    case .bufferedAmountLow(let stream):
      if channels[DataChannelID(stream)]?.isUsed == true { events.append(.bufferedAmountLow(DataChannelID(stream))) }
    case .closed(let reason):
      hasEnded = true
      channels.removeAll()
      pending.removeAll()
      events.append(.ended(reason))
    }
  }

  /// Removes a channel both of whose directions are closed.
  private func finish(_ id: DataChannelID) {
    guard let channel = channels[id], channel.isClosed, channel.isClosedByRemote else { return }
    remove(id)
  }

  private func remove(_ id: DataChannelID) {
    channels[id] = nil
    events.append(.closed(id))
  }

  private func receive(_ message: SCTPMessage) {
    let id = DataChannelID(message.stream)
    typealias ID = ChannelProtocol.PayloadID
    guard message.protocolID != ID.control else { return receiveControl(message.payload, on: id) }
    // Data without a channel is of one that has been closed or refused.
    guard let channel = channels[id], !channel.isClosedByRemote else { return }
    // Whoever sends knows the channel.
    becomeOpen(id)
    switch message.protocolID {
    case ID.text: events.append(.message(id, DataChannelMessage(isText: true, payload: message.payload)))
    case ID.emptyText: events.append(.message(id, DataChannelMessage(isText: true, payload: [])))
    case ID.binary: events.append(.message(id, DataChannelMessage(isText: false, payload: message.payload)))
    case ID.emptyBinary: events.append(.message(id, DataChannelMessage(isText: false, payload: [])))
    default: break
    }
  }

  private func receiveControl(_ payload: [UInt8], on id: DataChannelID) {
    switch ChannelProtocol.parse(payload) {
    case .acknowledge: becomeOpen(id)
    case .open(let channel):
      // An invalid request closes the stream (RFC 8832 §6): its number belongs to this side or is in use, or there are too many.
      guard (id.rawValue & 1 == 0) == (role == .server), channels[id] == nil, channels.count < limits.channels,
        channel.label.utf8.count <= limits.label, channel.subprotocol.utf8.count <= limits.label, Int(id.rawValue) < streams
      else { return refuse(id) }
      channels[id] = Channel(properties: channel, isOpen: true, isNegotiated: false)
      queue(.acknowledge, on: id)
      events.append(.opened(id, channel))
    case nil: refuse(id)
    }
  }

  private func refuse(_ id: DataChannelID) {
    if channels[id] == nil { association.reset([id.rawValue]) } else { close(id) }
  }

  private func queue(_ message: ChannelProtocol.Message, on id: DataChannelID) {
    pending.append(
      SCTPMessage(
        stream: id.rawValue, protocolID: ChannelProtocol.PayloadID.control, payload: ChannelProtocol.bytes(of: message)))
    flush()
  }

  /// Sends messages of the channel protocol. There is at most one for each channel.
  private func flush() {
    while let message = pending.first {
      do {
        try association.send(message)
      } catch .bufferFull {
        return
      } catch {}
      pending.removeFirst()
    }
  }
}
