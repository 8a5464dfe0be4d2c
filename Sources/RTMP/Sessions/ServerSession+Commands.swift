import RoomRTP

// Handling of a client's commands (RTMP 1.0 §7.2), including those of Adobe's encoders that are in no specification:
// releaseStream, FCPublish, FCUnpublish, getStreamLength, _checkbw.

extension ServerSession {
  mutating func apply(_ command: Command, on stream: MessageStreamID, now: Instant) throws(SessionFailure) {
    switch (phase, command.name) {
    case (.awaitingConnect, "connect"):
      let request = ConnectRequest(command.object.properties ?? AMFObject())
      phase = .decidingConnect(transaction: command.transaction, request)
      events.append(.connectRequested(request))
    case (.open, "connect"), (.awaitingConnect, _): throw .unexpectedCommand(command.name)
    case (.open, _): handleWhenConnected(command, on: stream, now: now)
    case (.handshake, _), (.decidingConnect, _), (.closed, _): break
    }
  }

  private mutating func handleWhenConnected(_ command: Command, on stream: MessageStreamID, now: Instant) {
    switch command.name {
    case "createStream": createStream(command)
    case "releaseStream", "FCPublish", "_checkbw": answer(command, [.undefined])
    case "FCUnpublish": unpublish(command, now: now)
    case "deleteStream":
      let named = command.arguments.first?.number.flatMap(UInt32.init(exactly:)).map { MessageStreamID($0) } ?? stream
      end(named, now: now)
      streams[named] = nil
    case "closeStream": end(stream, now: now)
    case "publish": publish(command, on: stream)
    case "play": play(command, on: stream)
    case "play2": refuse(command, .playFailed, "Switching streams is not supported.", on: stream)
    case "pause", "pauseRaw": pause(command, on: stream)
    case "seek": refuse(command, .seekFailed, "A live stream does not support seeking.", on: stream)
    case "receiveAudio": want(.audio, command, on: stream)
    case "receiveVideo": want(.video, command, on: stream)
    // A live stream has no length.
    case "getStreamLength": answer(command, [0.0])
    case "FCSubscribe":
      link.send(Command("onFCSubscribe", arguments: [Status(.status, .playStart, "Subscribed.").value]))
    case "FCUnsubscribe", "_result", "_error", "onStatus": break
    default:
      guard command.transaction != 0 else { return }
      let status = Status(.error, .callFailed, "There is no method with this name.")
      link.send(Command("_error", transaction: command.transaction, arguments: [status.value]))
    }
  }

  private mutating func answer(_ command: Command, _ arguments: [AMFValue]) {
    guard command.transaction != 0 else { return }
    link.send(Command("_result", transaction: command.transaction, arguments: arguments))
  }

  private mutating func createStream(_ command: Command) {
    guard streams.count < options.streams, lastStream < .max else {
      let status = Status(.error, .callFailed, "This connection has too many streams.")
      link.send(Command("_error", transaction: command.transaction, arguments: [status.value]))
      return
    }
    lastStream += 1
    streams[MessageStreamID(lastStream)] = .nothing
    link.send(Command("_result", transaction: command.transaction, arguments: [.number(Double(lastStream))]))
  }

  private mutating func publish(_ command: Command, on stream: MessageStreamID) {
    let name = StreamName(command.arguments.first?.string ?? "")
    guard case .nothing? = streams[stream], !name.name.isEmpty else {
      link.send(Status(.error, .publishBadName, "The stream is missing or in use, or the name is missing."), on: stream)
      return
    }
    streams[stream] = .decidingPublish(name)
    let kind = command.arguments.count > 1 ? command.arguments[1].string ?? "" : ""
    events.append(.publishRequested(PublishRequest(stream: stream, name: name, kind: kind)))
  }

  private mutating func unpublish(_ command: Command, now: Instant) {
    let publishing = streams.filter { if case .publishing = $0.value { true } else { false } }.keys
    let status = Status(.status, .unpublishSuccess, "Publishing ended.")
    link.send(Command("onFCUnpublish", arguments: [status.value]))
    answer(command, [.undefined])
    // It names the stream; in practice a connection has only one.
    for stream in publishing { end(stream, now: now) }
  }

  private mutating func end(_ stream: MessageStreamID, now: Instant) {
    switch streams[stream] {
    case .publishing: link.send(Status(.status, .unpublishSuccess, "Publishing ended."), on: stream)
    case .playing: link.send(Status(.status, .playStop, "Playing ended."), on: stream)
    default: break
    }
    stopUse(of: stream)
    becameIdle(now: now)
  }

  private mutating func play(_ command: Command, on stream: MessageStreamID) {
    let name = StreamName(command.arguments.first?.string ?? "")
    if case .playing? = streams[stream] { stopUse(of: stream) }
    guard case .nothing? = streams[stream], !name.name.isEmpty else {
      link.send(Status(.error, .playFailed, "The stream is missing or in use, or the name is missing."), on: stream)
      return
    }
    streams[stream] = .decidingPlay(name)
    let start = command.arguments.count > 1 ? command.arguments[1].number ?? -2 : -2
    events.append(.playRequested(PlayRequest(stream: stream, name: name, start: start)))
  }

  private mutating func pause(_ command: Command, on stream: MessageStreamID) {
    guard case .playing? = streams[stream] else { return }
    let isPaused = command.arguments.first?.boolean ?? true
    events.append(.paused(isPaused, on: stream))
    link.send(
      isPaused ? Status(.status, .pauseNotify, "Paused.") : Status(.status, .unpauseNotify, "Playback resumed."), on: stream)
  }

  private mutating func want(_ kind: MediaMessage.Kind, _ command: Command, on stream: MessageStreamID) {
    guard case .playing? = streams[stream] else { return }
    events.append(.wants(kind, command.arguments.first?.boolean ?? true, on: stream))
  }

  private mutating func refuse(_ command: Command, _ code: StatusCode, _ description: String, on stream: MessageStreamID) {
    link.send(Status(.error, code, description), on: stream)
  }
}
