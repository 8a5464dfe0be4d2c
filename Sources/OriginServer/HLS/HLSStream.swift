import Foundation
import LiveOrigin

/// One stream's HLS, while somebody asks for it: takes from the hub what is new, has it cut, and answers players, who may wait
/// for what is not there yet.
actor HLSStream {
  /// What becomes of a request.
  enum Outcome: Sendable {
    case found([UInt8])
    /// It is not there, or no more, and will not come.
    case missing
    /// It did not come in time.
    case late
    /// Too many wait already.
    case busy
    case refused(HLSReload.Refusal)
    /// The stream is no longer cut; whoever asks may begin anew.
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
  private let settings: HLSDelivery
  private let viewer: StreamViewer
  private let packager: HLSPackager
  private var watch: Origin.Watch?
  private var waiters: [Waiter] = []
  private var lastRequest = ContinuousClock.now
  private var isOver = false
  /// The last segment that each player was told of, while there is little.
  private var told: [HLSPlayer: Int] = [:]
  /// The last text that was made of each kind.
  private var written: [HLSPlaylist.Changes: (window: Int, query: String, text: [UInt8])] = [:]

  /// - Throws: where the stream has as many viewers as it may.
  init(_ viewing: Origin.Viewing, _ settings: HLSDelivery) throws(OriginRefusal) {
    guard let viewer = viewing.hub.join(.init(lag: Origin.processingLag, wantsPast: true)) else {
      throw OriginRefusal(.viewers, "\(viewing.path) has as many viewers as it may")
    }
    self.viewing = viewing
    self.settings = settings
    self.viewer = viewer
    packager = HLSPackager(settings.cutting)
  }

  /// Begins; `whenOver` is called once, when nobody has asked for long enough.
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

  /// The playlist, at once, or when it holds what is asked for; as it is then, where that does not come in time.
  /// - Parameter query: what the addresses in it end with.
  func playlist(_ reload: HLSReload?, query: String, for player: HLSPlayer) async -> Outcome {
    guard await wait(.playlist, settings.firstSegmentTime) else { return isOver ? .over : .busy }
    guard packager.window.isPlayable else { return isOver ? .over : .late }
    if let reload {
      do throws(HLSReload.Refusal) { try reload.check(against: packager.window) } catch { return .refused(error) }
      guard await wait(.reload(reload), patience) else { return isOver ? .over : .busy }
    } else if isYoung, let last = packager.window.listed.last, knows(player, last.number) {
      guard await wait(.segment(after: last.number), patience) else { return isOver ? .over : .busy }
    }
    tell(player)
    return .found(text(query, player.changes))
  }

  /// Whether there is so little that a player which has all of it might give up.
  private var isYoung: Bool {
    packager.window.listed.reduce(0) { $0 + $1.duration } < Int64(settings.youngLength) * 1000
  }

  /// Whether a player may have been told of a segment; those that had no place among the told may have been.
  private func knows(_ player: HLSPlayer, _ number: Int) -> Bool {
    told[player].map { $0 >= number } ?? (told.count >= settings.waiting)
  }

  /// A player is told of all that is listed.
  private func tell(_ player: HLSPlayer) {
    if !isYoung { return told = [:] }
    guard told[player] != nil || told.count < settings.waiting else { return }
    told[player] = packager.window.listed.last?.number
  }

  /// What lies beside the playlist. A part that is hinted at is waited for.
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

  private func text(_ query: String, _ changes: HLSPlaylist.Changes) -> [UInt8] {
    let version = packager.counters.parts &+ packager.counters.segments &+ (packager.window.hasEnded ? 1 : 0)
    if let written = written[changes], written.window == version, written.query == query { return written.text }
    let playlist = HLSPlaylist(
      packager.window, epoch: packager.epoch ?? 0, folder: viewing.path.stream, query: query, changes: changes)
    let text = Array(playlist.text.utf8)
    written[changes] = (version, query, text)
    return text
  }

  /// Waits until it is there, or for so long. False where too many wait, or the stream is no longer cut.
  private func wait(_ wanted: Wanted, _ time: Duration) async -> Bool {
    lastRequest = .now
    guard !isOver else { return false }
    guard !isThere(wanted) else { return true }
    guard waiters.count < settings.waiting else { return false }
    await withCheckedContinuation { waiters.append(Waiter(wanted: wanted, deadline: .now + time, continuation: $0)) }
    lastRequest = .now
    return !isOver
  }

  private func isThere(_ wanted: Wanted) -> Bool {
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

  /// Takes what is new. False where nothing more comes.
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
    if hasEnded || packager.counters.parts != before { answer { isThere($0.wanted) } }
    return !hasEnded
  }

  /// Lets go of those who waited long enough. False where nobody asks any more.
  private func tick() -> Bool {
    let now = ContinuousClock.now
    answer { now >= $0.deadline }
    // A player with nothing to load asks again within a target duration and a half.
    let idleTime = max(settings.idleTime, .seconds(2 * packager.window.targetDuration))
    if waiters.isEmpty, now - lastRequest > idleTime { stop() }
    return !isOver
  }

  /// Ends it now.
  func stop() {
    isOver = true
    watch = nil
    answer { _ in true }
  }
}
