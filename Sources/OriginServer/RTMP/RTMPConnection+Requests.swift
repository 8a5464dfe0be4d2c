import RoomLiveOrigin
import NIOCore
import RoomRTMP

// The handling of a client's requests.

extension RTMPConnection {
  func handle(_ event: ServerEvent) {
    switch event {
    case .connectRequested(let request): connect(request)
    case .publishRequested(let request): publish(request)
    case .playRequested(let request): play(request)
    case .media(let media, let stream): publishes[stream]?.publish(media)
    case .publishEnded(let stream): publishes.removeValue(forKey: stream)?.end()
    case .playEnded(let stream): endPlay(stream)
    case .paused(let isPaused, let stream): pause(isPaused, stream)
    case .wants(let kind, let isWanted, let stream): want(kind, isWanted, stream)
    case .closed(let failure): closed(failure)
    }
  }

  private func connect(_ request: ConnectRequest) {
    sentRequest()
    self.request = request
    session.acceptConnect(now: Origin.now())
  }

  /// Returns the path of a stream name on this connection.
  private func path(_ name: StreamName) throws(OriginRefusal) -> StreamPath {
    guard let path = StreamPath(app: request?.appName ?? "", stream: name.name) else {
      throw OriginRefusal(app: request?.appName ?? "", stream: name.name)
    }
    return path
  }

  private func query(_ name: StreamName) -> String { name.query.isEmpty ? request?.query ?? "" : name.query }

  // MARK: Publishing

  /// How long an encoder may stay connected after its publish was ended.
  private static let closeGrace = TimeAmount.seconds(2)

  private func publish(_ request: PublishRequest) {
    let bound = NIOLoopBound(self, eventLoop: home.loop)
    let loop = home.loop
    let stop: @Sendable (String) -> Void = { reason in
      loop.execute { bound.value.endPublish(request.stream, reason) }
    }
    let publish = IncomingPublish(
      app: self.request?.appName ?? "", stream: request.name.name, query: query(request.name),
      encoderProtocol: .rtmp, client: client, stop: stop)
    home.origin.open(publish) { result in
      if loop.inEventLoop { return bound.value.decide(request, result) }
      loop.execute {
        bound.value.decide(request, result)
        bound.value.settle()
      }
    }
  }

  private func decide(_ request: PublishRequest, _ result: Result<any PublishSink, OriginRefusal>) {
    let now = Origin.now()
    switch result {
    case .success(let sink):
      guard context != nil, !session.isClosed else { return sink.end() }
      publishes[request.stream] = sink
      session.acceptPublish(request.stream, now: now)
    case .failure(let refusal):
      refused(refusal, "publish", request.name)
      let isAccess = refusal.status == 403
      session.rejectPublish(
        request.stream, isAccess ? .publishDenied : .publishBadName, description: refusal.sentence, now: now)
      wasRefused()
    }
  }

  /// Ends a publish from the server's side.
  private func endPublish(_ stream: MessageStreamID, _ reason: String) {
    guard let sink = publishes.removeValue(forKey: stream) else { return }
    sink.end()
    session.endPublish(stream, description: reason, now: Origin.now())
    settle()
    // Some encoders stay connected after this message and would send for ever. These encoders get time to read it: closing a
    // socket with unread data discards the data that it has written.
    let bound = NIOLoopBound(self, eventLoop: home.loop)
    home.loop.scheduleTask(in: Self.closeGrace) {
      bound.value.session.end()
      bound.value.settle()
    }
  }

  // MARK: Playing

  private func play(_ request: PlayRequest) {
    do throws(OriginRefusal) {
      let path = try path(request.name)
      let origin = home.origin
      try origin.admitPlay(path.description, query: query(request.name))
      guard origin.isPreparing(path) else { return begin(request, .success(path)) }
      let bound = NIOLoopBound(self, eventLoop: home.loop)
      let loop = home.loop
      Task {
        let result: Result<StreamPath, OriginRefusal>
        do throws(OriginRefusal) {
          try await origin.prepare(path)
          result = .success(path)
        } catch { result = .failure(error) }
        loop.execute {
          bound.value.begin(request, result)
          bound.value.settle()
        }
      }
    } catch { begin(request, .failure(error)) }
  }

  private func begin(_ request: PlayRequest, _ result: Result<StreamPath, OriginRefusal>) {
    guard context != nil, !session.isClosed else { return }
    let now = Origin.now()
    do throws(OriginRefusal) {
      let path = try result.get()
      let viewing = try home.origin.view(path, over: .rtmp)
      guard let viewer = viewing.hub.join() else {
        throw OriginRefusal(.viewers, "the limit of viewers of \(path) is reached")
      }
      plays[request.stream] = RTMPPlay(viewing, viewer, home.audience(of: path))
      session.acceptPlay(request.stream, now: now)
    } catch {
      refused(error, "play", request.name)
      session.rejectPlay(
        request.stream, error.reason == .noStream ? .playStreamNotFound : .playFailed, description: error.sentence, now: now)
      wasRefused()
    }
    serve()
  }

  private func pause(_ isPaused: Bool, _ stream: MessageStreamID) {
    guard let play = plays[stream], play.isPaused != isPaused else { return }
    play.isPaused = isPaused
    guard !isPaused else { return }
    play.viewer.skipToNewest()
    serve()
  }

  private func want(_ kind: MediaMessage.Kind, _ isWanted: Bool, _ stream: MessageStreamID) {
    guard let play = plays[stream] else { return }
    switch kind {
    case .audio: play.viewer.options.wantsAudio = isWanted
    case .video: play.viewer.options.wantsVideo = isWanted
    case .data: break
    }
  }

  // MARK: The end

  private func refused(_ refusal: OriginRefusal, _ what: String, _ name: StreamName) {
    home.origin.counters.count(refusal.reason)
    home.origin.log.notice(
      "\(what) refused",
      metadata: [
        "stream": "/\(request?.appName.prefix(64) ?? "")/\(name.name.prefix(64))", "client": "\(client)",
        "protocol": "rtmp", "reason": "\(refusal.sentence)",
      ])
  }

  private func closed(_ failure: SessionFailure) {
    switch failure {
    case .timeout: home.origin.counters.countTimeout()
    case .handshake, .chunks, .command, .unexpectedCommand, .queueLimitExceeded, .outputLimitExceeded:
      home.origin.counters.countMalformed()
    case .rejected, .closedByPeer, .ended: return
    }
    home.origin.log.debug("RTMP connection ended", metadata: ["client": "\(client)", "reason": "\(failure)"])
  }
}
