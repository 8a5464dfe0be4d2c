import RoomRTMP
import RoomRTP
import Testing

@Suite struct PlayTests {
  private let stream = MessageStreamID(1)

  @Test("a viewer receives media, prepared or not")
  func play() throws {
    var pair = try SessionPair(.play)
    pair.run()
    #expect(pair.client.isActive)
    guard case .playRequested(let request)? = pair.serverEvents.last else {
      Issue.record("no play: \(pair.serverEvents)")
      return
    }
    #expect(request.name == StreamName("studio?token=x") && request.stream == stream)
    let sent = [videoMessage(1000, isKeyFrame: true, bytes: 9000), audioMessage(1010), videoMessage(1040), videoMessage(1080)]
    for message in sent {
      let prepared = PreparedMedia(message, chunkSize: 4096)
      if message.timestamp != 1040 {
        let isAdmitted = pair.server.admits(prepared, on: stream)
        #expect(isAdmitted)
        let bytes = pair.server.takeOutput() + prepared.bytes
        bytes.withUnsafeBytes { pair.client.receive($0, now: pair.now) }
        while let event = pair.client.nextEvent() { pair.clientEvents.append(event) }
      } else {
        pair.server.send(message, on: stream)
        pair.run()
      }
    }
    #expect(pair.played == sent)
  }

  @Test("chunks prepared for another size or stream are not admitted")
  func otherChunks() throws {
    var pair = try SessionPair(.play)
    pair.run()
    let wrong = [
      PreparedMedia(videoMessage(0), chunkSize: 128),
      PreparedMedia(videoMessage(0), chunkSize: 4096, stream: MessageStreamID(2)),
    ]
    for prepared in wrong {
      let isAdmitted = pair.server.admits(prepared, on: stream)
      #expect(!isAdmitted)
    }
    let isSentElsewhere = pair.server.send(videoMessage(0), on: MessageStreamID(2))
    #expect(!isSentElsewhere)
  }

  @Test("a missing stream is refused with the server's description")
  func notFound() throws {
    var pair = try SessionPair(.play)
    pair.acceptsAll = false
    pair.run()
    pair.server.acceptConnect(now: pair.now)
    pair.run()
    pair.server.rejectPlay(stream, description: "No such stream.", now: pair.now)
    pair.run()
    #expect(pair.clientFailure == .rejected(Status(.error, .playStreamNotFound, "No such stream."), at: .play))
  }

  @Test("the end of a stream is reported, and the connection stays open")
  func ends() throws {
    var pair = try SessionPair(.play)
    pair.run()
    pair.server.endPlay(stream, now: pair.now)
    pair.run()
    #expect(pair.clientEvents.contains(.ended) && !pair.client.isClosed && !pair.server.isClosed)
    let isSent = pair.server.send(videoMessage(0), on: stream)
    #expect(!isSent)
  }

  @Test("pause, seek and similar commands are answered and reported")
  func switches() throws {
    var pair = try SessionPair(.play)
    pair.run()
    let commands = [
      Command("pause", transaction: 0, arguments: [true, 500.0]), Command("pause", transaction: 0, arguments: [false, 500.0]),
      Command("receiveVideo", transaction: 0, arguments: [false]), Command("receiveAudio", transaction: 0, arguments: [true]),
      Command("seek", transaction: 7, arguments: [1000.0]), Command("getStreamLength", transaction: 8, arguments: ["studio"]),
      Command("_checkbw", transaction: 9), Command("play2", transaction: 0, arguments: [.object([:])]),
      Command("noSuchThing", transaction: 11),
    ]
    var bytes: [UInt8] = []
    var writer = ChunkWriter()
    for command in commands { writer.write(command.message(on: stream), on: .command, into: &bytes) }
    bytes.withUnsafeBytes { pair.server.receive($0, now: pair.now) }
    pair.drainServer()
    #expect(
      pair.serverEvents.suffix(4) == [
        .paused(true, on: stream), .paused(false, on: stream), .wants(.video, false, on: stream),
        .wants(.audio, true, on: stream),
      ])
    // The chunk headers depend on those that the server sent before.
    let all = pair.toClient.dropFirst(1 + 2 * 1536) + pair.server.takeOutput()
    var reader = ChunkReader()
    let answers = try reader.messages(Array(all)).compactMap { try Command($0) }
    let codes = answers.flatMap(\.arguments).compactMap { $0.properties?["code"]?.string }
    for code in [StatusCode.pauseNotify, .unpauseNotify, .seekFailed, .playFailed, .callFailed] {
      #expect(codes.contains(code.rawValue), "\(codes)")
    }
    #expect(answers.contains { $0.name == "_result" && $0.transaction == 8 && $0.arguments == [0.0] })
    #expect(answers.contains { $0.name == "_result" && $0.transaction == 9 })
    #expect(answers.contains { $0.name == "_error" && $0.transaction == 11 })
  }

  @Test("a viewer that leaves, or plays another stream, is reported")
  func leaves() throws {
    var pair = try SessionPair(.play)
    pair.run()
    var bytes: [UInt8] = []
    var writer = ChunkWriter()
    writer.write(Command("play", arguments: ["other"]).message(on: stream), on: .command, into: &bytes)
    writer.write(Command("deleteStream", arguments: [1.0]).message(), on: .command, into: &bytes)
    bytes.withUnsafeBytes { pair.server.receive($0, now: pair.now) }
    pair.drainServer()
    #expect(
      pair.serverEvents.suffix(3) == [
        .playEnded(stream), .playRequested(PlayRequest(stream: stream, name: StreamName("other"), start: -2)),
        .playEnded(stream),
      ])
  }
}
