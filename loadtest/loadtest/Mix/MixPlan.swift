/// The parameters of a measurement: programs, their sources and how they are encoded.
struct MixPlan: Sendable {
  var programs = 2
  /// Number of publishers that each program shows.
  var sources = 2
  /// Width of a program's picture, in pixels.
  var width = 720
  var height = 1280
  /// Frame rate of the programs and of their sources.
  var fps = 24
  /// Video bitrate of a program, in kbps; nil uses the server's default.
  var kbps: Int?
  /// Length of the measurement window, in seconds.
  var seconds = 20.0
  /// Whether all programs show the same publishers, each in its own layout.
  var isShared = false
  /// Whether the sources are the anchors of rooms of their own in one PK, whose picture all rooms send: one program for all of them.
  var isPK = false

  /// Video bitrate of a program, in kbps.
  var videoKilobits: Int { kbps ?? max(100, width * height * fps * 7 / 100_000) }
  /// Number of frames between key frames.
  var keyFrameInterval: Int { 2 * fps }
  /// x264 preset of both the server and ffmpeg.
  static let preset = "superfast"
  /// Audio bitrate of a program, in kbps, for both the server and ffmpeg.
  static let audioKilobits = 128
  /// Sampling rate of the audio that the server encodes, in Hz.
  static let audioRate = 44_100

  /// The cells in which a program shows its sources.
  var grid: MixGrid { MixGrid(sources: sources, width: width, height: height) }
  /// Total number of publishers.
  var publishers: Int { isShared || isPK ? sources : sources * programs }
  /// Number of programs that ffmpeg makes for comparison.
  var baselinePrograms: Int { isPK ? 1 : programs }
}

/// A layout of sources in equal cells, centred on the canvas. Cells are at most as tall as upright 16:9; there are as many rows
/// as columns or one fewer.
struct MixGrid: Sendable, Equatable {
  /// A source's rectangle, in pixels. All values are even.
  struct Cell: Sendable, Equatable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
  }

  /// Cells in the order of the sources.
  let cells: [Cell]
  /// Number of canvas rows above the first cell, in pixels.
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
