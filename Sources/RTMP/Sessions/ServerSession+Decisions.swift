import RoomRTP

// The owner's decisions and output.

extension ServerSession {
  /// Accepts the connection. Does nothing if no decision is pending.
  public mutating func acceptConnect(now: Instant) {
    guard case .decidingConnect(let transaction, let request) = phase else { return }
    phase = .open
    link.announceWindow(options.window)
    link.send(.setPeerBandwidth(options.window, .dynamic))
    link.setChunkSize(options.chunkSize)
    var properties: AMFObject = ["fmsVer": "FMS/3,5,7,7009", "capabilities": 31.0, "mode": 1.0]
    if !request.fourCCs.isEmpty || !request.capabilities.isEmpty {
      // 4: forwards every codec.
      properties["videoFourCcInfoMap"] = .object(["*": 4.0])
      properties["audioFourCcInfoMap"] = .object(["*": 4.0])
      let capabilities: ConnectRequest.Capabilities = [.multitrack, .modifiers, .nanosecondOffset]
      properties["capsEx"] = .number(Double(capabilities.rawValue))
    }
    var status = Status(.status, .connectSuccess, "Connection succeeded.").value.properties ?? AMFObject()
    status["objectEncoding"] = .number(request.objectEncoding)
    link.send(Command("_result", transaction: transaction, object: .object(properties), arguments: [.object(status)]))
    resume(now: now)
  }

  /// Refuses the connection, with a description for the client's user, and ends the session.
  public mutating func rejectConnect(_ code: StatusCode = .connectRejected, description: String) {
    guard case .decidingConnect(let transaction, _) = phase else { return }
    link.send(Command("_error", transaction: transaction, arguments: [Status(.error, code, description).value]))
    fail(.ended)
  }

  /// Accepts a publish; `media` events follow. Does nothing if no decision is pending.
  public mutating func acceptPublish(_ stream: MessageStreamID, now: Instant) {
    guard case .decidingPublish(let name)? = streams[stream] else { return }
    streams[stream] = .publishing
    link.limits = options.limits
    link.send(.user(.streamBegin(stream)))
    link.send(Status(.status, .publishStart, "\(name.name) is now published."), on: stream)
    resume(now: now)
  }

  /// Refuses a publish, with a description for the client's user. The connection stays open for another attempt.
  public mutating func rejectPublish(
    _ stream: MessageStreamID, _ code: StatusCode = .publishBadName, description: String, now: Instant
  ) {
    guard case .decidingPublish? = streams[stream] else { return }
    streams[stream] = .nothing
    link.send(Status(.error, code, description), on: stream)
    resume(now: now)
  }

  /// Accepts a play; media may be sent from now on. Does nothing if no decision is pending.
  public mutating func acceptPlay(_ stream: MessageStreamID, now: Instant) {
    guard case .decidingPlay(let name)? = streams[stream] else { return }
    streams[stream] = .playing
    link.send(.user(.streamBegin(stream)))
    link.send(Status(.status, .playReset, "Playing and resetting \(name.name)."), on: stream)
    link.send(Status(.status, .playStart, "Started playing \(name.name)."), on: stream)
    resume(now: now)
  }

  /// Refuses a play, with a description for the client's user. The connection stays open for another attempt.
  public mutating func rejectPlay(
    _ stream: MessageStreamID, _ code: StatusCode = .playStreamNotFound, description: String, now: Instant
  ) {
    guard case .decidingPlay? = streams[stream] else { return }
    streams[stream] = .nothing
    link.send(Status(.error, code, description), on: stream)
    resume(now: now)
  }

  /// Sends media to a viewer. Returns false if the stream is not being played.
  @discardableResult
  public mutating func send(_ media: MediaMessage, on stream: MessageStreamID) -> Bool {
    guard case .playing? = streams[stream] else { return false }
    link.send(media, on: stream)
    return true
  }

  /// Returns whether `prepared.bytes` may be written to this viewer's socket unchanged. If true, the caller must write them at
  /// once, after `takeOutput()`. If false and the stream is being played, use `send`.
  public mutating func admits(_ prepared: PreparedMedia, on stream: MessageStreamID) -> Bool {
    guard case .playing? = streams[stream] else { return false }
    return link.admits(prepared, on: stream)
  }

  /// Returns the same without the bytes: for a `PreparedMedia` of this kind and chunk size on message stream 1.
  public mutating func admitsPrepared(_ kind: MediaMessage.Kind, chunkSize: Int, on stream: MessageStreamID) -> Bool {
    guard stream == MessageStreamID(1), case .playing? = streams[stream] else { return false }
    return link.admitsPrepared(kind, chunkSize: chunkSize)
  }

  /// Notifies a viewer that its stream has ended. The connection stays open.
  public mutating func endPlay(_ stream: MessageStreamID, now: Instant) {
    guard case .playing? = streams[stream] else { return }
    streams[stream] = .nothing
    link.send(.user(.streamEnd(stream)))
    link.send(Status(.status, .playUnpublishNotify, "The stream is no longer published."), on: stream)
    becameIdle(now: now)
  }

  /// Notifies a publisher that its stream is no longer accepted. The connection stays open.
  public mutating func endPublish(
    _ stream: MessageStreamID, _ code: StatusCode = .publishDenied, description: String, now: Instant
  ) {
    guard case .publishing? = streams[stream] else { return }
    streams[stream] = .nothing
    link.send(Status(.error, code, description), on: stream)
    becameIdle(now: now)
  }

  /// Asks the client to reconnect, to another URL if there is one (Enhanced RTMP v2, Reconnect Request).
  public mutating func requestReconnect(to tcURL: String? = nil, description: String) {
    guard case .open = phase else { return }
    var status = Status(.status, .reconnectRequest, description).value.properties ?? AMFObject()
    status["tcUrl"] = tcURL.map(AMFValue.string)
    link.send(Command("onStatus", arguments: [.object(status)]))
  }
}
