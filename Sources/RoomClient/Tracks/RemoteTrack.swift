import RoomRTP
import RoomProtocol
import Synchronization

/// A track of another participant that this client receives as encoded frames.
public final class RemoteTrack: Sendable {
  /// The publisher.
  public let userId: UserID
  /// The track's id.
  public let trackId: TrackID
  /// Whether the track is audio or video.
  public let kind: TrackKind
  /// The codec.
  public let codec: CodecName

  private struct Reader {
    var continuation: AsyncStream<EncodedFrame>.Continuation
    /// Whether the reader lost a frame, or is new: it cannot use frames before the next key frame.
    var needsKeyFrame: Bool
  }

  private struct State {
    var info: TrackInfo
    var readers: [UInt64: Reader] = [:]
    /// For video, the frames from the last key frame on, for the first reader; nil once there was one.
    var early: [EncodedFrame]?
    var next: UInt64 = 0
    var ended = false
    var unread: UInt64 = 0
    /// The number of the newest transport that delivers the track.
    var source: UInt64 = 0
    var askForKeyFrame: (@Sendable () -> Void)?
    /// Called once, when the first picture is decoded.
    var decoded: (@Sendable (RemoteTrack) -> Void)?

    mutating func accept(_ frame: EncodedFrame, from source: UInt64, isVideo: Bool) -> Bool {
      guard source != self.source else { return true }
      guard source > self.source, frame.isKeyFrame || !isVideo else { return false }
      self.source = source
      return true
    }

    /// Not kept beyond the backlog: the first reader then requests a key frame.
    mutating func keepEarly(_ frame: EncodedFrame) {
      if frame.isKeyFrame {
        early = [frame]
      } else if let count = early?.count, count > 0 {
        if count < RemoteTrack.frameBacklog { early?.append(frame) } else { early = [] }
      }
    }
  }

  private let state: Mutex<State>
  private let ended = EndedReaders()

  private let receive: (@Sendable (TrackReception) async throws -> Void)?

  init(
    userId: UserID, info: TrackInfo, codec: CodecName, decoded: (@Sendable (RemoteTrack) -> Void)? = nil,
    receive: (@Sendable (TrackReception) async throws -> Void)? = nil
  ) {
    self.userId = userId
    self.receive = receive
    trackId = info.trackId
    kind = info.kind
    self.codec = codec
    state = Mutex(
      State(info: info, early: info.kind == .video ? [] : nil, decoded: info.kind == .video ? decoded : nil))
  }

  /// The track as its publisher last described it.
  public var info: TrackInfo { state.withLock { $0.info } }
  /// The publisher's free text: "camera", "screen".
  public var tag: String { info.tag }
  /// Whether the track is muted.
  public var isMuted: Bool { info.muted }

  /// The complete frames in order, from a key frame on. Each access returns a new stream, which ends with the subscription.
  ///
  /// A stream buffers at most ``frameBacklog`` frames. A slow reader loses video up to the next key frame, which it requests,
  /// or the oldest audio packets.
  public var frames: AsyncStream<EncodedFrame> {
    let video = kind == .video
    let (stream, continuation) = AsyncStream.makeStream(
      of: EncodedFrame.self, bufferingPolicy: video ? .bufferingOldest(Self.frameBacklog) : .bufferingNewest(Self.frameBacklog))
    var isServed = !video
    removeEnded()
    let id: UInt64? = state.withLock { state in
      guard !state.ended else { return nil }
      if let early = state.early, !early.isEmpty {
        for frame in early { continuation.yield(frame) }
        isServed = true
      }
      state.early = nil
      state.next &+= 1
      state.readers[state.next] = Reader(continuation: continuation, needsKeyFrame: !isServed)
      return state.next
    }
    guard let id else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { [weak self] _ in self?.ended.add(id) }
    if !isServed { askForKeyFrame() }
    return stream
  }

  /// The number of frames that one stream buffers: about two seconds of video or one of audio.
  public static let frameBacklog = 64

  /// Requests a key frame from the publisher. The server and the publisher limit the rate. Does nothing for audio.
  public func requestKeyFrame() {
    if kind == .video { askForKeyFrame() }
  }

  /// Selects the layer of a simulcast that the server sends, or pauses the track. Replaces the earlier choice; it also applies
  /// after a reconnection.
  ///
  /// The largest layer within the limits is sent, or the smallest if none is. The layer changes at a key frame, so decoders see
  /// a new picture size and no gap. Of VP8 with temporal layers, `maxFps` leaves out frames. Any other track without layers can
  /// only be paused.
  /// - Parameters:
  ///   - maxWidth: in pixels, 1…16384; nil for no limit.
  ///   - maxHeight: as `maxWidth`.
  ///   - maxFps: in frames per second, 1…1000; nil for no limit.
  ///   - priority: 0…255; nil means 0, or 96 for a shared screen. If the connection does not carry everything, tracks of a
  ///     higher priority get their pictures first; from 128 on a track is pinned.
  ///   - isPaused: whether the server sends nothing of the track.
  /// - Throws: `RoomError` 80202 if the track has ended or a value is out of range; ``RoomClientError`` while the connection is
  ///   down.
  public func setReception(
    maxWidth: Int? = nil, maxHeight: Int? = nil, maxFps: Int? = nil, priority: Int? = nil, isPaused: Bool = false
  ) async throws {
    try await receive?(
      TrackReception(
        trackId: trackId, maxWidth: maxWidth, maxHeight: maxHeight, maxFps: maxFps, priority: priority, paused: isPaused))
  }

  /// Reports that a picture of this video track was decoded. The first report results in
  /// ``RoomEvent/firstVideoFrameDecoded(_:)``; later ones do nothing.
  ///
  /// `VideoPlayback` calls it; an app with its own decoder must call it itself.
  public func reportDecoded() { state.withLock { $0.decoded.take() }?(self) }

  private func askForKeyFrame() { state.withLock { $0.askForKeyFrame }?() }

  /// Sets the transport that carries the track, which receives the key frame requests.
  func connect(requestKeyFrame: @escaping @Sendable () -> Void) {
    state.withLock { $0.askForKeyFrame = requestKeyFrame }
  }

  /// Whether a transport has delivered a frame, and the track is not muted.
  var isFlowing: Bool { state.withLock { $0.source > 0 && !$0.info.muted } }

  /// The number of frames that slow readers lost.
  var unread: UInt64 { state.withLock { $0.unread } }

  private func removeEnded() {
    let ids = ended.take()
    guard !ids.isEmpty else { return }
    // The removed readers are released outside the lock, because their deinitialization may run other code.
    _ = state.withLock { state in ids.compactMap { state.readers.removeValue(forKey: $0) } }
  }

  /// Delivers a frame to the readers. A newer transport replaces the older one with its first frame that needs no other.
  /// - Parameter source: the transport's number; newer ones are larger.
  /// - Returns: whether the frame was delivered.
  @discardableResult
  func deliver(_ frame: EncodedFrame, from source: UInt64 = 0) -> Bool {
    removeEnded()
    let asks: Bool? = state.withLock { state in
      guard state.accept(frame, from: source, isVideo: kind == .video) else { return nil }
      var asks = false
      if state.early != nil { state.keepEarly(frame) }
      for (id, var reader) in state.readers {
        if reader.needsKeyFrame, !frame.isKeyFrame { continue }
        var lost = false
        if case .dropped = reader.continuation.yield(frame) {
          state.unread &+= 1
          lost = kind == .video
        }
        guard lost || reader.needsKeyFrame else { continue }
        asks = asks || lost
        reader.needsKeyFrame = lost
        state.readers[id] = reader
      }
      return asks
    }
    if asks == true { askForKeyFrame() }
    return asks != nil
  }

  func setMuted(_ muted: Bool) { state.withLock { $0.info.muted = muted } }

  func end() {
    let readers = state.withLock { state in
      state.ended = true
      state.askForKeyFrame = nil
      state.decoded = nil
      defer { state.readers = [:] }
      return Array(state.readers.values)
    }
    for reader in readers { reader.continuation.finish() }
  }
}
