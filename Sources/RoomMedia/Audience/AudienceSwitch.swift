import RoomClient
import RoomProtocol

/// Changes between the ways of watching, one change after the other.
actor AudienceSwitch {
  enum Request: Sendable {
    case watch(AudienceMode, CheckedContinuation<Void, any Error>)
    case roomChanged(RoomEvent)
    /// A player has ended, with its failure if there is one.
    case playerEnded(ObjectIdentifier, StreamFailure?)
    case roomClosed
  }

  private enum Current {
    case lowLatency
    case stream(AudienceMode, StreamPlayer)
    /// Nothing is received: the stream ended, or was not asked for yet.
    case nothing
  }

  /// The longest time until a stream plays.
  private static let startTime = Duration.seconds(20)
  /// The longest time until the first frame of a track arrives, for which a stream plays on.
  private static let trackTime = Duration.seconds(5)

  private let room: Room
  private let options: Audience.Options
  private let shared: Audience.Shared
  private var current: Current
  /// Whether the server sends tracks, or will after the reconnection.
  private var isReceiving: Bool

  init(_ room: Room, _ options: Audience.Options, _ shared: Audience.Shared) {
    self.room = room
    self.options = options
    self.shared = shared
    isReceiving = room.options.receivesTracks
    current = isReceiving ? .lowLatency : .nothing
  }

  /// Whether an event may change what is watched.
  static func concerns(_ event: RoomEvent) -> Bool {
    switch event {
    case .seatChanged, .layoutChanged, .refreshed: true
    case .jobChanged(let job): job.stream != nil && job.onAir != false
    default: false
    }
  }

  func run() async {
    for await request in shared.requests {
      switch request {
      case .watch(let mode, let waiter): await watch(mode, waiter)
      case .roomChanged(let event): await follow(event)
      case .playerEnded(let id, let failure): ended(id, failure)
      case .roomClosed: shared.post.finish()
      }
    }
    if case .stream(_, let player) = current { player.stop() }
    shared.state.withLock { $0.player = nil }
    shared.changes.finish()
  }

  // MARK: Requests

  private func watch(_ mode: AudienceMode, _ waiter: CheckedContinuation<Void, any Error>) async {
    do {
      if !isSeated { try await enter(mode) }
      shared.state.withLock { $0.chosen = mode }
      waiter.resume()
    } catch { waiter.resume(throwing: error) }
  }

  private func follow(_ event: RoomEvent) async {
    let chosen = shared.state.withLock { $0.chosen }
    if case .jobChanged = event {
      guard case .nothing = current, case .ownCDN = chosen else { return }
    }
    // A room that neither receives nor was asked to play stays as it is.
    if case .nothing = current, chosen == .lowLatency, !isSeated { return }
    do { try await enter(isSeated ? .lowLatency : chosen) } catch let failure as StreamFailure {
      shared.changes.send(.failed(failure))
    } catch {
      // The connection is down; `refreshed` or the next change of a seat follows.
    }
  }

  private func ended(_ id: ObjectIdentifier, _ failure: StreamFailure?) {
    guard case .stream(_, let player) = current, ObjectIdentifier(player) == id else { return }
    replace(with: .nothing)
    shared.changes.send(.streamEnded(failure))
  }

  // MARK: Ways

  private var isSeated: Bool {
    guard let me = room.me?.userId else { return false }
    return room.snapshot?.seats.contains { $0.userId == me } ?? false
  }

  private func enter(_ mode: AudienceMode) async throws {
    switch (current, mode) {
    case (.lowLatency, .lowLatency): return
    case (.stream(let now, let player), _) where now == mode && !player.state.isFinal: return
    case (_, .lowLatency): try await receive()
    default: try await play(mode)
    }
  }

  /// Receives the tracks of the room.
  private func receive() async throws {
    let events = room.laterEvents()
    if !isReceiving { try await room.setReceiving(true) }
    isReceiving = true
    if case .stream = current, room.participants.contains(where: { !$0.tracks.isEmpty }) {
      await events.first(within: Self.trackTime) { if case .firstFrame = $0 { true } else { nil } }
    }
    replace(with: .lowLatency)
    shared.changes.send(.lowLatency)
  }

  /// Plays the room's stream.
  private func play(_ mode: AudienceMode) async throws {
    let urls = AudienceURLs(mode, prefersRTMP: options.prefersRTMP) { [weak room] picture in
      guard let room else { throw RoomClientError.closed }
      return try await room.playURLs(picture)
    }
    let player = StreamPlayer(options: options.player ?? StreamPlayer.Options(trust: room.options.trust)) {
      () throws(StreamFailure) in try await urls.next()
    }
    try await Self.awaitStart(of: player)
    // Shown before the tracks end.
    shared.changes.send(.stream(player))
    replace(with: .stream(mode, player))
    watchEnd(of: player)
    await stopReceiving()
  }

  /// Stops the tracks. If the server refuses, it continues to send them. If the connection is lost, the session sends the choice
  /// after it has reconnected.
  private func stopReceiving() async {
    guard isReceiving else { return }
    do { try await room.setReceiving(false) } catch is RoomError { return } catch {}
    isReceiving = false
  }

  private func replace(with next: Current) {
    if case .stream(_, let player) = current { player.stop() }
    current = next
    let player: StreamPlayer? = if case .stream(_, let player) = next { player } else { nil }
    shared.state.withLock { $0.player = player }
  }

  private static func awaitStart(of player: StreamPlayer) async throws(StreamFailure) {
    let deadline = Task {
      try await Task.sleep(for: startTime)
      player.stop()
    }
    defer { deadline.cancel() }
    for await state in player.states() {
      switch state {
      case .playing: return
      case .failed(let failure): throw failure
      default: break
      }
    }
    throw .timedOut
  }

  private func watchEnd(of player: StreamPlayer) {
    let (states, id, post) = (player.states(), ObjectIdentifier(player), shared.post)
    Task {
      for await state in states {
        switch state {
        case .failed(let failure): post.yield(.playerEnded(id, failure))
        case .ended: post.yield(.playerEnded(id, nil))
        default: break
        }
      }
    }
  }
}
