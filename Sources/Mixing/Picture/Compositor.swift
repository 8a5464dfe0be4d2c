public import Codecs
public import RTP

/// Draws compositions, one after the other, onto one canvas: only what has changed is drawn anew. One owner at a time.
///
/// A source keeps its last picture until it gives another one; one that has none yet, or none any more, shows its placeholder, or
/// else the background.
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
  private var placeholders: [ID: VideoFrame] = [:]
  private var changed: Set<ID> = []
  private var isStale = true
  /// By height, lowest first, with bounded frames.
  private var placements: [(placement: Placement<ID>, corners: RoundCorners?)] = []
  /// No placement covers another, and none has round corners.
  private var isFlat = true
  /// The background's image in the canvas' size.
  private var backdrop: VideoFrame?

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
    backdrop = nil
    isStale = true
  }

  /// Other overlays from the next picture on.
  public func setOverlays(_ overlays: [Overlay]) {
    composition.overlays = overlays
    isStale = true
  }

  /// A source's new picture; nil where it has none any more.
  public func setPicture(_ picture: VideoFrame?, of source: ID) {
    guard picture != nil || sources[source] != nil else { return }
    // What is behind it may be seen, or may no longer be.
    if (picture == nil) != (sources[source] == nil), isPlaced(source) { isStale = true }
    sources[source] = picture
    changed.insert(source)
  }

  /// What is shown in the place of a source that has no picture; nil for the background.
  public func setPlaceholder(_ picture: VideoFrame?, of source: ID) {
    guard picture != nil || placeholders[source] != nil else { return }
    placeholders[source] = picture
    if sources[source] == nil, isPlaced(source) { isStale = true }
  }

  /// The canvas as it is now.
  public func compose(timestamp: MediaTime) -> VideoFrame {
    counters.composed += 1
    let shown = changed.filter(isPlaced)
    if isStale || (!isFlat && !shown.isEmpty) {
      drawAll()
    } else if shown.isEmpty {
      counters.unchanged += 1
    } else {
      for (placement, _) in placements where shown.contains(placement.source) { redraw(placement) }
    }
    isStale = false
    changed = []
    var picture = canvas
    picture.timestamp = timestamp
    return picture
  }

  private func arrange() {
    let ordered = composition.placements.enumerated()
      .sorted { ($0.element.zIndex, $0.offset) < ($1.element.zIndex, $1.offset) }
    placements = ordered.map { _, placement in
      var placement = placement
      placement.frame = placement.frame.bounded
      return (placement, RoundCorners(placement.frame, radius: placement.cornerRadius, on: bounds))
    }
    isFlat = !placements.contains { $0.corners != nil }
    for (index, (placement, _)) in placements.enumerated() where isFlat {
      isFlat = !placements[..<index].contains { $0.placement.frame.intersection(placement.frame) != nil }
    }
    isStale = true
  }

  private func isPlaced(_ source: ID) -> Bool { placements.contains { $0.placement.source == source } }

  private func picture(of source: ID) -> VideoFrame? { sources[source] ?? placeholders[source] }

  private func drawAll() {
    // Nothing is seen of what lies under a picture that fills the canvas.
    let lowest = placements.lastIndex { placement, corners in
      corners == nil && placement.mode != .fit && placement.frame.intersection(bounds) == bounds
        && picture(of: placement.source) != nil
    }
    if lowest == nil { drawBackground(in: bounds) }
    for (placement, corners) in placements[(lowest ?? 0)...] { draw(placement, corners) }
    for overlay in composition.overlays { canvas.blend(overlay, clip: bounds) }
  }

  /// A placement that nothing but overlays covers.
  private func redraw(_ placement: Placement<ID>) {
    guard let area = placement.frame.intersection(bounds) else { return }
    // Bars stay where they were as long as the source has the same proportions; it may have others now.
    if placement.mode == .fit { drawBackground(in: area) }
    draw(placement, nil)
    for overlay in composition.overlays { canvas.blend(overlay, clip: area) }
  }

  private func drawBackground(in area: PixelFrame) {
    switch composition.background {
    case .colour(let colour):
      canvas.withMutablePlanes { $0.fill(x: area.x, y: area.y, width: area.width, height: area.height, colour) }
    case .image(let image):
      guard let backdrop = backdrop ?? makeBackdrop(image) else { return }
      self.backdrop = backdrop
      canvas.draw(backdrop, PictureCrop(x: area.x, y: area.y, width: area.width, height: area.height), to: area)
    }
  }

  private func makeBackdrop(_ image: VideoFrame) -> VideoFrame? {
    guard let fitting = PictureFitting(image, in: bounds, mode: .fill, bounds: bounds),
      var backdrop = try? VideoFrame(width: bounds.width, height: bounds.height, pool: pool)
    else { return nil }
    backdrop.draw(image, fitting.crop, to: fitting.target)
    return backdrop
  }

  private func draw(_ placement: Placement<ID>, _ corners: RoundCorners?) {
    guard let source = picture(of: placement.source),
      let fitting = PictureFitting(source, in: placement.frame, mode: placement.mode, bounds: bounds)
    else { return }
    counters.drawn += 1
    let under = corners?.copy(of: canvas) ?? []
    canvas.draw(source, fitting.crop, to: fitting.target)
    for overlay in under { canvas.blend(overlay, clip: bounds) }
  }
}
