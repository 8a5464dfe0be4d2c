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

  /// The two anchors of a PK, this room's first, with their scores.
  struct Pair: Sendable, Hashable {
    var own: UserID
    var peer: UserID
    var score = 0
    var peerScore = 0
  }

  var people: [Person]
  var layout: Layout
  var style: StagePicture
  var pair: Pair?
  /// The picture of a PK if the app set one; nil for one by the shape of both cameras.
  var pairPicture: PKPicture?

  private static let landscape = CanvasSize(width: 1280, height: 720)

  // MARK: Canvas

  /// The size of the picture.
  var canvas: CanvasSize {
    if pair != nil, let pairPicture { return CanvasSize(width: pairPicture.width, height: pairPicture.height) }
    if layout.type == .custom || layout.canvas != .portrait { return layout.canvas }
    return style.canvas ?? (isLandscape ? Self.landscape : .portrait)
  }

  /// Whether the picture is wider than high unless the app decides: it follows both anchors of a PK, otherwise the host.
  private var isLandscape: Bool {
    guard let pair else { return people.first?.wantsLandscape ?? false }
    return [pair.own, pair.peer].allSatisfy { person($0)?.wantsLandscape ?? false }
  }

  private func person(_ user: UserID) -> Person? { people.first { $0.user == user } }

  // MARK: Composition

  /// Returns the picture and the sound of the people on stage.
  func composition() -> StageComposition {
    let canvas = canvas
    var composition = StageComposition(
      width: canvas.width, height: canvas.height, fps: style.fps, videoKbps: style.videoKbps, preset: style.preset,
      background: style.background, watermarks: style.watermarks, texts: style.texts)
    if pair != nil, let picture = pairPicture {
      (composition.fps, composition.videoKbps, composition.preset) = (picture.fps, picture.videoKbps, picture.preset)
      composition.background = picture.background ?? style.background
    }
    let frames = frames(canvas)
    for (person, frame) in frames {
      composition.layouts += layouts(of: person, in: frame)
      if let frame, style.names { composition.texts.append(name(person, in: frame)) }
    }
    if let pair, style.scores {
      for (user, score) in [(pair.own, pair.score), (pair.peer, pair.peerScore)] {
        guard let frame = frames.first(where: { $0.0.user == user })?.1 else { continue }
        composition.texts.append(self.score(score, in: frame))
      }
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
    guard let pair else { return seats(canvas) }
    let halves = halves(canvas)
    let others = people.filter { $0.user != pair.own && $0.user != pair.peer }
    var frames: [(Person, Frame?)] = []
    for (user, frame) in [(pair.own, halves.own), (pair.peer, halves.peer)] {
      if let person = person(user) { frames.append((person, frame)) }
    }
    return frames + zip(others, row(of: others.count, below: halves.own, on: canvas)).map { ($0, $1) }
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

  /// Returns the frames of a PK's anchors: those of the app, or the two halves of a landscape canvas, or of the middle half of a
  /// portrait one.
  private func halves(_ canvas: CanvasSize) -> (own: Frame, peer: Frame) {
    if let picture = pairPicture {
      func frame(_ frame: PKPicture.Frame) -> Frame { Frame(x: frame.x, y: frame.y, width: frame.width, height: frame.height) }
      return (frame(picture.own), frame(picture.peer))
    }
    let isLandscape = canvas.width > canvas.height
    let (top, height) = isLandscape ? (0, canvas.height) : (Self.even(canvas.height / 4), Self.even(canvas.height / 2))
    let half = Self.even(canvas.width / 2)
    let corner = Self.corner(style.cornerRadius, width: half, height: height)
    return (
      Frame(x: 0, y: top, width: half, height: height, corner: corner),
      Frame(x: half, y: top, width: canvas.width - half, height: height, corner: corner)
    )
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

  private func score(_ score: Int, in frame: Frame) -> MergeText {
    let size = min(72, max(16, frame.height / 14))
    let text = "\(score)"
    // A digit is about 0.64 of the font size wide.
    let width = text.count * size * 16 / 25
    return MergeText(text: text, x: frame.x + max(0, frame.width - width) / 2, y: frame.y + size / 3, size: size)
  }
}
