import RoomMixing
import RoomProtocol

/// Arranges the users on stage in one picture.
struct StageComposer {
  /// A user on stage.
  struct Person: Sendable, Hashable {
    var user: UserID
    /// The index of the seat; nil for the other anchor of a PK.
    var seat: Int?
    /// Whether the camera sends: its track is published and not muted.
    var hasVideo = false
    /// Whether the camera's picture is wider than high; nil if its size is unknown.
    var isLandscape: Bool?
    var screen: TrackID?
    var screenSound: TrackID?
    /// Whether the user is muted in the mix.
    var isSilent = false

    /// Whether the canvas is wider than high if it follows this user.
    var wantsLandscape: Bool { isLandscape == true || screen != nil }

    /// The name under the picture, and on the card that replaces it: the user id, without the room of a PK's other anchor.
    var name: String {
      let name = seat == nil ? user.rawValue.split(separator: "@").first.map(String.init) ?? user.rawValue : user.rawValue
      return String(name.prefix(64))
    }
  }

  /// An anchor of a PK.
  struct Anchor: Sendable, Hashable {
    var user: UserID
    var score = 0
    /// The number of the team; nil if the anchor plays alone.
    var team: Int?
    /// Whether the PK is decided and the anchor won.
    var hasWon = false
  }

  var people: [Person]
  var layout: Layout
  var style: StagePicture
  /// The anchors of a PK in the order of the picture; empty without a PK. This room's is the first of the people.
  var anchors: [Anchor] = []
  /// When the PK, or its time of punishment, is over, in milliseconds since 1970; nil if nothing is shown of that.
  var endsAt: Int64?
  /// The picture of a PK of two if the app set one; nil for one by the shape of both cameras.
  var pairPicture: PKPicture?

  private static let landscape = CanvasSize(width: 1280, height: 720)

  private var shownPairPicture: PKPicture? { anchors.count == 2 ? pairPicture : nil }

  // MARK: Canvas

  /// The size of the picture.
  var canvas: CanvasSize {
    if let pairPicture = shownPairPicture { return CanvasSize(width: pairPicture.width, height: pairPicture.height) }
    if layout.type == .custom || layout.canvas != .portrait { return layout.canvas }
    return style.canvas ?? (isLandscape ? Self.landscape : .portrait)
  }

  /// Whether the picture is wider than high unless the app decides: it follows all anchors of a PK, otherwise the host.
  private var isLandscape: Bool {
    guard !anchors.isEmpty else { return people.first?.wantsLandscape ?? false }
    return anchors.allSatisfy { person($0.user)?.wantsLandscape ?? false }
  }

  private func person(_ user: UserID) -> Person? { people.first { $0.user == user } }

  // MARK: Composition

  /// Returns the picture and the sound of the people on stage.
  func composition() -> StageComposition {
    let canvas = canvas
    var composition = StageComposition(
      width: canvas.width, height: canvas.height, fps: style.fps, videoKbps: style.videoKbps, preset: style.preset,
      background: style.background, watermarks: style.watermarks, texts: style.texts)
    if let picture = shownPairPicture {
      (composition.fps, composition.videoKbps, composition.preset) = (picture.fps, picture.videoKbps, picture.preset)
      composition.background = picture.background ?? style.background
    }
    let frames = frames(canvas)
    for (person, frame) in frames {
      composition.layouts += layouts(of: person, in: frame)
      if let frame, style.names { composition.texts.append(name(person, in: frame)) }
    }
    for anchor in style.scores ? anchors : [] {
      guard let frame = frames.first(where: { $0.0.user == anchor.user })?.1 else { continue }
      composition.texts.append(score(anchor, in: frame))
    }
    if let endsAt, style.scores, let top = frames.compactMap({ $0.1?.y }).min() {
      composition.texts.append(clock(until: endsAt, above: top, canvas))
    }
    composition.layouts = Array(composition.layouts.prefix(MergeParams.maximumLayouts))
    composition.texts = Array(composition.texts.prefix(StageComposition.maximumTexts))
    return composition
  }

  /// A frame in pixels.
  private struct Frame {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
    var zIndex = 0
    /// The corner radius in pixels.
    var corner = 0
  }

  /// Returns the people with their frames; nil for one who is only in the sound.
  private func frames(_ canvas: CanvasSize) -> [(Person, Frame?)] {
    guard let own = people.first?.user, !anchors.isEmpty else { return seats(canvas) }
    let placed = Array(zip(anchors, anchorFrames(canvas)))
    let others = people.filter { person in !anchors.contains { $0.user == person.user } }
    var frames: [(Person, Frame?)] = []
    for (anchor, frame) in placed { if let person = person(anchor.user) { frames.append((person, frame)) } }
    guard let above = placed.first(where: { $0.0.user == own })?.1 else { return frames }
    // The row is below all anchors, and as wide as the own one's picture if that covers the lower edge.
    let lowest = placed.map { $0.1.y + $0.1.height }.max() ?? 0
    let area = Frame(x: above.x, y: above.y, width: above.width, height: lowest - above.y)
    return frames + zip(others, row(of: others.count, below: area, on: canvas)).map { ($0, $1) }
  }

  private func seats(_ canvas: CanvasSize) -> [(Person, Frame?)] {
    if people.count == 1, let alone = people.first {
      return [(alone, Frame(x: 0, y: 0, width: canvas.width, height: canvas.height))]
    }
    let frames = layout.pixelFrames(width: canvas.width, height: canvas.height)
    return people.map { person in
      guard let seat = person.seat, frames.indices.contains(seat), layout.frames.indices.contains(seat) else {
        return (person, nil)
      }
      let pixels = frames[seat]
      guard pixels.width > 0, pixels.height > 0 else { return (person, nil) }
      let fraction = layout.frames[seat].cornerRadius > 0 ? layout.frames[seat].cornerRadius : style.cornerRadius
      return (
        person,
        Frame(
          x: pixels.x, y: pixels.y, width: pixels.width, height: pixels.height, zIndex: layout.frames[seat].zIndex,
          corner: Self.corner(fraction, width: pixels.width, height: pixels.height))
      )
    }
  }

  /// Returns the frames of a PK's anchors: those of the app, or parts of a landscape canvas, or of the middle of a portrait one.
  private func anchorFrames(_ canvas: CanvasSize) -> [Frame] {
    if let picture = shownPairPicture {
      func frame(_ frame: PKPicture.Frame) -> Frame { Frame(x: frame.x, y: frame.y, width: frame.width, height: frame.height) }
      return [frame(picture.own), frame(picture.peer)]
    }
    let isLandscape = canvas.width > canvas.height
    // Up to four anchors fill the middle half of a portrait canvas, more of them three quarters.
    let eighths = isLandscape ? 8 : anchors.count <= 4 ? 4 : 6
    let (top, height) = (Self.even(canvas.height * (8 - eighths) / 16), Self.even(canvas.height * eighths / 8))
    let columns = columns(isLandscape: isLandscape)
    var frames = [Frame](repeating: Frame(x: 0, y: 0, width: 0, height: 0), count: anchors.count)
    for (column, indices) in columns.enumerated() {
      let left = Self.even(canvas.width * column / columns.count)
      let right = column + 1 == columns.count ? canvas.width : Self.even(canvas.width * (column + 1) / columns.count)
      for (row, index) in indices.enumerated() {
        let upper = Self.even(height * row / indices.count)
        let lower = row + 1 == indices.count ? height : Self.even(height * (row + 1) / indices.count)
        frames[index] = Frame(
          x: left, y: top + upper, width: right - left, height: lower - upper,
          corner: Self.corner(style.cornerRadius, width: right - left, height: lower - upper))
      }
    }
    return frames
  }

  /// Returns the indices of the anchors in each column of the picture. Two teams face each other, the first anchor's on the left, and
  /// so do three anchors, the first one alone; others fill rows.
  private func columns(isLandscape: Bool) -> [[Int]] {
    let indices = Array(anchors.indices)
    let teams = Set(anchors.map(\.team))
    if teams.count == 2, !teams.contains(nil), let own = anchors.first?.team {
      return [indices.filter { anchors[$0].team == own }, indices.filter { anchors[$0].team != own }]
    }
    if anchors.count <= 3 { return [Array(indices.prefix(1)), Array(indices.dropFirst())] }
    let count = anchors.count > 6 || (anchors.count > 4 && isLandscape) ? 3 : 2
    return (0..<count).map { column in indices.filter { $0 % count == column } }
  }

  /// Returns small frames for the other users on stage during a PK: below the anchors if there is space, otherwise over the lower
  /// edge of the own half.
  private func row(of count: Int, below own: Frame, on canvas: CanvasSize) -> [Frame] {
    guard count > 0 else { return [] }
    let margin = max(4, canvas.height / 80)
    let free = canvas.height - (own.y + own.height)
    let isBelow = free >= canvas.height * 3 / 20
    var height = isBelow ? min(free - 2 * margin, canvas.height / 5) : canvas.height / 5
    let (left, space) = isBelow ? (0, canvas.width) : (max(0, own.x), own.width)
    // Three quarters as wide as high, unless that is too wide for all.
    let width = min(height * 3 / 4, max(16, space / count - margin))
    height = min(height, width * 4 / 3)
    let top = isBelow ? own.y + own.height + margin : own.y + own.height - height - margin
    return (0..<count).map { index in
      Frame(
        x: Self.even(left + margin + index * (width + margin)), y: Self.even(max(0, top)), width: max(2, Self.even(width)),
        height: max(2, Self.even(height)), zIndex: 1, corner: max(2, width / 16))
    }
  }

  private func layouts(of person: Person, in frame: Frame?) -> [TrackLayout] {
    var layouts: [TrackLayout] = []
    var face = TrackLayout(userId: person.user, gain: person.isSilent ? 0 : nil)
    if let frame {
      var place: Frame? = frame
      if let screen = person.screen {
        var shown = TrackLayout(trackId: screen, zIndex: frame.zIndex, fillMode: .fit)
        Self.put(&shown, in: frame)
        layouts.append(shown)
        place = person.hasVideo ? inset(of: person, in: frame) : nil
      }
      if let place {
        Self.put(&face, in: place)
        face.zIndex = place.zIndex == 0 ? nil : place.zIndex
        face.placeholder = person.name
      }
    }
    layouts.append(face)
    if let sound = person.screenSound { layouts.append(TrackLayout(trackId: sound, gain: person.isSilent ? 0 : nil)) }
    return layouts
  }

  /// Returns the frame of the camera over a shared screen: in its lower right corner.
  private func inset(of person: Person, in frame: Frame) -> Frame {
    let width = max(16, Self.even(frame.width * 7 / 25))
    let height = person.isLandscape == false ? width * 4 / 3 : width * 9 / 16
    let margin = max(2, frame.width / 40)
    return Frame(
      x: Self.even(frame.x + frame.width - width - margin), y: Self.even(frame.y + max(0, frame.height - height - margin)),
      width: width, height: max(16, Self.even(height)), zIndex: frame.zIndex, corner: width / 16)
  }

  private static func put(_ layout: inout TrackLayout, in frame: Frame) {
    (layout.x, layout.y, layout.width, layout.height) = (frame.x, frame.y, frame.width, frame.height)
    if frame.corner > 0 { layout.cornerRadius = frame.corner }
  }

  /// Returns a corner radius in pixels for a fraction of a frame's shorter side.
  private static func corner(_ fraction: Double, width: Int, height: Int) -> Int {
    Int((fraction * Double(min(width, height))).rounded())
  }

  private static func even(_ value: Int) -> Int { value & ~1 }

  // MARK: Texts

  private func name(_ person: Person, in frame: Frame) -> MergeText {
    let size = min(48, max(12, frame.height / 24))
    return MergeText(text: person.name, x: frame.x + size / 2, y: frame.y + frame.height - size * 3 / 2, size: size)
  }

  private func score(_ anchor: Anchor, in frame: Frame) -> MergeText {
    let size = min(72, max(16, frame.height / 14))
    let text = anchor.hasWon ? "WIN \(anchor.score)" : "\(anchor.score)"
    // A digit is about 0.64 of the font size wide.
    let width = text.count * size * 16 / 25
    return MergeText(text: text, x: frame.x + max(0, frame.width - width) / 2, y: frame.y + size / 3, size: size)
  }

  /// The time that is left, in the middle: above the anchors if there is space, otherwise between those on top.
  private func clock(until end: Int64, above top: Int, _ canvas: CanvasSize) -> MergeText {
    let size = min(56, max(16, canvas.height / 28))
    // "4:59"
    let width = 4 * size * 16 / 25
    return MergeText(
      clock: true, until: end, x: max(0, canvas.width - width) / 2, y: top > size * 2 ? top - size * 3 / 2 : size / 3,
      size: size)
  }
}
