import RoomProtocol
import WebRTC

/// Publishing, one call after the other, and moderation.
extension RoomSession {
  func publish(_ tracks: [any LocalTrack]) async throws {
    guard !tracks.isEmpty else { return }
    await enter()
    defer { publishing.leave() }
    var claimed: [any LocalTrack] = []
    do {
      for track in tracks {
        guard track.feed.claim(by: self) else { throw RoomClientError.trackInUse }
        claimed.append(track)
      }
      let refused = try await commit(try publisher.propose(adding: tracks))
      guard refused.isEmpty else {
        try? await take(back: tracks.filter { track in !refused.contains { $0 === track } })
        throw RoomClientError.negotiationFailed("the server takes the codec of \(refused.map(\.tag)) not")
      }
    } catch {
      for track in claimed { track.feed.release() }
      throw error
    }
  }

  func unpublish(_ tracks: [any LocalTrack]) async throws {
    await enter()
    defer { publishing.leave() }
    guard tracks.allSatisfy({ publisher.holds($0) }) else { throw RoomClientError.trackUnknown }
    try await take(back: tracks)
  }

  func take(back tracks: [any LocalTrack]) async throws {
    let ids = tracks.compactMap(\.trackId)
    let _: Empty = try await request(.unpublish(TrackSelection(trackIds: ids)))
    publisher.remove(tracks)
    board.change { $0.me?.tracks.removeAll { ids.contains($0.trackId) } }
    if publisher.isEmpty { publishRepair.closed() }
  }

  /// Publishes all tracks anew, over a new transport.
  func republish(keepingIds: Bool) async throws {
    await enter()
    defer { publishing.leave() }
    guard !publisher.isEmpty else { return }
    for track in try await commit(try publisher.proposeRestart(keepingIds: keepingIds)) { track.feed.release() }
  }

  /// Asks the server for what is proposed; gives the tracks that it refused.
  func commit(_ proposal: Publisher.Proposal) async throws -> [any LocalTrack] {
    do {
      let result = try await request(.publish(proposal.params), for: PublishResult.self)
      let generation = publisher.generation
      let refused = try publisher.accept(proposal, result)
      if publisher.generation != generation { publishRepair.opened(now: .now) }
      board.change { value in
        for published in result.tracks {
          value.me?.tracks.removeAll { $0.trackId == published.track.trackId }
          value.me?.tracks.append(published.track)
        }
      }
      return refused
    } catch let error as NegotiationError {
      publisher.abandon(proposal, uncertain: true)
      throw RoomClientError.negotiationFailed(error.description)
    } catch {
      // What the server refuses it has not taken; what it did not answer it may have.
      let isUncertain = !(error is RoomError)
      publisher.abandon(proposal, uncertain: isUncertain)
      if isUncertain, publisher.isOpen { publishRepair.failed(now: .now) }
      throw error
    }
  }

  func enter() async {
    guard !publishing.tryEnter() else { return }
    await withCheckedContinuation { publishing.wait($0) }
  }

  func mute(_ track: any LocalTrack, _ muted: Bool) async throws {
    guard publisher.holds(track), let trackId = track.trackId else { throw RoomClientError.trackUnknown }
    try await mute(trackId: trackId, muted)
  }

  func mute(trackId: String, _ muted: Bool) async throws {
    let _: Empty = try await request(.mute(MuteParams(trackId: trackId, muted: muted)))
    publisher.muted(trackId: trackId, muted)
  }

  func kick(userId: String) async throws { let _: Empty = try await request(.kick(UserParams(userId: userId))) }

  func startForward(_ job: ForwardParams) async throws -> JobInfo {
    try await request(.startForward(job), for: JobInfo.self)
  }

  func startMerge(_ job: MergeParams) async throws -> JobInfo { try await request(.startMerge(job), for: JobInfo.self) }

  func setLayouts(_ params: LayoutsParams) async throws { let _: Empty = try await request(.setLayouts(params)) }

  func stopJob(_ jobId: String) async throws { let _: Empty = try await request(.stopJob(JobParams(jobId: jobId))) }
}
