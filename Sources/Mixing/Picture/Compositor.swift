public import Codecs

/// Draws compositions, one after the other, onto one canvas: only what has changed is drawn anew. One owner at a time.
///
/// A source keeps its last picture until it gives another one; one that has none yet, or none any more, shows the background.
public final class Compositor<ID: Hashable & Sendable> {
  /// Since the start.
  public struct Counters: Sendable, Hashable {
    /// Pictures asked for.
    public var composed: UInt64 = 0
    /// Of these, such that nothing had to be drawn for.
    public var unchanged: UInt64 = 0
    /// Source pictures scaled onto the canvas.
    public var drawn: UInt64 = 0
  }

  public private(set) var counters = Counters()
  /// From the next picture on. Its size is that of the canvas.
  public private(set) var composition: Composition<ID>

  private var canvas: VideoFrame
  private let bounds: PixelFrame
  private let pool: FramePool
  private var sources: [ID: VideoFrame] = [:]
  private var changed: Set<ID> = []
  private var isStale = true
  /// By height, lowest first.
  private var placements: [Placement<ID>] = []
  /// No placement covers another, and none has round corners.
  private var isFlat = true

  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public init(_ composition: Composition<ID>, pool: FramePool = .shared) throws(CodecError) {
    self.composition = composition
    self.pool = pool
    canvas = try VideoFrame(width: composition.width, height: composition.height, pool: pool)
    bounds = PixelFrame(x: 0, y: 0, width: composition.width, height: composition.height)
    arrange()
  }

  /// Shows something else from the next picture on; the canvas keeps its size.
  public func setPlacements(_ placements: [Placement<ID>]) {
    composition.placements = placements
    arrange()
  }

  /// Another background or other overlays from the next picture on.
  public func setSurroundings(background: Background, overlays: [Overlay]) {
    composition.background = background
    composition.overlays = overlays
    isStale = true
  }

  /// A source's new picture; nil where it has none any more.
  public func setPicture(_ picture: VideoFrame?, of source: ID) {
    guard picture != nil || sources[source] != nil else { return }
    sources[source] = picture
    changed.insert(source)
    if picture == nil { isStale = true }
  }

  /// The canvas as it is now.
  /// - Parameter timestamp: microseconds, for the picture.
  public func compose(timestamp: Int64) -> VideoFrame {
    counters.composed += 1
    let shown = changed.filter { id in placements.contains { $0.source == id } }
    if isStale || (!isFlat && !shown.isEmpty) {
      drawAll()
    } else if shown.isEmpty {
      counters.unchanged += 1
    } else {
      for placement in placements where shown.contains(placement.source) { redraw(placement) }
    }
    isStale = false
    changed = []
    var picture = canvas
    picture.timestamp = timestamp
    return picture
  }

  private func arrange() {
    placements = composition.placements.enumerated().sorted { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
      .map(\.element)
    isFlat = !placements.contains { $0.cornerRadius > 0 }
    for (index, placement) in placements.enumerated() where isFlat {
      isFlat = !placements[..<index].contains { $0.frame.intersection(placement.frame) != nil }
    }
    isStale = true
  }

  private func drawAll() {
    drawBackground(in: bounds)
    for placement in placements { draw(placement) }
    for overlay in composition.overlays { canvas.blend(overlay, clip: bounds) }
  }

  /// A placement that nothing but overlays covers.
  private func redraw(_ placement: Placement<ID>) {
    guard let area = placement.frame.intersection(bounds) else { return }
    // Bars stay where they were as long as the source has the same proportions; it may have others now.
    if placement.mode == .fit { drawBackground(in: area) }
    draw(placement)
    for overlay in composition.overlays { canvas.blend(overlay, clip: area) }
  }

  private func drawBackground(in area: PixelFrame) {
    switch composition.background {
    case .colour(let colour):
      canvas.withMutablePlanes { $0.fill(x: area.x, y: area.y, width: area.width, height: area.height, colour) }
    case .image(let image):
      guard let fitting = PictureFitting(image, in: bounds, mode: .fill, bounds: area) else { return }
      canvas.draw(image, fitting.crop, to: fitting.target)
    }
  }

  private func draw(_ placement: Placement<ID>) {
    guard let source = sources[placement.source],
      let fitting = PictureFitting(source, in: placement.frame, mode: placement.mode, bounds: bounds)
    else { return }
    counters.drawn += 1
    let corners = placement.cornerRadius > 0 ? RoundCorners(placement.frame, radius: placement.cornerRadius) : nil
    guard let corners, let under = corners.copy(of: canvas) else {
      canvas.draw(source, fitting.crop, to: fitting.target)
      return
    }
    canvas.draw(source, fitting.crop, to: fitting.target)
    for overlay in under { canvas.blend(overlay, clip: bounds) }
  }
}
