public import NIOCore
import RoomCodecs
import Synchronization

/// A ``VideoTranscoder`` on a thread of the mixes. The stage's source and its receiver are on other threads.
public final class TranscodingStage: Sendable {
  /// What the stage returns, in order.
  public enum Output: Sendable {
    case pictures([EncodedPicture])
    /// The stage is over.
    case failed(VideoTranscoder.Failure)
  }

  /// Access units that wait at most; about two seconds.
  private static let longestQueue = 64

  private struct State {
    var waiting = 0
    var isLosing = false
    var lost = 0
    var wantsKeyFrame = false
    var isOver = false
  }

  private let loop: any EventLoop
  private let transcoder: NIOLoopBoundBox<VideoTranscoder>
  private let state = Mutex(State())
  private let receive: @Sendable (Output) -> Void

  /// - Parameters:
  ///   - loop: the thread that decodes and encodes.
  ///   - receive: receives the output, on that thread.
  public init(_ transcoder: sending VideoTranscoder, on loop: any EventLoop, receive: @escaping @Sendable (Output) -> Void) {
    self.loop = loop
    self.transcoder = .makeBoxSendingValue(transcoder, eventLoop: loop)
    self.receive = receive
  }

  /// Access units that were lost because the thread was too slow.
  public var lost: Int { state.withLock { $0.lost } }

  /// Accepts an access unit. If too many wait, loses those up to the next key frame.
  public func take(_ sample: VideoTranscoder.Sample) {
    let isTaken = state.withLock { state in
      guard !state.isOver else { return false }
      if sample.isKeyFrame { state.isLosing = false }
      if state.waiting >= Self.longestQueue, sample.format == nil { state.isLosing = true }
      guard !state.isLosing else {
        state.lost += 1
        return false
      }
      state.waiting += 1
      return true
    }
    guard isTaken else { return }
    loop.execute { self.transcode(sample) }
  }

  /// Makes the next picture a key frame.
  public func requestKeyFrame() { state.withLock { $0.wantsKeyFrame = true } }

  /// Ends the stage. Output may still arrive.
  public func end() { state.withLock { $0.isOver = true } }

  private func transcode(_ sample: VideoTranscoder.Sample) {
    let transcoder = transcoder.value
    let isOver = state.withLock { state in
      state.waiting -= 1
      if state.wantsKeyFrame { transcoder.requestKeyFrame() }
      state.wantsKeyFrame = false
      return state.isOver
    }
    guard !isOver else { return }
    do throws(VideoTranscoder.Failure) {
      let pictures = try transcoder.take(sample)
      if !pictures.isEmpty { receive(.pictures(pictures)) }
    } catch {
      end()
      receive(.failed(error))
    }
  }
}
