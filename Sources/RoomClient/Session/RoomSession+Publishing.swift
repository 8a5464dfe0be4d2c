import RoomProtocol
import RoomWebRTC

/// Publishing, serialized, and moderation.
extension RoomSession {
  /// - Parameter sharing: whether to also accept tracks of another room, which continues to send them.
  func publish(_ tracks: [any LocalTrack], sharing: Bool = false) async throws {
    guard !tracks.isEmpty else { return }
    await enter()
    defer { publishing.leave() }
    var held: [Publisher.ClaimedTrack] = []
    do {
      for track in tracks {
        guard !publisher.holds(track), let line = track.fed?.feed.claim(sharing: sharing) else {
          throw RoomClientError.trackInUse
        }
        held.append(Publisher.ClaimedTrack(track: track, line: line))
      }
      let refused = try await commit(try publisher.propose(adding: held))
      guard refused.isEmpty else {
        let accepted = tracks.filter { track in !refused.contains { $0.track === track } }
        // In a task of its own, because a cancelled task cannot make a call.
        await Task { try? await take(back: accepted) }.value
        throw RoomClientError.negotiationFailed("the server rejects the codec of \(refused.map(\.track.tag))")
      }
    } catch {
      for track in held { track.line.release() }
      throw error
    }
  }

  func unpublish(_ tracks: [any LocalTrack]) async throws {
    await enter()
    defer { publishing.leave() }
    guard tracks.allSatisfy({ publisher.holds($0) }) else { throw RoomClientError.trackUnknown }
    try await take(back: tracks)
  }

  /// The published tracks with the room's ids.
  var published: [(track: any LocalTrack, trackId: TrackID)] { publisher.published.map { ($0.track, $0.trackId) } }

  /// Unpublishes all tracks of a kind, or all tracks.
  func unpublish(_ kind: TrackKind?) async throws {
    await enter()
    defer { publishing.leave() }
    let tracks = publisher.tracks.filter { kind == nil || $0.kind == kind }
    if !tracks.isEmpty { try await take(back: tracks) }
  }

  func take(back tracks: [any LocalTrack]) async throws {
    let ids = tracks.compactMap { publisher.trackId(of: $0) }
    let asked = heard
    do {
      let _: Empty = try await request(.unpublish(TrackSelection(trackIds: ids)))
    } catch let error as RoomError where error.code == .publishFailed && seatLostAt > asked {
      // The server had already unpublished them.
    }
    publisher.remove(tracks)
    store.change { $0.me?.tracks.removeAll { ids.contains($0.trackId) } }
    if publisher.isEmpty { media.publishRepair.closed() }
  }

  /// Publishes all tracks again over a new transport.
  func republish(keepingIds: Bool) async throws {
    await enter()
    defer { publishing.leave() }
    guard !publisher.isEmpty else { return }
    for track in try await commit(try publisher.proposeRestart(keepingIds: keepingIds)) { track.line.release() }
  }

  /// Sends a proposal to the server. Returns the tracks that it rejected.
  func commit(_ proposal: Publisher.Proposal) async throws -> [Publisher.ClaimedTrack] {
    let asked = heard
    do {
      let (result, answered) = try await numberedRequest(.publish(proposal.params), for: PublishResult.self)
      let generation = publisher.generation
      let refused = try publisher.accept(proposal, result)
      if publisher.generation != generation { media.publishRepair.opened(now: .now) }
      store.change { value in
        for published in result.tracks {
          value.me?.tracks.removeAll { $0.trackId == published.track.trackId }
          value.me?.tracks.append(published.track)
        }
      }
      // The server may have unpublished tracks since the call was sent: all, or those before the answer's.
      if seatLostAt > asked { withdrawn(keeping: seatLostAt > answered ? [] : Set(result.tracks.map(\.track.trackId))) }
      return refused
    } catch let error as NegotiationError {
      publisher.abandon(proposal, uncertain: true)
      throw RoomClientError.negotiationFailed(error.description)
    } catch {
      // A rejected proposal has no effect; one without an answer may have been applied.
      let isUncertain = !(error is RoomError)
      publisher.abandon(proposal, uncertain: isUncertain)
      if isUncertain, publisher.isOpen { media.publishRepair.failed(now: .now) }
      throw error
    }
  }

  func enter() async {
    guard !publishing.tryLock() else { return }
    await withCheckedContinuation { publishing.wait($0) }
  }

  func mute(_ track: any LocalTrack, _ muted: Bool) async throws {
    guard let trackId = publisher.trackId(of: track) else { throw RoomClientError.trackUnknown }
    try await mute(trackId: trackId, muted)
  }

  func mute(trackId: TrackID, _ muted: Bool) async throws {
    let _: Empty = try await request(.mute(MuteParams(trackId: trackId, muted: muted)))
    publisher.muted(trackId: trackId, muted)
  }

  /// Mutes or unmutes all tracks of a kind.
  func mute(_ kind: TrackKind, _ muted: Bool) async throws {
    for track in publisher.tracks where track.kind == kind { try await mute(track, muted) }
  }

  func kick(userId: UserID) async throws { let _: Empty = try await request(.kick(UserParams(userId: userId))) }
}
