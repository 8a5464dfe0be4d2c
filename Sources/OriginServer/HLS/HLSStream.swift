import Foundation
import RoomHTTPServer
import RoomLiveOrigin
import Synchronization

/// One stream's HLS, while players request it. Reads new media from the hub, segments it, and answers players, whose requests
/// may wait for content that does not exist yet.
final class HLSStream: Sendable {
  /// The result of a request.
  enum Outcome: Sendable {
    case found(HTTPResponse)
    /// The content does not exist, or no longer, and is not expected.
    case missing
    /// The content was not ready in time.
    case late
    /// Too many requests already wait.
    case busy
    case refused(HLSReload.Refusal)
    /// The stream is no longer segmented; a new request may start it again.
    case over
  }

  /// A request that waits for content.
  private struct Waiter {
    var wanted: HLSShelf.Wanted
    var deadline: ContinuousClock.Instant
    /// Called without the lock: with the result if it is a failure.
    var answer: @Sendable (Outcome?) -> Void
  }

  /// A result, or what it needs.
  enum Reply {
    case ready(Outcome)
    case missing(HLSShelf.Wanted)
  }

  private struct State {
    var shelf: HLSShelf
    let viewer: StreamViewer
    var watch: Origin.Watch?
    var waiters: [Waiter] = []
    var isOver = false

    /// Removes the waiters that are answered now.
    mutating func take(where isAnswered: (Waiter) -> Bool) -> [Waiter] {
      let answered = waiters.filter(isAnswered)
      if !answered.isEmpty { waiters.removeAll(where: isAnswered) }
      return answered
    }
  }

  let viewing: Origin.Viewing
  /// The UNIX time in ms at the start of the timeline, which all renditions of a stream share; nil if the stream had no media.
  let epoch: Int64?
  /// The last part, for the rendition reports in other playlists; nil before the first and after the end.
  let lastPart = Mutex<HLSPosition?>(nil)
  private let settings: HLSDelivery
  private let waiting: HLSWaiting
  private let state: Mutex<State>

  /// - Throws: if the stream's limit of viewers is reached.
  init(
    _ viewing: Origin.Viewing, _ settings: HLSDelivery, waiting: HLSWaiting, epoch: Int64?
  ) throws(OriginRefusal) {
    guard let viewer = viewing.hub.join(.init(lag: Origin.processingLag, wantsPast: true)) else {
      throw OriginRefusal(.viewers, "the limit of viewers of \(viewing.path) is reached")
    }
    self.viewing = viewing
    self.settings = settings
    self.waiting = waiting
    self.epoch = epoch
    let packager = HLSPackager(settings.cutting, epoch: epoch, codecs: viewing.hub.codecs)
    state = Mutex(
      State(shelf: HLSShelf(packager, settings, folder: viewing.path.stream, now: .now), viewer: viewer))
  }

  /// Starts to segment. Calls `whenOver` once, when no requests have arrived for the idle time.
  func start(at origin: Origin, whenOver: @escaping @Sendable (HLSStream) -> Void) {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let watch = origin.watch(viewing.path) { wake.yield() }
    state.withLock { $0.watch = watch }
    pump()
    Task { [weak self] in
      for await _ in wakes {
        guard self?.pump() == true else { return }
      }
    }
    Task { [weak self] in
      while (try? await Task.sleep(for: .milliseconds(250))) != nil {
        guard let self, tick() else { break }
      }
      wake.finish()
      if let self { whenOver(self) }
    }
  }

  // MARK: Asking

  /// Returns the playlist, or what the request waits for.
  /// - Parameter reports: the rendition reports of other playlists.
  func playlist(for request: HLSShelf.PlaylistRequest, reports: String) -> Reply {
    ask { state in
      guard !state.isOver else { return .ready(.over) }
      guard state.shelf.window.isPlayable else { return .missing(.playlist) }
      do throws(HLSReload.Refusal) {
        if let missing = try state.shelf.missing(for: request) { return .missing(missing) }
      } catch { return .ready(.refused(error)) }
      return .ready(.found(state.shelf.playlist(for: request, reports: reports, now: .now)))
    }
  }

  /// Returns the playlist as it is after a wait.
  func currentPlaylist(for request: HLSShelf.PlaylistRequest, reports: String) -> Outcome {
    ask { state in
      guard state.shelf.window.isPlayable else { return state.isOver ? .over : .late }
      return .found(state.shelf.playlist(for: request, reports: reports, now: .now))
    }
  }

  /// Returns the multivariant playlist, or what the request waits for.
  func multivariant(query: String) -> Reply {
    ask { state in
      guard !state.isOver else { return .ready(.over) }
      return state.shelf.window.isPlayable ? .ready(.found(state.shelf.multivariant(query: query))) : .missing(.playlist)
    }
  }

  /// Returns a file that the playlist names, or the announced part that the request waits for.
  func file(_ resource: HLSResource) -> Reply {
    ask { state in
      guard !state.isOver else { return .ready(.over) }
      return state.shelf.missing(for: resource).map { .missing($0) }
        ?? .ready(Self.outcome(state.shelf.file(resource, now: .now)))
    }
  }

  /// Returns a file as it is after a wait.
  func currentFile(_ resource: HLSResource) -> Outcome { ask { Self.outcome($0.shelf.file(resource, now: .now)) } }

  private static func outcome(_ file: HTTPResponse?) -> Outcome { file.map { .found($0) } ?? .missing }

  /// Answers a request from the shelf, and reports the number of players if the request changes the number.
  private func ask<Answer>(_ answer: (inout State) -> sending Answer) -> sending Answer {
    let (result, players) = state.withLock { state in
      let before = state.shelf.players.count
      let result = answer(&state)
      return (result, state.shelf.players.count == before ? nil : state.shelf.players.count)
    }
    if let players { viewing.stands(for: players) }
    return result
  }

  /// Waits until the content exists, or until the time is up: the time that the standard allows, and for the first segment that of
  /// the settings.
  /// - Parameter answer: called once, on any thread; with the result if too many requests wait, or the stream is no longer segmented.
  func wait(for wanted: HLSShelf.Wanted, _ answer: @escaping @Sendable (Outcome?) -> Void) {
    enum Step { case answered(Outcome?), waits }
    let step = state.withLock { state -> Step in
      state.shelf.lastRequest = .now
      if state.isOver { return .answered(.over) }
      if state.shelf.has(wanted) { return .answered(nil) }
      guard state.waiters.count < settings.waiting, waiting.enter() else { return .answered(.busy) }
      var time = state.shelf.patience
      if case .playlist = wanted { time = settings.firstSegmentTime }
      state.waiters.append(Waiter(wanted: wanted, deadline: .now + time, answer: answer))
      return .waits
    }
    if case .answered(let outcome) = step { answer(outcome) }
  }

  /// The same for a task.
  func wait(for wanted: HLSShelf.Wanted) async -> Outcome? {
    await withCheckedContinuation { continuation in wait(for: wanted) { continuation.resume(returning: $0) } }
  }

  private func answer(_ waiters: [Waiter], _ outcome: Outcome? = nil) {
    for waiter in waiters {
      waiting.leave()
      waiter.answer(outcome)
    }
  }

  // MARK: Working

  /// Reads new media. Returns false at the end of the stream.
  @discardableResult private func pump() -> Bool {
    let (answered, isOn) = state.withLock { state -> ([Waiter], Bool) in
      guard !state.isOver, !state.shelf.window.hasEnded else { return ([], false) }
      var batch: [LiveMedia] = []
      var hasEnded = false
      drain: while true {
        switch state.viewer.next() {
        case .media(let media): batch.append(media)
        case .nothing: break drain
        case .end:
          hasEnded = true
          break drain
        }
      }
      let isNew = state.shelf.take(batch, hasEnded: hasEnded, unixTime: Int64(Date().timeIntervalSince1970 * 1000))
      let last = hasEnded ? nil : state.shelf.window.lastPart
      lastPart.withLock { $0 = last }
      let shelf = state.shelf
      return (isNew ? state.take { shelf.has($0.wanted) } : [], !hasEnded)
    }
    answer(answered)
    return isOn
  }

  /// Ends the requests that have waited long enough. Returns false when requests have stopped.
  private func tick() -> Bool {
    let now = ContinuousClock.now
    let (answered, players, isIdle) = state.withLock { state in
      let answered = state.take { now >= $0.deadline }
      state.shelf.forgetPlayers(now: now)
      // A player with nothing to load sends another request within one and a half target durations.
      let idleTime = max(settings.idleTime, .seconds(2 * state.shelf.window.targetDuration))
      return (answered, state.shelf.players.count, state.waiters.isEmpty && now - state.shelf.lastRequest > idleTime)
    }
    answer(answered)
    viewing.stands(for: players)
    if isIdle { stop() }
    return state.withLock { !$0.isOver }
  }

  /// Ends the stream's HLS at once.
  func stop() {
    let (answered, watch) = state.withLock { state in
      state.isOver = true
      defer { state.watch = nil }
      return (state.take { _ in true }, state.watch)
    }
    lastPart.withLock { $0 = nil }
    answer(answered, .over)
    // Released without the lock.
    withExtendedLifetime(watch) {}
  }
}
