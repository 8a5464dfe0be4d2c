import Foundation
import Logging
import NIOCore
import RoomCLinux
import RoomEngine
import RoomMediaReader
import RoomProtocol
import RoomRTMP
import RoomRTP
import RoomToken
import Synchronization

/// Plays one file or URL in a room: a process reads the source, a clock paces the frames, and an ingest session converts them as those
/// of an encoder.
final class PlayerSession: RoomPlayer {
  /// What belongs to the loop.
  private struct State {
    var reader: ReaderProcess?
    /// The number of the reader: an event of a former one is ignored.
    var readerNumber = 0
    var clock: PlayerClock
    var ingest: IngestSession?
    var timer: Scheduled<Void>?
    var reports: RepeatedTask?
    /// Whether the participant is in the room.
    var hasJoined = false
    var isOver = false
    var isSeekable = false
    var hasLength = false
    var loops: Bool
    var volume: Double
    /// The number of the last seek.
    var seek = 0
    /// The reading of a source that can't be sought begins anew: the number that its frames have.
    var rereading: Int?
    /// The seek that a user awaits the position of.
    var wanted: Int?
    /// Whether the reader waits until more is wanted.
    var isIdle = false
  }

  private static let reportInterval = TimeAmount.seconds(5)

  private let plan: PlayerPlan
  private let room: Room
  private let mixes: MixDirectory
  private let loop: any EventLoop
  private let log: Logger
  private let state: NIOLoopBoundBox<State>
  private let program: String
  private let reading: ReaderPlan
  /// Counts the session out.
  private let ended: @Sendable () -> Void

  init(
    _ plan: PlayerPlan, _ reading: ReaderPlan, in room: Room, of directory: PlayerDirectory, on loop: any EventLoop,
    ended: @escaping @Sendable () -> Void
  ) {
    var log = directory.log
    log[metadataKey: "room"] = "\(room.name)"
    self.plan = plan
    program = directory.settings.program
    self.reading = reading
    self.room = room
    mixes = directory.mixes
    self.loop = loop
    self.log = log
    self.ended = ended
    state = NIOLoopBoundBox.makeBoxSendingValue(
      State(clock: PlayerClock(isPaused: plan.isPaused), loops: plan.loop, volume: plan.volume), eventLoop: loop)
  }

  /// Starts the process that reads the source.
  func start() { loop.execute { [self] in read(reading) } }

  private func read(_ reading: ReaderPlan) {
    guard !state.value.isOver else { return }
    state.value.reader?.stop()
    state.value.readerNumber += 1
    let number = state.value.readerNumber
    do {
      state.value.reader = try ReaderProcess(reading, program: program, on: loop) { [weak self] event in
        guard let self, state.value.readerNumber == number else { return }
        handle(event)
      }
    } catch {
      end(.failed("the source can't be read: \(error)"))
    }
  }

  /// Ends the session before it has begun.
  func fail(_ reason: String) { loop.execute { [self] in end(.failed(reason)) } }

  private var now: Instant { Instant(microseconds: linux_now_us()) }

  private func report(_ report: PlayerReport) {
    Task { [room, plan] in await room.perform { $0.playerReported(report, of: plan.user, plan.number) } }
  }

  // MARK: The room's side

  func change(_ change: PlayerChange) {
    loop.execute { [self] in
      guard !state.value.isOver else { return }
      if let volume = change.volume {
        state.value.volume = volume
        state.value.ingest?.setGain(volume)
      }
      if let loops = change.loop { state.value.loops = loops }
      if change.paused == true { state.value.clock.pause(at: now) }
      if change.paused == false { state.value.clock.resume() }
      if let position = change.position { seek(to: position) }
      work()
    }
  }

  func stop() { loop.execute { [self] in end(nil) } }

  /// - Parameter report: the report to the room; nil if the room has ended the session.
  private func end(_ report: PlayerReport?) {
    guard !state.value.isOver else { return }
    state.value.isOver = true
    state.value.timer?.cancel()
    state.value.reports?.cancel()
    state.value.reader?.stop()
    state.value.ingest?.leave()
    if let report { self.report(report) }
    (state.value.reader, state.value.ingest) = (nil, nil)
    ended()
  }

  // MARK: The source's side

  private func handle(_ event: ReaderProcess.Event) {
    guard !state.value.isOver else { return }
    switch event {
    case .message(let message):
      if let report = ReaderReport(message) { handle(report) } else { state.value.clock.append(message) }
    case .pause:
      state.value.isIdle = true
      work()
    case .over: end(.failed("the process that reads the source has ended"))
    }
  }

  private func handle(_ report: ReaderReport) {
    switch report {
    case .opened(let hasVideo, let hasAudio, let duration, let isSeekable):
      if let number = state.value.rereading {
        state.value.rereading = nil
        _ = state.value.clock.moved(number, to: 0)
      }
      guard state.value.ingest == nil else { return }
      state.value.clock.opened(hasVideo: hasVideo, hasAudio: hasAudio, isLive: duration == nil)
      state.value.isSeekable = isSeekable
      state.value.hasLength = duration != nil
      join()
      self.report(.opened(duration: duration, isSeekable: isSeekable))
      state.value.reports = loop.scheduleRepeatedTask(initialDelay: Self.reportInterval, delay: Self.reportInterval) {
        [weak self] _ in self?.reportPosition()
      }
    case .moved(let number, let position):
      guard state.value.clock.moved(number, to: position) else { return }
      if number == state.value.wanted || number == 0 {
        state.value.wanted = nil
        self.report(.moved(position))
      }
    case .ended:
      state.value.clock.ended()
      // A live stream has no beginning to return to.
      guard state.value.loops, state.value.hasLength else { return work() }
      state.value.seek += 1
      state.value.clock.loop(state.value.seek)
      guard !state.value.isSeekable else {
        state.value.reader?.send(.seek(state.value.seek, seconds: 0))
        return
      }
      state.value.rereading = state.value.seek
      var again = reading
      again.start = 0
      read(again)
    case .failed(let reason): end(.failed(reason))
    }
  }

  private func seek(to position: Double) {
    state.value.seek += 1
    state.value.wanted = state.value.seek
    state.value.clock.seek(state.value.seek, to: position)
    state.value.reader?.send(.seek(state.value.seek, seconds: position))
  }

  private func reportPosition() {
    guard !state.value.isOver, !state.value.clock.isPaused else { return }
    report(.moved(Double(state.value.clock.position(at: now)) / 1000))
  }

  /// Adds the participant to the room.
  private func join() {
    let ingest: IngestSession
    do throws(IngestError) {
      ingest = try IngestSession(
        of: plan.user, by: .player, on: loop, mixes: mixes,
        stop: { [weak self] sentence in
          guard let self else { return }
          loop.execute { self.end(self.state.value.hasJoined ? .failed(sentence) : .removed) }
        }, log: log)
    } catch { return end(.failed("\(error)")) }
    ingest.setGain(state.value.volume)
    state.value.ingest = ingest
    let token = RoomToken(room: room.name, user: plan.user, grants: [.publish], expires: Date(timeIntervalSinceNow: 60))
    let profile = plan.name.map { ParticipantProfile(name: $0, metadata: "", attributes: [:]) }
    Task { [self, room] in
      let joined = await room.publish(token, from: ingest, profile: profile)
      loop.execute { [self] in
        switch joined {
        case .joined:
          state.value.hasJoined = true
          // Ended while it joined.
          if state.value.isOver { ingest.leave() } else { work() }
        case .refused(let error): end(.failed(error.message))
        case .roomIsClosed: end(nil)
        }
      }
    }
  }

  /// Passes the frames that are due to the room, reads more if necessary, and sets the timer for the next frame.
  private func work() {
    guard !state.value.isOver else { return }
    state.value.timer?.cancel()
    if state.value.hasJoined, let ingest = state.value.ingest {
      for message in state.value.clock.due(at: now) { ingest.publish(message) }
      if state.value.clock.isOver { return end(.finished) }
      if state.value.clock.hasLooped(at: now) { reportPosition() }
      if let wake = state.value.clock.wake {
        let delay = max(1, wake - now)
        state.value.timer = loop.scheduleTask(in: .microseconds(delay)) { [weak self] in self?.work() }
      }
    }
    if state.value.isIdle, state.value.clock.wantsMore {
      state.value.isIdle = false
      state.value.reader?.read()
    }
  }
}
