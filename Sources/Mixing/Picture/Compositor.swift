public import RoomCodecs
public import RoomRTP

/// Draws successive compositions on one canvas and redraws only what has changed. One owner at a time.
///
/// A source keeps its last picture until it provides another. A source without a picture shows its placeholder, or else the
/// background.
public final class Compositor<ID: Hashable & Sendable> {
  /// Counters since the start.
  public struct Counters: Sendable, Hashable {
    /// Composed pictures.
    public var composed: UInt64 = 0
    /// Composed pictures for which nothing had to be drawn.
    public var unchanged: UInt64 = 0
    /// Source pictures scaled onto the canvas.
    public var drawn: UInt64 = 0
  }

  public private(set) var counters = Counters()
  /// The composition of the next picture. The composition's size is the canvas size.
  public private(set) var composition: Composition<ID>

  private var canvas: VideoFrame
  private let bounds: PixelFrame
  private let pool: FramePool
  private var sources: [ID: VideoFrame] = [:]
  private var placeholders: [ID: VideoFrame] = [:]
  private var changed: Set<ID> = []
  private var isStale = true
  /// The placements in z-order, lowest first, with clamped frames.
  private var placements: [(placement: Placement<ID>, corners: RoundCorners?)] = []
  /// Whether no placement covers another and none has rounded corners.
  private var isFlat = true
  /// The background image at the canvas size.
  private var backdrop: VideoFrame?

  /// - Throws: ``CodecError/unsupportedSize(width:height:)``
  public init(_ composition: Composition<ID>, pool: FramePool = .shared) throws(CodecError) {
    self.composition = composition
    self.pool = pool
    canvas = try VideoFrame(width: composition.width, height: composition.height, pool: pool)
    bounds = PixelFrame(x: 0, y: 0, width: composition.width, height: composition.height)
    arrange()
  }

  /// Sets the placements from the next picture on. The canvas keeps its size.
  public func setPlacements(_ placements: [Placement<ID>]) {
    composition.placements = placements
    arrange()
  }

  /// Sets the background and the overlays from the next picture on.
  public func setBackground(background: Background, overlays: [Overlay]) {
    composition.background = background
    composition.overlays = overlays
    backdrop = nil
    isStale = true
  }

  /// Sets the overlays from the next picture on.
  public func setOverlays(_ overlays: [Overlay]) {
    composition.overlays = overlays
    isStale = true
  }

  /// Sets a source's picture; nil if it has none.
  public func setPicture(_ picture: VideoFrame?, of source: ID) {
    guard picture != nil || sources[source] != nil else { return }
    // What is behind the source becomes visible, or is hidden.
    if (picture == nil) != (sources[source] == nil), isPlaced(source) { isStale = true }
    sources[source] = picture
    changed.insert(source)
  }

  /// Sets the picture shown for a source without a picture; nil for the background.
  public func setPlaceholder(_ picture: VideoFrame?, of source: ID) {
    guard picture != nil || placeholders[source] != nil else { return }
    placeholders[source] = picture
    if sources[source] == nil, isPlaced(source) { isStale = true }
  }

  /// Returns the current canvas.
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
    // A picture that fills the canvas hides everything below it.
    let lowest = placements.lastIndex { placement, corners in
      corners == nil && placement.mode != .fit && placement.frame.intersection(bounds) == bounds
        && picture(of: placement.source) != nil
    }
    if lowest == nil { drawBackground(in: bounds) }
    for (placement, corners) in placements[(lowest ?? 0)...] { draw(placement, corners) }
    for overlay in composition.overlays { canvas.blend(overlay, clip: bounds) }
  }

  /// Redraws a placement that only overlays cover.
  private func redraw(_ placement: Placement<ID>) {
    guard let area = placement.frame.intersection(bounds) else { return }
    // Bars stay unchanged while the source keeps its aspect ratio, which may have changed.
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
