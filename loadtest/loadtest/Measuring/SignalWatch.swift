import RoomCodecs
import Foundation
import RoomProtocol
import Synchronization

/// Analyses the decoded video and audio of a `SignalSource` as a viewer receives it.
final class SignalWatch: Sendable {
  /// The part of the picture that the source occupies: all of it, or a rectangle if there are several sources.
  struct Region: Sendable, Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  private struct State: Sendable {
    var pictures = 0
    var delays: [Double] = []
    var lastPicture: Double?
    var longestWait = 0.0
    var isWhite = false
    /// The media time in milliseconds, and the time of day of the flash's arrival, in milliseconds.
    var flash: (media: Double, seen: Double)?
    var beep: (media: Double, seen: Double)?
    var offsets: [Double] = []
    var soundDelays: [Double] = []
    var isBeeping = false
    /// Milliseconds of silence so far.
    var quiet = 0.0
    var longestQuiet = 0.0
    var soundEnd: Double?
    var samples: [Int16] = []
  }

  /// RMS below which a window is silent, relative to full scale.
  private static let silence = 0.01
  private static let window = 480

  private let state = Mutex(State())
  private let beep: Double
  private let amplitude: Double
  private let region: Region?
  /// Whether video and audio share a clock; otherwise they are compared by arrival time.
  private let hasOneClock: Bool

  /// - Parameter region: the source's region while the picture is shared with other sources.
  init(_ settings: SignalSource.Settings, hasOneClock: Bool, region: Region? = nil) {
    beep = settings.beep
    amplitude = settings.amplitude
    self.hasOneClock = hasOneClock
    self.region = region
  }

  private static var today: Double { Date().timeIntervalSince1970 * 1000 }

  /// - Parameter media: milliseconds on the stream's clock.
  func see(_ picture: VideoFrame, media: Double) {
    let now = Self.today
    var part = picture
    var reading = ClockBlocks.read(picture)
    if reading == nil, let region, let cut = picture.part(region) {
      part = cut
      reading = ClockBlocks.read(cut)
    }
    let white = part.isFootWhite
    state.withLock { state in
      state.pictures += 1
      if let last = state.lastPicture { state.longestWait = max(state.longestWait, now - last) }
      state.lastPicture = now
      guard let reading, state.delays.count < 10_000 else { return }
      let age = (Int64(now) & (1 << 40 - 1)) - Int64(reading.milliseconds)
      state.delays.append(Double(age))
      if white, !state.isWhite {
        state.flash = (media, now)
        pair(&state)
      }
      state.isWhite = white
    }
  }

  /// - Parameters:
  ///   - samples: one channel at 48 kHz.
  ///   - media: time of the first sample, in milliseconds on the stream's clock.
  func hear(_ samples: [Int16], media: Double) {
    let now = Self.today
    state.withLock { state in
      // Missing audio counts as silence.
      if let end = state.soundEnd, media - end > 1 {
        state.quiet += media - end
        state.longestQuiet = max(state.longestQuiet, state.quiet)
        state.samples = []
      }
      let held = Double(state.samples.count) / 48
      state.samples += samples
      state.soundEnd = media + Double(samples.count) / 48
      var start = media - held
      while state.samples.count >= Self.window {
        look(
          &state, Array(state.samples.prefix(Self.window)), media: start, behind: (state.soundEnd ?? start) - start, now: now)
        state.samples.removeFirst(Self.window)
        start += Double(Self.window) / 48
      }
    }
  }

  /// - Parameter behind: milliseconds of audio from the window's start to the end of the received audio.
  private func look(_ state: inout State, _ window: [Int16], media: Double, behind: Double, now: Double) {
    let power = window.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(window.count)
    let level = power.squareRoot() / 32_768
    let length = Double(window.count) / 48
    state.quiet = level < min(Self.silence, amplitude / 4) ? state.quiet + length : 0
    state.longestQuiet = max(state.longestQuiet, state.quiet)
    let loud = ToneDetector.amplitude(of: beep, in: window, sampleRate: 48_000)
    let beeps = loud > amplitude * (state.isBeeping ? 0.4 : 0.7)
    if beeps, !state.isBeeping {
      state.beep = (media, now - behind)
      // The beep starts at a full second of the time of day.
      if state.soundDelays.count < 10_000 { state.soundDelays.append(now.truncatingRemainder(dividingBy: 1000)) }
      pair(&state)
    }
    state.isBeeping = beeps
  }

  private func pair(_ state: inout State) {
    guard let flash = state.flash, let beep = state.beep else { return }
    let offset = hasOneClock ? beep.media - flash.media : beep.seen - flash.seen
    guard abs(offset) < 500 else { return }
    if state.offsets.count < 10_000 { state.offsets.append(offset) }
    (state.flash, state.beep) = (nil, nil)
  }

  /// Discards what was received of a kind since the last report, and the wait for more: the server stated that it sends none.
  func excuse(_ kind: TrackKind) {
    state.withLock { state in
      switch kind {
      case .video:
        state.pictures = 0
        state.longestWait = 0
        state.lastPicture = nil
      case .audio:
        state.quiet = 0
        state.longestQuiet = 0
        state.soundEnd = nil
        state.samples = []
      }
    }
  }

  /// What was observed since the last report.
  struct Report: Sendable {
    var pictures: Int
    var delays: [Double]
    var offsets: [Double]
    var soundDelays: [Double]
    /// Longest interval between pictures, in milliseconds; nil before the second picture.
    var longestWait: Double?
    /// Longest silence, in milliseconds; nil before any audio.
    var longestQuiet: Double?
  }

  func take() -> Report {
    let now = Self.today
    return state.withLock { state in
      let wait = state.lastPicture.map { max(state.longestWait, now - $0) }
      let report = Report(
        pictures: state.pictures, delays: state.delays, offsets: state.offsets, soundDelays: state.soundDelays,
        longestWait: wait,
        longestQuiet: state.soundEnd == nil ? nil : state.longestQuiet)
      state.pictures = 0
      state.longestWait = 0
      state.longestQuiet = 0
      (state.delays, state.offsets, state.soundDelays) = ([], [], [])
      return report
    }
  }

  /// Whether the source's picture or audio has been received.
  var hasMedia: Bool { state.withLock { $0.lastPicture != nil || $0.soundEnd != nil } }
}

extension SignalWatch.Report {
  /// Records what was observed in the last `seconds` seconds.
  func tell(_ recorder: Recorder, of kind: String, seconds: Double) {
    for delay in delays { recorder.record(.delay, delay, of: kind) }
    for offset in offsets { recorder.record(.offset, offset, of: kind) }
    for delay in soundDelays { recorder.record(.soundDelay, delay, of: kind) }
    if let longestWait {
      recorder.record(.freeze, longestWait, of: kind)
      recorder.record(.fps, Double(pictures) / seconds, of: kind)
    }
    if let longestQuiet { recorder.record(.silence, longestQuiet, of: kind) }
  }
}

extension VideoFrame {
  /// Returns a copy of a region, or nil if the region exceeds the picture.
  func part(_ region: SignalWatch.Region) -> VideoFrame? {
    guard region.x >= 0, region.y >= 0, region.x + region.width <= width, region.y + region.height <= height,
      var part = try? VideoFrame(width: region.width, height: region.height, timestamp: timestamp)
    else { return nil }
    withPlanes { from in
      part.withMutablePlanes { to in
        for row in 0..<to.height {
          (to.y + row * to.yStride).update(from: from.y + (region.y + row) * from.yStride + region.x, count: to.width)
        }
        for row in 0..<to.chromaHeight {
          let place = (region.y / 2 + row) * from.chromaStride + region.x / 2
          (to.u + row * to.chromaStride).update(from: from.u + place, count: to.chromaWidth)
          (to.v + row * to.chromaStride).update(from: from.v + place, count: to.chromaWidth)
        }
      }
    }
    return part
  }

  /// Whether the bar at the bottom of a `SignalSource` picture is white.
  var isFootWhite: Bool {
    withPlanes { planes in
      let rows = (planes.height * 15 / 16)..<(planes.height * 31 / 32)
      var sum = 0
      var count = 0
      for row in rows {
        for column in stride(from: planes.width / 4, to: planes.width * 3 / 4, by: 4) {
          sum += Int(planes.y[row * planes.yStride + column])
          count += 1
        }
      }
      return count > 0 && sum / count > 128
    }
  }
}
