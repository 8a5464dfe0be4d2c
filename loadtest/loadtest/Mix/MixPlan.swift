/// What is measured: programs of some sources each, and how they are encoded.
struct MixPlan: Sendable {
  var programs = 2
  /// Publishers that each program shows.
  var sources = 2
  /// Of a program's picture, in pixels.
  var width = 720
  var height = 1280
  /// Of the programs and of their sources.
  var fps = 24
  /// Thousands of bits a second of a program's pictures; nil for what the server takes by itself.
  var kbps: Int?
  /// Length of the steady window.
  var seconds = 20.0
  /// All programs show the same publishers, each in an arrangement of its own.
  var isShared = false

  /// Thousands of bits a second of a program's pictures.
  var videoKilobits: Int { kbps ?? max(100, width * height * fps * 7 / 100_000) }
  /// Frames from one key frame to the next.
  var keyFrameInterval: Int { 2 * fps }
  /// x264's preset, on both sides.
  static let preset = "superfast"
  /// Thousands of bits a second of a program's sound, on both sides.
  static let audioKilobits = 128
  /// What the server encodes sound at.
  static let audioRate = 44_100

  /// Where a program shows its sources.
  var grid: MixGrid { MixGrid(sources: sources, width: width, height: height) }
  /// Publishers in all.
  var publishers: Int { isShared ? sources : sources * programs }
}

/// Sources side by side in equal cells no higher than 16:9 upright, in as many rows as columns or one fewer, in the canvas' middle.
struct MixGrid: Sendable, Equatable {
  /// A source's place, in pixels; all even.
  struct Cell: Sendable, Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  /// In the order of the sources.
  let cells: [Cell]
  /// The canvas' rows above the first cell.
  let top: Int

  init(sources: Int, width: Int, height: Int) {
    var columns = 1
    while columns * columns < sources { columns += 1 }
    let rows = (sources + columns - 1) / columns
    let cellWidth = max(2, width / columns & ~1)
    let cellHeight = max(2, min(height / rows, cellWidth * 16 / 9) & ~1)
    let top = (height - rows * cellHeight) / 2 & ~1
    cells = (0..<sources).map { number in
      Cell(
        x: number % columns * cellWidth, y: top + number / columns * cellHeight, width: cellWidth, height: cellHeight)
    }
    self.top = top
  }
}
