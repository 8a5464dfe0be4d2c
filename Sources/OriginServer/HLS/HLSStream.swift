import Foundation
import RoomLiveOrigin
import Synchronization

/// One stream's HLS, while players request it. Reads new media from the hub, segments it, and answers players, whose requests
/// may wait for content that does not exist yet.
actor HLSStream {
  /// The result of a request.
  enum Outcome: Sendable {
    case found([UInt8])
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

  private enum Wanted {
    case playlist
    case reload(HLSReload)
    case segment(after: Int)
    case part(Int, of: Int)
  }

  private struct Waiter {
    var wanted: Wanted
    var deadline: ContinuousClock.Instant
    var continuation: CheckedContinuation<Void, Never>
  }

  nonisolated let viewing: Origin.Viewing
  /// The UNIX time in ms at the start of the timeline, which all renditions of a stream share; nil if the stream had no media.
  nonisolated let epoch: Int64?
  /// The last part, for the rendition reports in other playlists; nil before the first and after the end.
  nonisolated let lastPart = Mutex<HLSPosition?>(nil)
  private let settings: HLSDelivery
  private let waiting: HLSWaiting
  private let viewer: StreamViewer
  private let packager: HLSPackager
  private var watch: Origin.Watch?
  private var waiters: [Waiter] = []
  private var lastRequest = ContinuousClock.now
  private var isOver = false
  /// The last segment in each player's playlist, while the playlist is short.
  private var lastKnownSegment: [HLSPlayer: Int] = [:]
  /// When each player sent its last request for a playlist.
  private var players: [HLSPlayer: ContinuousClock.Instant] = [:]
  /// Players that are counted at most.
  private static let mostPlayers = 20_000
  /// The last text of each kind of playlist.
  private var written: [TextKind: (window: Int, query: String, text: [UInt8])] = [:]

  private struct TextKind: Hashable {
    var changes: HLSPlaylist.Changes
    var skips: Bool
  }

  /// - Throws: if the stream's limit of viewers is reached.
  init(
    _ viewing: Origin.Viewing, _ settings: HLSDelivery, waiting: HLSWaiting, epoch: Int64?
  ) throws(OriginRefusal) {
    guard let viewer = viewing.hub.join(.init(lag: Origin.processingLag, wantsPast: true)) else {
      throw OriginRefusal(.viewers, "the limit of viewers of \(viewing.path) is reached")
    }
    self.viewing = viewing
    self.settings = settings
    self.viewer = viewer
    self.waiting = waiting
    self.epoch = epoch
    packager = HLSPackager(settings.cutting, epoch: epoch, codecs: viewing.hub.codecs)
  }

  /// Starts to segment. Calls `whenOver` once, when no requests have arrived for the idle time.
  func start(at origin: Origin, whenOver: @escaping @Sendable (HLSStream) -> Void) {
    let (wakes, wake) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    watch = origin.watch(viewing.path) { wake.yield() }
    pump()
    Task { [weak self] in
      for await _ in wakes {
        guard await self?.pump() == true else { return }
      }
    }
    Task { [weak self] in
      while (try? await Task.sleep(for: .milliseconds(250))) != nil {
        guard let self, await self.tick() else { break }
      }
      wake.finish()
      if let self { whenOver(self) }
    }
  }

  // MARK: Asking

  /// Returns the playlist, at once or when it contains the requested part. After a timeout, returns the playlist as it is.
  /// - Parameters:
  ///   - query: the query that the addresses in the playlist end with.
  ///   - reports: returns the rendition reports of other playlists.
  func playlist(
    _ directives: HLSDirectives, query: String, for player: HLSPlayer, reports: @Sendable () -> String
  ) async -> Outcome {
    if let failure = await waitForPlaylist() { return failure }
    if let reload = directives.reload {
      do throws(HLSReload.Refusal) { try reload.check(against: packager.window) } catch { return .refused(error) }
      guard await wait(.reload(reload), patience) else { return isOver ? .over : .busy }
    } else if isYoung, let last = packager.window.listed.last, mayKnow(player, last.number) {
      guard await wait(.segment(after: last.number), patience) else { return isOver ? .over : .busy }
    }
    record(player)
    count(player)
    let text = text(query, TextKind(changes: player.changes, skips: directives.skips && player.changes == .marked))
    return .found(packager.window.hasEnded ? text : text + reports().utf8)
  }

  /// Returns the multivariant playlist, when the stream can be played.
  func multivariant(query: String) async -> Outcome {
    if let failure = await waitForPlaylist() { return failure }
    let playlist = HLSMultivariant(viewing.path.stream, packager.rendition, variants: settings.variants, query: query)
    return .found(Array(playlist.text.utf8))
  }

  /// Waits for the first segment. Returns the result if it does not come.
  private func waitForPlaylist() async -> Outcome? {
    guard await wait(.playlist, settings.firstSegmentTime) else { return isOver ? .over : .busy }
    return packager.window.isPlayable ? nil : isOver ? .over : .late
  }

  /// Whether the playlist is so short that a player which has all of it might give up.
  private var isYoung: Bool {
    packager.window.listed.reduce(0) { $0 + $1.duration } < Int64(settings.youngLength) * 1000
  }

  /// Returns whether a player may know a segment. Players that are not tracked may know it.
  private func mayKnow(_ player: HLSPlayer, _ number: Int) -> Bool {
    lastKnownSegment[player].map { $0 >= number } ?? (lastKnownSegment.count >= settings.waiting)
  }

  /// Records that a player knows all listed segments.
  private func record(_ player: HLSPlayer) {
    if !isYoung { return lastKnownSegment = [:] }
    guard lastKnownSegment[player] != nil || lastKnownSegment.count < settings.waiting else { return }
    lastKnownSegment[player] = packager.window.listed.last?.number
  }

  /// Counts a player that has loaded a playlist.
  private func count(_ player: HLSPlayer) {
    guard players[player] != nil || players.count < Self.mostPlayers else { return }
    if players.updateValue(.now, forKey: player) == nil { viewing.stands(for: players.count) }
  }

  /// Returns a file that the playlist names. Waits for a part that is announced as a preload hint.
  func resource(_ resource: HLSResource) async -> Outcome {
    lastRequest = .now
    switch resource {
    case .initialisation(let number): return packager.window.initialisation(number).map { .found($0) } ?? .missing
    case .segment(let number): return packager.window.segment(number).map { .found($0.bytes) } ?? .missing
    case .part(let part, let number):
      if let growing = packager.window.growing, growing.number == number, growing.parts.count == part {
        guard await wait(.part(part, of: number), patience) else { return isOver ? .over : .busy }
      }
      return packager.window.part(part, of: number).map { .found($0) } ?? .missing
    }
  }

  /// Three target durations (RFC 8216bis §6.2.5.2).
  private var patience: Duration { .seconds(3 * packager.window.targetDuration) }

  private func text(_ query: String, _ kind: TextKind) -> [UInt8] {
    let version = packager.counters.parts &+ packager.counters.segments &+ (packager.window.hasEnded ? 1 : 0)
    if let written = written[kind], written.window == version, written.query == query { return written.text }
    let playlist = HLSPlaylist(
      packager.window, epoch: packager.epoch ?? 0, folder: viewing.path.stream, query: query,
      changes: kind.changes)
    let text = Array(playlist.text(skips: kind.skips).utf8)
    written[kind] = (version, query, text)
    return text
  }

  /// Waits until the content exists, or until the time is up. Returns false if too many requests wait, or the stream is no
  /// longer segmented.
  private func wait(_ wanted: Wanted, _ time: Duration) async -> Bool {
    lastRequest = .now
    guard !isOver else { return false }
    guard !isAvailable(wanted) else { return true }
    guard waiters.count < settings.waiting, waiting.enter() else { return false }
    defer { waiting.leave() }
    await withCheckedContinuation { waiters.append(Waiter(wanted: wanted, deadline: .now + time, continuation: $0)) }
    lastRequest = .now
    return !isOver
  }

  private func isAvailable(_ wanted: Wanted) -> Bool {
    switch wanted {
    case .playlist: packager.window.isPlayable
    case .reload(let reload): reload.isReached(by: packager.window)
    case .segment(let number): packager.window.reaches(number + 1, part: nil)
    case .part(let part, let number):
      packager.window.part(part, of: number) != nil || packager.window.growing?.number != number
    }
  }

  private func answer(where isAnswered: (Waiter) -> Bool) {
    guard !waiters.isEmpty else { return }
    let answered = waiters.filter(isAnswered)
    guard !answered.isEmpty else { return }
    waiters.removeAll(where: isAnswered)
    for waiter in answered { waiter.continuation.resume() }
  }

  // MARK: Working

  /// Reads new media. Returns false at the end of the stream.
  @discardableResult private func pump() -> Bool {
    guard !isOver, !packager.window.hasEnded else { return false }
    var batch: [LiveMedia] = []
    var hasEnded = false
    drain: while true {
      switch viewer.next() {
      case .media(let media): batch.append(media)
      case .nothing: break drain
      case .end:
        hasEnded = true
        break drain
      }
    }
    let before = packager.counters.parts
    packager.take(batch, unixTime: Int64(Date().timeIntervalSince1970 * 1000))
    if hasEnded { packager.finish() }
    let last = hasEnded ? nil : packager.window.lastPart
    lastPart.withLock { $0 = last }
    if hasEnded || packager.counters.parts != before { answer { isAvailable($0.wanted) } }
    return !hasEnded
  }

  /// Ends the requests that have waited long enough. Returns false when requests have stopped.
  private func tick() -> Bool {
    let now = ContinuousClock.now
    answer { now >= $0.deadline }
    // A player loads the playlist once in a target duration; one that waits for more media loads it twice (RFC 8216 §6.3.4).
    let gone = now - .seconds(3 * packager.window.targetDuration + 1)
    if players.contains(where: { $0.value < gone }) { players = players.filter { $0.value >= gone } }
    viewing.stands(for: players.count)
    // A player with nothing to load sends another request within one and a half target durations.
    let idleTime = max(settings.idleTime, .seconds(2 * packager.window.targetDuration))
    if waiters.isEmpty, now - lastRequest > idleTime { stop() }
    return !isOver
  }

  /// Ends the stream's HLS at once.
  func stop() {
    isOver = true
    watch = nil
    lastPart.withLock { $0 = nil }
    answer { _ in true }
  }
}
