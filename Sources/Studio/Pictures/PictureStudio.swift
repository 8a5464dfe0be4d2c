public import RoomCodecs
import Synchronization

/// Changes an anchor's pictures between the source and the encoder: size, beauty, filter, an app's own effects, mirror,
/// stickers, texts, watermark.
///
/// ```swift
/// let studio = PictureStudio()
/// studio.settings.beauty = Beauty(smooth: 0.6, whiten: 0.3, redden: 0.2)
/// let camera = try VideoSource(VideoPreset.medium1.configuration(), studio: studio)
/// for await picture in studio.previews() { show(picture) }
/// ```
///
/// The studio has no thread, timer or clock: it works when a picture is passed to it. ``settings`` can be replaced at any time.
/// The memory of pictures comes from a `FramePool`.
public final class PictureStudio: FrameProcessor {
  /// The pictures that one pushed picture results in.
  public struct Output: Sendable {
    /// The picture to encode.
    public let stream: VideoFrame
    /// The picture to show to the anchor. The picture shares its memory with `stream` unless only one of them is mirrored.
    public let preview: VideoFrame
  }

  private struct State {
    var settings: PictureSettings
    var last: Output?
  }

  private let state: Mutex<State>
  private let taps = PreviewTaps()
  private let pool: FramePool

  /// - Parameters:
  ///   - settings: what the studio does at first.
  ///   - pool: the memory of mirrored pictures.
  public init(_ settings: PictureSettings = PictureSettings(), pool: FramePool = .shared) {
    state = Mutex(State(settings: settings))
    self.pool = pool
  }

  deinit { taps.finish() }

  /// What the studio does. A change applies from the next picture on.
  public var settings: PictureSettings {
    get { state.withLock { $0.settings } }
    set { state.withLock { $0.settings = newValue } }
  }

  /// Returns the picture to encode, and sends the preview to its readers.
  public func process(_ frame: VideoFrame) -> VideoFrame { output(of: frame).stream }

  /// Returns the picture to encode and the one to show to the anchor, and sends the latter to the readers of ``previews(backlog:)``.
  public func output(of frame: VideoFrame) -> Output {
    let settings = settings
    var picture = frame
    if settings.range == .full { RangeLimit().apply(to: &picture) }
    settings.size?.apply(to: &picture)
    settings.beauty?.apply(to: &picture)
    settings.filter?.apply(to: &picture)
    for effect in settings.effects { effect.apply(to: &picture) }
    let output = mirrored(picture, settings)
    state.withLock { $0.last = output }
    taps.send(output.preview)
    return output
  }

  /// Returns a stream of the pictures for the anchor's own screen, from the next one on.
  /// - Parameter backlog: the number of pictures that wait for a slow reader. Beyond it the oldest are dropped.
  public func previews(backlog: Int = 1) -> AsyncStream<VideoFrame> { taps.stream(backlog: backlog) }

  /// Returns the last picture of the stream, or the last preview; nil before the first. `jpeg()` and `png()` make a file of it.
  public func snapshot(ofPreview: Bool = false) -> VideoFrame? {
    state.withLock { ofPreview ? $0.last?.preview : $0.last?.stream }
  }

  /// Mirrors what is to be mirrored, and draws the overlays above.
  private func mirrored(_ picture: VideoFrame, _ settings: PictureSettings) -> Output {
    let overlays = settings.overlays
    func finished(isMirrored: Bool) -> VideoFrame {
      var result = picture
      if isMirrored { Mirror(pool: pool).apply(to: &result) }
      let bounds = PixelFrame(x: 0, y: 0, width: result.width, height: result.height)
      for overlay in overlays { result.blend(overlay, clip: bounds) }
      return result
    }
    let stream = finished(isMirrored: settings.mirror.stream)
    let isSame = settings.mirror.stream == settings.mirror.preview
    return Output(stream: stream, preview: isSame ? stream : finished(isMirrored: settings.mirror.preview))
  }
}
