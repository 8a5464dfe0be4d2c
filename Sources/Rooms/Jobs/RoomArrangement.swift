import RoomMixing
import RoomProtocol

/// How a mix shows everybody who publishes in a room. The room arranges it anew when they change.
package struct RoomArrangement: Codable, Hashable, Sendable {
  package enum Style: Codable, Hashable, Sendable {
    /// Pictures of the same size, in rows.
    case grid
    /// A shared screen or the speaker large, the others in a column on the right.
    case speaker
    /// A shared screen or the speaker alone.
    case singleSpeaker
    /// The frames of the seats of a layout, in the order of joining.
    case seats(LayoutType)
  }

  package var style: Style
  /// Whether the sound is left out.
  package var isSilent: Bool

  package init(_ style: Style, isSilent: Bool = false) {
    self.style = style
    self.isSilent = isSilent
  }

  /// Somebody who publishes.
  struct Person: Sendable {
    var user: UserID
    /// What a card shows while there is no picture.
    var name: String
    /// Whether there is a picture or a card beside the screen's picture.
    var hasFace = true
    var screen: TrackID?
    var screenSound: TrackID?
  }

  /// The maximum number of pictures; the others are in the sound.
  static let maximumPictures = 16
  /// The maximum number of pictures beside the speaker.
  private static let maximumSide = 6
  /// The maximum length of a card's text in characters.
  private static let maximumName = 64

  private struct Tile {
    var person: Int
    var isScreen: Bool
  }

  private struct Frame {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  /// Returns the frames of people in the order of joining.
  /// - Parameters:
  ///   - speaker: the last one who spoke; nil for the first person.
  ///   - canvas: the size of the picture; nil for sound only.
  func layouts(of people: [Person], speaker: UserID?, on canvas: (width: Int, height: Int)?) -> [TrackLayout] {
    let gain: Double? = isSilent ? 0 : nil
    let tiles = canvas.map { self.tiles(of: people, speaker: speaker, width: $0.width, height: $0.height) } ?? []
    var layouts: [TrackLayout] = []
    for (tile, frame) in tiles where tile.isScreen {
      var layout = TrackLayout(trackId: people[tile.person].screen, fillMode: .fit, gain: gain)
      Self.put(&layout, in: frame)
      layouts.append(layout)
    }
    for (index, person) in people.enumerated() {
      var layout = TrackLayout(userId: person.user, gain: gain)
      if let frame = tiles.first(where: { $0.0.person == index && !$0.0.isScreen })?.1 {
        Self.put(&layout, in: frame)
        layout.placeholder = String(person.name.unicodeScalars.prefix(Self.maximumName).map(Character.init))
      }
      layouts.append(layout)
      if let sound = person.screenSound { layouts.append(TrackLayout(trackId: sound, gain: gain)) }
    }
    return Array(layouts.prefix(MergeParams.maximumLayouts))
  }

  private static func put(_ layout: inout TrackLayout, in frame: Frame) {
    (layout.x, layout.y, layout.width, layout.height) = (frame.x, frame.y, frame.width, frame.height)
  }

  private func tiles(of people: [Person], speaker: UserID?, width: Int, height: Int) -> [(Tile, Frame)] {
    let screens = people.indices.filter { people[$0].screen != nil }.map { Tile(person: $0, isScreen: true) }
    let faces = people.indices.filter { people[$0].hasFace }.map { Tile(person: $0, isScreen: false) }
    switch style {
    case .grid:
      let shown = Array((screens + faces).prefix(Self.maximumPictures))
      return Array(zip(shown, Self.grid(shown.count, width, height)))
    case .seats(let type):
      let frames = ((try? Layout(type)) ?? .standard).pixelFrames(width: width, height: height)
      return zip(screens + faces, frames).map {
        ($0, Frame(x: $1.x, y: $1.y, width: max(2, $1.width), height: max(2, $1.height)))
      }
    case .singleSpeaker:
      guard let main = main(of: screens + faces, people, speaker) else { return [] }
      return [(main, Frame(x: 0, y: 0, width: width, height: height))]
    case .speaker:
      guard let main = main(of: screens + faces, people, speaker) else { return [] }
      let others = (screens + faces).filter { $0.person != main.person || $0.isScreen != main.isScreen }
        .prefix(Self.maximumSide)
      guard !others.isEmpty else { return [(main, Frame(x: 0, y: 0, width: width, height: height))] }
      // The column is a fifth of the width.
      let left = max(2, width * 4 / 5 & ~1)
      let side = max(2, min(height / others.count, (width - left) * 3 / 4) & ~1)
      return [(main, Frame(x: 0, y: 0, width: left, height: height))]
        + others.enumerated().map { ($1, Frame(x: left, y: $0 * side, width: max(2, width - left), height: side)) }
    }
  }

  private func main(of tiles: [Tile], _ people: [Person], _ speaker: UserID?) -> Tile? {
    tiles.first { $0.isScreen } ?? tiles.first { people[$0.person].user == speaker } ?? tiles.first
  }

  private static func grid(_ count: Int, _ width: Int, _ height: Int) -> [Frame] {
    guard count > 0 else { return [] }
    let long = (1...count).first { $0 * $0 >= count } ?? count
    let short = (count + long - 1) / long
    let (columns, rows) = width >= height ? (long, short) : (short, long)
    let (cellWidth, cellHeight) = (max(2, width / columns & ~1), max(2, height / rows & ~1))
    return (0..<count).map { index in
      let row = index / columns
      // The last row may be shorter, and is centred.
      let inRow = min(columns, count - row * columns)
      let margin = (width - inRow * cellWidth) / 2 & ~1
      return Frame(x: margin + index % columns * cellWidth, y: row * cellHeight, width: cellWidth, height: cellHeight)
    }
  }
}
