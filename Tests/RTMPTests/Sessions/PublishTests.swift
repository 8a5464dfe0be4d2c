import RoomRTMP
import RoomRTP
import Testing

@Suite struct PublishTests {
  @Test("a client connects and publishes, however the bytes are split", arguments: [1, 7, 1000, Int.max])
  func publish(step: Int) throws {
    var pair = try SessionPair(.publish)
    pair.step = step
    pair.run()
    #expect(pair.client.isActive)
    guard case .connectRequested(let connect)? = pair.serverEvents.first else {
      Issue.record("no connect: \(pair.serverEvents)")
      return
    }
    #expect(connect.appName == "live" && connect.tcURL == "rtmp://example.org/live")
    guard case .publishRequested(let publish)? = pair.serverEvents.dropFirst().first else {
      Issue.record("no publish: \(pair.serverEvents)")
      return
    }
    #expect(publish.name == StreamName("studio?token=x") && publish.kind == "live")

    var metadata = StreamMetadata()
    metadata.width = 320
    let sent = [metadata.message(), videoMessage(0, isKeyFrame: true, bytes: 200_000), audioMessage(3), videoMessage(40)]
    for message in sent {
      let isSent = pair.client.send(message)
      #expect(isSent)
    }
    pair.run()
    #expect(pair.published == sent)
  }

  @Test("a handshake without a digest works as well")
  func plain() throws {
    var pair = try SessionPair(.publish, client: .init(handshakeDigest: false))
    pair.run()
    #expect(pair.client.isActive)
  }

  @Test("timestamps continue over 2^24 and over 2^32")
  func timestamps() throws {
    var pair = try SessionPair(.publish)
    pair.run()
    let times: [UInt32] = [0, 0xff_fffe, 0xff_ffff, 0x100_0000, 0x200_0000, 0xf000_0000, 0xffff_ffff, 20, 40, 39, 1_000_000]
    let sent = times.map { videoMessage($0, bytes: 70_000) }
    for message in sent { pair.client.send(message) }
    pair.run()
    #expect(pair.published.map(\.timestamp) == times)
    #expect(pair.published == sent)
  }

  @Test("the server's refusal arrives with its own description")
  func rejections() throws {
    var pair = try SessionPair(.publish)
    pair.acceptsAll = false
    pair.run()
    pair.server.rejectConnect(description: "[ code=403 need auth; authmod=adobe ]")
    pair.drainServer()
    pair.run()
    let refusal = Status(.error, .connectRejected, "[ code=403 need auth; authmod=adobe ]")
    #expect(pair.clientFailure == .rejected(refusal, at: .connect))
    #expect(pair.serverFailure == .ended)

    pair = try SessionPair(.publish)
    pair.acceptsAll = false
    pair.run()
    pair.server.acceptConnect(now: pair.now)
    pair.run()
    guard case .publishRequested(let request)? = pair.serverEvents.last else {
      Issue.record("no publish: \(pair.serverEvents)")
      return
    }
    pair.server.rejectPublish(request.stream, description: "The token has expired.", now: pair.now)
    pair.run()
    #expect(pair.clientFailure == .rejected(Status(.error, .publishBadName, "The token has expired."), at: .publish))
    #expect(pair.serverFailure == nil)
  }

  @Test("messages received while the owner decides are queued and not lost")
  func held() throws {
    var pair = try SessionPair(.publish)
    pair.acceptsAll = false
    pair.run()
    pair.server.acceptConnect(now: pair.now)
    pair.run()
    guard case .publishRequested(let request)? = pair.serverEvents.last else {
      Issue.record("no publish: \(pair.serverEvents)")
      return
    }
    // An encoder that does not wait for the answer.
    let early = videoMessage(5, isKeyFrame: true)
    let message = RTMPMessage(type: .video, stream: request.stream, timestamp: 5, payload: early.payload)
    let bytes = chunks([message], chunkSize: 60_000)
    bytes.withUnsafeBytes { pair.server.receive($0, now: pair.now) }
    pair.drainServer()
    #expect(pair.published.isEmpty)
    pair.server.acceptPublish(request.stream, now: pair.now)
    pair.drainServer()
    #expect(pair.published == [early])
  }

  @Test("the session of a client that sends too much before it is accepted ends")
  func heldTooMuch() throws {
    var pair = try SessionPair(.publish, server: .init(maximumQueuedBytes: 10_000))
    pair.acceptsAll = false
    pair.run()
    let message = RTMPMessage(type: .video, payload: [UInt8](repeating: 1, count: 600))
    let bytes = chunks(Array(repeating: message, count: 20), chunkSize: 60_000)
    bytes.withUnsafeBytes { pair.server.receive($0, now: pair.now) }
    pair.drainServer()
    #expect(pair.serverFailure == .queueLimitExceeded)
  }

  @Test("the end of a publish is reported to the server's owner once")
  func ends() throws {
    var pair = try SessionPair(.publish)
    pair.run()
    pair.client.end()
    pair.run()
    #expect(pair.serverEvents.filter { $0 == .publishEnded(MessageStreamID(1)) }.count == 1)
    #expect(!pair.server.isClosed)
    pair.server.disconnected()
    pair.drainServer()
    #expect(pair.serverEvents.filter { $0 == .publishEnded(MessageStreamID(1)) }.count == 1)
    #expect(pair.serverFailure == .closedByPeer)
  }

  @Test("a connection that breaks ends its publish")
  func breaks() throws {
    var pair = try SessionPair(.publish)
    pair.run()
    pair.server.disconnected()
    pair.drainServer()
    #expect(pair.serverEvents.suffix(2) == [.publishEnded(MessageStreamID(1)), .closed(.closedByPeer)])
  }

  @Test("the server may end a publish with a description")
  func endedByServer() throws {
    var pair = try SessionPair(.publish)
    pair.run()
    pair.server.endPublish(MessageStreamID(1), description: "Kicked.", now: pair.now)
    pair.run()
    #expect(pair.clientFailure == .rejected(Status(.error, .publishDenied, "Kicked."), at: .media))
  }

  @Test("a client that is asked to reconnect receives the URL")
  func reconnect() throws {
    var pair = try SessionPair(.publish)
    pair.run()
    pair.server.requestReconnect(to: "rtmp://other.example.org/live", description: "Going down.")
    pair.run()
    #expect(
      pair.clientEvents.last == .reconnectRequested(tcURL: "rtmp://other.example.org/live", description: "Going down."))
    #expect(pair.client.isActive)
  }

  @Test("codecs announced by FourCC reach the server, and it announces that it forwards them")
  func enhanced() throws {
    let options = ClientSession.Options(fourCCs: ["hvc1", "Opus"], capabilities: [.reconnect, .multitrack])
    var pair = try SessionPair(.publish, client: options)
    pair.run()
    guard case .connectRequested(let connect)? = pair.serverEvents.first else {
      Issue.record("no connect: \(pair.serverEvents)")
      return
    }
    #expect(connect.fourCCs == ["hvc1", "Opus"] && connect.capabilities == [.reconnect, .multitrack])
    #expect(pair.client.isActive)
  }
}
