import RoomProtocol
import RoomWebRTC

/// What a ``Room`` asks of its session.
extension RoomSession {
  // MARK: publishing

  /// - Parameter sharing: whether to also accept tracks of another room, which continues to send them.
  func publish(_ tracks: [any LocalTrack], sharing: Bool = false) async throws {
    try await publications.publish(tracks, sharing: sharing)
  }

  func unpublish(_ tracks: [any LocalTrack]) async throws { try await publications.unpublish(tracks) }
  func unpublish(_ kind: TrackKind?) async throws { try await publications.unpublish(kind) }
  func mute(_ track: any LocalTrack, _ muted: Bool) async throws { try await publications.mute(track, muted) }
  func mute(trackId: TrackID, _ muted: Bool) async throws { try await publications.mute(trackId: trackId, muted) }
  func mute(_ kind: TrackKind, _ muted: Bool) async throws { try await publications.mute(kind, muted) }

  /// The published tracks with the room's ids.
  var published: [(track: any LocalTrack, trackId: TrackID)] { publications.published }

  // MARK: subscribing

  func subscribe(trackIds: [TrackID], userIds: [UserID]) async throws {
    try await subscriptions.subscribe(trackIds: trackIds, userIds: userIds)
  }

  func unsubscribe(trackIds: [TrackID], userIds: [UserID]) async throws {
    try await subscriptions.unsubscribe(trackIds: trackIds, userIds: userIds)
  }

  func setReception(_ reception: TrackReception) async throws { try await subscriptions.setReception(reception) }
  func setAudioLevels(_ enabled: Bool) async throws { try await subscriptions.setAudioLevels(enabled) }
  func setReceiving(_ enabled: Bool) async throws { try await subscriptions.setReceiving(enabled) }

  func playURLs(_ picture: PlayPicture) async throws -> PlayURLs {
    let urls = try await request(.getPlayURLs(picture), for: PlayURLs.self)
    if picture == .original { store.change { $0.room?.play = urls } }
    return urls
  }

  // MARK: messages over data channels

  /// The time between two tries to send.
  private static let retryInterval = Duration.milliseconds(20)

  func send(_ message: DataChannelMessage, label: String) async throws {
    guard options.data else { throw RoomClientError.mediaFailed("the room was joined without RoomOptions.data") }
    let end = ContinuousClock.now + options.timeout
    while true {
      guard !machine.state.isClosed else { throw RoomClientError.closed }
      if let transport = media.subscriber.transport {
        switch await transport.send(message, label: label) {
        case nil: return
        case .messageTooLong(let limit): throw RoomError(.messageFailed, "payload: the server accepts at most \(limit) bytes")
        // The transport may be replaced, and the channel opens soon or has space again.
        default: break
        }
      }
      guard ContinuousClock.now < end else { throw RoomClientError.timedOut("data") }
      try await Task.sleep(for: Self.retryInterval)
    }
  }

  // MARK: jobs

  func startForward(_ job: ForwardParams) async throws -> JobInfo {
    let info = try await request(.startForward(job), for: JobInfo.self)
    ownJobs.started(job)
    return info
  }

  /// Starts a job of this client again. If the server rejects it, `jobEnded` with `failed` follows.
  /// - Returns: whether the job was started.
  @discardableResult
  func startForwardAgain(_ job: ForwardParams) async -> Bool {
    do {
      _ = try await startForward(job)
      return true
    } catch {
      store.say(.jobEnded(jobId: job.jobId, reason: .failed, failure: JobFailure(cause: .rejected, message: "\(error)")))
      return false
    }
  }

  /// Forward jobs of this client that send its own tracks, by their ids.
  var ownForwards: [ForwardParams] {
    ownJobs.forwards(of: userId, with: Set(publications.published.map(\.trackId)))
  }

  /// Records the URL with the current number of a running job.
  func setURL(_ url: String?, ofForward jobId: JobID) { ownJobs.setURL(url, ofForward: jobId) }

  func stopJob(_ jobId: JobID) async throws {
    let _: Empty = try await request(.stopJob(JobParams(jobId: jobId)))
    // The end may have arrived already.
    ownJobs.stopped(jobId, isRunning: store.runsAny(of: [jobId]))
  }

  // MARK: the composition of the users on stage

  func edit(_ editing: CompositionEditing?) async throws {
    let _: Empty = try await request(.editComposition(EditCompositionParams(deadline: editing?.deadline)))
    self.editing = editing
  }

  func compositionChanging(_ data: CompositionChangingData) {
    guard let editing else { return }
    Task {
      let changed = await editing.change(data.composition)
      calls.tell(.setComposition(CompositionParams(number: data.number, composition: changed)))
    }
  }
}
