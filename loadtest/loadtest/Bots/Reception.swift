import RoomCodecs
import Foundation
import RoomMedia
import Synchronization

/// What one bot receives from another.
final class Reception: Sendable {
  private struct State: Sendable {
    var pictures = 0
    /// Milliseconds from drawing a picture to decoding it, since the last report.
    var delays: [Int] = []
    var size = (width: 0, height: 0)
    /// The last 200 ms of audio.
    var samples: [Int16] = []
    var soundFrames = 0
  }

  private let state = Mutex(State())
  private let tasks = Mutex<[Task<Void, Never>]>([])

  deinit { tasks.withLock { $0.forEach { $0.cancel() } } }

  func watch(_ playback: VideoPlayback) {
    keep { reception in
      for await picture in playback.frames { reception()?.saw(picture) }
    }
  }

  func listen(to playback: AudioPlayback) {
    keep { reception in
      for await frame in playback.frames { reception()?.heard(frame) }
    }
  }

  /// Returns what was received since the last report.
  func report(over seconds: Double) -> String {
    let now = state.withLock { state in
      defer {
        state.pictures = 0
        state.delays = []
        state.soundFrames = 0
      }
      return state
    }
    guard now.pictures + now.soundFrames > 0 else { return "nothing" }
    var parts = ["\(now.size.width)x\(now.size.height)", "\(Int((Double(now.pictures) / seconds).rounded())) fps"]
    let delays = now.delays.sorted()
    if !delays.isEmpty { parts.append("\(delays[delays.count / 2]) ms") }
    if let tone = ToneDetector.strongestTone(in: now.samples, sampleRate: 48_000, range: 100...2000, threshold: 0.005) {
      parts.append("\(Int(tone.frequency.rounded())) Hz")
    } else {
      parts.append("silent")
    }
    return parts.joined(separator: " ")
  }

  private func saw(_ picture: VideoFrame) {
    let clock = ClockBlocks.read(picture)
    state.withLock { state in
      state.pictures += 1
      state.size = (picture.width, picture.height)
      if let clock, state.delays.count < 10_000 { state.delays.append(clock.age(now: Date())) }
    }
  }

  private func heard(_ frame: AudioFrame) {
    state.withLock { state in
      state.soundFrames += 1
      state.samples.append(contentsOf: frame.samples)
      if state.samples.count > 9600 { state.samples.removeFirst(state.samples.count - 9600) }
    }
  }

  private func keep(_ body: @escaping @Sendable (@Sendable () -> Reception?) async -> Void) {
    let task = Task { [weak self] in await body { [weak self] in self } }
    tasks.withLock { $0.append(task) }
  }
}

extension ClockBlocks.Reading {
  /// Returns the milliseconds since the clock was drawn, by this machine's clock.
  fileprivate func age(now: Date) -> Int {
    let bits = UInt64(1) << 40
    let milliseconds = UInt64(max(0, now.timeIntervalSince1970 * 1000)) % bits
    let age = (milliseconds &+ bits &- self.milliseconds) % bits
    // Negative if the sender's clock is ahead.
    return age < bits / 2 ? Int(age) : -Int(bits - age)
  }
}
