import RoomCodecs
import Foundation
import RoomMedia
import Synchronization

/// What a player of a live stream shows: the clock in its pictures, its tones, and the times of flashes and beeps.
final class WatchedStream: Sendable {
  struct Seen: Sendable {
    var pictures = PictureLog()
    var sound = SoundLog()
    var states: [StreamPlayer.State] = []
    /// The times of the pictures and of the frames of sound, in seconds.
    var pictureTimes: [Double] = []
    var soundTimes: [Double] = []
    var flashes: [Double] = []
    var beeps: [Double] = []
    fileprivate var isWhite = false
    fileprivate var isLoud = false
  }

  let player: StreamPlayer
  private let seen: Shared
  private let tasks: [Task<Void, Never>]

  private final class Shared: Sendable { let state = Mutex(Seen()) }

  convenience init(_ url: String, options: StreamPlayer.Options = StreamPlayer.Options()) {
    self.init(StreamPlayer(url, options: options))
  }

  init(_ player: StreamPlayer) {
    self.player = player
    let seen = Shared()
    self.seen = seen
    let (pictures, sound, states) = (player.pictures, player.sound, player.states())
    tasks = [
      Task {
        for await picture in pictures {
          let now = Int64(Date().timeIntervalSince1970 * 1000)
          let luma = picture.withPlanes { Int($0.y[$0.height / 2 * $0.yStride + $0.width / 2]) }
          seen.state.withLock { seen in
            let time = Double(picture.timestamp.microseconds) / 1_000_000
            seen.pictures.show(picture, now: now)
            seen.pictureTimes.append(time)
            if luma > 128, !seen.isWhite { seen.flashes.append(time) }
            seen.isWhite = luma > 128
          }
        }
      },
      Task {
        for await frame in sound {
          seen.state.withLock { seen in
            seen.soundTimes.append(Double(frame.timestamp.microseconds) / 1_000_000)
            var mono = frame
            mono.samples = stride(from: 0, to: frame.samples.count, by: 2).map { frame.samples[$0] }
            mono.format = .mono48k
            seen.sound.hear(mono)
            for (index, sample) in mono.samples.enumerated() {
              let time = Double(frame.timestamp.microseconds) / 1_000_000 + Double(index) / 48_000
              if abs(Int(sample)) > 3000 {
                if !seen.isLoud { seen.beeps.append(time) }
                seen.isLoud = true
              }
            }
            // A tone has quiet samples; only a quiet frame ends a beep.
            if mono.samples.allSatisfy({ abs(Int($0)) < 1000 }) { seen.isLoud = false }
          }
        }
      },
      Task { for await state in states { seen.state.withLock { $0.states.append(state) } } },
    ]
  }

  deinit { for task in tasks { task.cancel() } }

  var now: Seen { seen.state.withLock { $0 } }

  /// Seconds from the nearest flash to each beep.
  var offsets: [Double] {
    let seen = now
    return seen.beeps.compactMap { beep in seen.flashes.map { beep - $0 }.min { abs($0) < abs($1) } }.filter { abs($0) < 0.5 }
  }
}
