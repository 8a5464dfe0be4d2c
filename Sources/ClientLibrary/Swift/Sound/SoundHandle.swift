import Foundation
import RoomCClient
import RoomCodecs
import RoomRTP
import RoomSound
import Synchronization

/// A sound studio of the app, with a clock that makes it produce a frame every 20 ms.
final class SoundHandle: Handle {
  private struct State {
    let studio = SoundStudio(milliseconds: 20)
    var files: [String: (player: FilePlayer, file: SoundFile)] = [:]
    var level = SoundLevel()
    var outputs: [UInt64: SoundOutput] = [:]
    var lastOutput: UInt64 = 0
    var isClosed = false
  }

  /// The longest name of a channel in bytes.
  private static let longestName = 64
  private static let interval = DispatchTimeInterval.milliseconds(10)

  private let state = Mutex(State())
  private let timer = Mutex(DispatchSource.makeTimerSource(queue: DispatchQueue(label: "roomclient.sound")))

  init() {
    timer.withLock { timer in
      timer.setEventHandler { [weak self] in self?.produce() }
      timer.schedule(deadline: .now(), repeating: Self.interval, leeway: .milliseconds(1))
      timer.resume()
    }
  }

  // MARK: Settings

  /// Changes the settings of the studio.
  func change(_ body: (inout SoundSettings) throws(Refusal) -> Void) throws(Refusal) {
    try state.withLock { state throws(Refusal) in try body(&state.studio.settings) }
  }

  func setChannel(_ name: String, _ channel: SoundSettings.Channel) throws(Refusal) {
    try change { settings throws(Refusal) in
      guard settings.channels[name] != nil || settings.channels.count < SoundStudio.mostChannels else {
        throw .argument("channel", "is one more than \(SoundStudio.mostChannels)")
      }
      settings.channels[name] = channel
    }
  }

  /// Reads the name of a channel.
  static func channel(_ name: UnsafePointer<CChar>?) throws(Refusal) -> String {
    let name = try text(name, "channel")
    guard (1...longestName).contains(name.utf8.count) else { throw .argument("channel", "has not 1 to \(longestName) bytes") }
    return name
  }

  // MARK: Sound

  func push(_ frame: AudioFrame, to channel: String) throws(Refusal) {
    let isTaken = state.withLock { state in
      let refused = state.studio.counters.refused
      state.studio.push(frame, to: channel)
      return state.studio.counters.refused == refused
    }
    if !isTaken { throw Refusal(RC_DROPPED, "too many channels, or a format that cannot be converted") }
  }

  func remove(_ channel: String) {
    let file = state.withLock { state in
      state.studio.remove(channel)
      state.studio.settings.channels[channel] = nil
      return state.files.removeValue(forKey: channel)?.file
    }
    file?.close()
  }

  func played(_ samples: [Int16]) { state.withLock { $0.studio.played(samples) } }

  func level(of channel: String?) -> SoundLevel {
    state.withLock { state in
      guard let channel else { return state.level }
      return state.studio.level(of: channel) ?? SoundLevel()
    }
  }

  // MARK: Files

  func play(_ path: String, as channel: String, _ file: SoundFile) throws {
    let old: SoundFile?
    do {
      old = try state.withLock { state in
        // Opened under the lock, because a player cannot be passed to another owner. The studio catches up.
        let player = try FilePlayer(path: path, end: .next { file.following() })
        guard !state.isClosed, state.studio.play(player, as: channel) else { throw Refusal(RC_DROPPED, "too many channels") }
        defer { state.files[channel] = (player, file) }
        return state.files[channel]?.file
      }
    } catch {
      file.close()
      throw error
    }
    old?.close()
  }

  /// Changes the file of a channel.
  func withFile(_ channel: String, _ body: (FilePlayer, SoundFile) -> Void) throws(Refusal) {
    try state.withLock { state throws(Refusal) in
      guard let (player, file) = state.files[channel] else { throw .argument("channel", "plays no file") }
      body(player, file)
    }
  }

  // MARK: Outputs

  /// Connects an output. The connection is ended by the result, or with the studio.
  func connect(_ output: SoundOutput) -> SoundFeed {
    let number: UInt64? = state.withLock { state in
      guard !state.isClosed else { return nil }
      state.lastOutput += 1
      state.outputs[state.lastOutput] = output
      return state.lastOutput
    }
    guard let number else {
      output.end()
      return SoundFeed {}
    }
    return SoundFeed { [weak self] in
      _ = self?.state.withLock { $0.outputs.removeValue(forKey: number) }
    }
  }

  /// Passes the frames that are due to the outputs. Runs on the timer's queue alone, so that frames stay in order.
  private func produce() {
    let now = MediaTime(microseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1000))
    while let (frame, outputs) = next(at: now) {
      // Outside the lock: an output may use the studio.
      for output in outputs where !output.isEar { output.push(frame.sound) }
      guard let ear = frame.ear else { continue }
      for output in outputs where output.isEar { output.push(ear) }
    }
  }

  private func next(at now: MediaTime) -> (SoundStudio.Frame, [SoundOutput])? {
    state.withLock { state in
      guard !state.isClosed else { return nil }
      let frame: SoundStudio.Frame?
      // A voice that fails is left out, so that the next try succeeds. `rc_sound_set_voice` has reported the failure.
      do { frame = try state.studio.next(at: now) } catch { frame = try? state.studio.next(at: now) }
      guard let frame else { return nil }
      state.level = frame.level
      for (player, file) in state.files.values where player.isAtEnd { file.ended() }
      return (frame, Array(state.outputs.values))
    }
  }

  func close() {
    timer.withLock { $0.cancel() }
    let (files, outputs) = state.withLock { state in
      state.isClosed = true
      defer { (state.files, state.outputs) = ([:], [:]) }
      return (state.files.values.map(\.file), Array(state.outputs.values))
    }
    for file in files { file.close() }
    for output in outputs { output.end() }
  }

  static func named(_ handle: OpaquePointer?) throws(Refusal) -> SoundHandle {
    try HandleTable.shared.find(handle, SoundHandle.self, "sound")
  }
}
