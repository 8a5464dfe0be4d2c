import RoomRTP

// The client's requests, step by step, and the handling of the answers (RTMP 1.0 §7.2).

extension ClientSession {
  // MARK: Out

  /// Sends the chunk size and `connect`.
  mutating func connect(now: Instant) {
    enter(.connecting, now: now)
    if purpose == .publish { link.setChunkSize(options.chunkSize) }
    let name = purpose == .publish ? "FMLE/3.0 (compatible; FMSc/1.0)" : "LNX 9,0,124,2"
    let request = ConnectRequest(
      app: address.app, tcURL: address.tcURL, flashVersion: options.flashVersion ?? name, fourCCs: options.fourCCs,
      capabilities: options.capabilities, properties: options.connectProperties)
    link.send(request.command(transaction: Transaction.connect, publishes: purpose == .publish))
  }

  private mutating func createStream(now: Instant) {
    enter(.creatingStream, now: now)
    if purpose == .publish {
      // Adobe's servers free the name on this command, others ignore it. The session does not wait for the answer.
      link.send(Command("releaseStream", transaction: Transaction.releaseStream, arguments: [.string(address.stream)]))
      link.send(Command("FCPublish", transaction: Transaction.fcPublish, arguments: [.string(address.stream)]))
    } else {
      link.announceWindow(2_500_000)
    }
    link.send(Command("createStream", transaction: Transaction.createStream))
  }

  private mutating func start(on stream: MessageStreamID, now: Instant) {
    enter(.starting(stream), now: now)
    switch purpose {
    case .publish:
      link.send(
        Command("publish", transaction: Transaction.start, arguments: [.string(address.stream), "live"]), on: stream)
    case .play:
      // −2: the live stream, or else a recorded one; in milliseconds, as ffmpeg and librtmp send it.
      link.send(
        Command("play", transaction: Transaction.start, arguments: [.string(address.stream), .number(-2000)]), on: stream)
      link.send(.user(.setBufferLength(stream, milliseconds: options.bufferMilliseconds)))
    }
  }

  mutating func sendGoodbye(of stream: MessageStreamID) {
    if purpose == .publish {
      link.send(Command("FCUnpublish", transaction: Transaction.other, arguments: [.string(address.stream)]))
    }
    link.send(Command("deleteStream", transaction: 0, arguments: [.number(Double(stream.rawValue))]))
  }

  // MARK: In

  mutating func take(_ message: RTMPMessage, now: Instant) throws(SessionFailure) {
    switch message.type {
    case .command, .commandAMF3:
      let command: Command?
      do throws(AMFError) { command = try Command(message) } catch { throw .command(error) }
      if let command { try apply(command, now: now) }
    case .audio, .video, .data, .dataAMF3: takeMedia(message, now: now)
    case .aggregate:
      if let aggregate = AggregateMessage(message) {
        for part in aggregate { takeMedia(part, now: now) }
      }
    case .userControl:
      // The only user control event that reaches this point is the end of a stream.
      if purpose == .play, isActive { events.append(.ended) }
    default: break
    }
  }

  private mutating func takeMedia(_ message: RTMPMessage, now: Instant) {
    guard purpose == .play, let media = MediaMessage(message), !media.payload.isEmpty else { return }
    if case .starting(let stream) = phase {
      // Some servers send media at once without a status. Data may still precede a refusal.
      guard media.kind != .data else { return }
      enter(.active(stream), now: now)
      events.append(.started(Status(.status, .playStart)))
    }
    guard isActive else { return }
    if let media = media.withoutDataFrameCommand { events.append(.media(media)) }
  }

  private mutating func apply(_ command: Command, now: Instant) throws(SessionFailure) {
    switch command.name {
    case "_result": try succeed(command, now: now)
    case "_error": try refused(command)
    case "onStatus":
      if let status = command.arguments.first.flatMap(Status.init) ?? Status(command.object) {
        try take(status, properties: command.arguments.first?.properties, now: now)
      }
    case "onBWDone":
      // Servers that measure bandwidth wait for it.
      link.send(Command("_checkbw", transaction: Transaction.other))
    case "_onbwcheck": link.send(Command("_result", transaction: command.transaction, arguments: [.number(0)]))
    case "close": throw .closedByPeer
    default: break
    }
  }

  private mutating func succeed(_ command: Command, now: Instant) throws(SessionFailure) {
    switch (phase, command.transaction) {
    case (.connecting, Transaction.connect):
      let status = command.arguments.first.flatMap(Status.init) ?? Status(.status, .connectSuccess)
      guard status.level != .error else { throw .rejected(status, at: .connect) }
      events.append(.connected(status))
      createStream(now: now)
    case (.creatingStream, Transaction.createStream):
      guard let number = command.arguments.first?.number.flatMap(UInt32.init(exactly:)) else {
        throw .rejected(Status(.error, .callFailed, "The answer to createStream has no stream ID."), at: .createStream)
      }
      start(on: MessageStreamID(number), now: now)
    default: break
    }
  }

  private func refused(_ command: Command) throws(SessionFailure) {
    let expected: Double? =
      switch phase {
      case .connecting: Transaction.connect
      case .creatingStream: Transaction.createStream
      case .starting: Transaction.start
      case .handshake, .active, .closed: nil
      }
    guard command.transaction == expected else { return }
    let status = command.arguments.first.flatMap(Status.init) ?? Status(command.object)
    throw .rejected(status ?? Status(.error, .callFailed), at: step)
  }

  private mutating func take(_ status: Status, properties: AMFObject?, now: Instant) throws(SessionFailure) {
    switch (phase, status.code) {
    case (_, .reconnectRequest):
      events.append(.reconnectRequested(tcURL: properties?["tcUrl"]?.string, description: status.description))
    case (.starting(let stream), .publishStart) where purpose == .publish,
      (.starting(let stream), .playStart) where purpose == .play:
      enter(.active(stream), now: now)
      events.append(.started(status))
    case (.active, .playUnpublishNotify), (.active, .playStop):
      if purpose == .play { events.append(.ended) }
    case (_, .connectClosed): throw .closedByPeer
    default:
      guard status.level != .error else { throw .rejected(status, at: step) }
      events.append(.status(status))
    }
  }
}
