import RoomCodecs
import RoomMixing

/// A picture as letters: one per cell of a grid, chosen by the colour at the cell's centre.
struct Mosaic: CustomStringConvertible {
  let description: String

  /// Distinguishable colours by letter: the background, the host, and eight guests.
  static let colours: [(letter: Character, colour: YUVColour)] = [
    (".", YUVColour(y: 30, u: 128, v: 128)), ("H", YUVColour(y: 81, u: 90, v: 240)), ("1", YUVColour(y: 145, u: 54, v: 34)),
    ("2", YUVColour(y: 41, u: 240, v: 110)), ("3", YUVColour(y: 210, u: 16, v: 146)), ("4", YUVColour(y: 170, u: 166, v: 16)),
    ("5", YUVColour(y: 106, u: 202, v: 222)), ("6", YUVColour(y: 235, u: 128, v: 128)),
    ("7", YUVColour(y: 130, u: 128, v: 128)),
    ("8", YUVColour(y: 180, u: 60, v: 190)),
  ]

  static var background: YUVColour { colours[0].colour }

  /// Returns a picture of one seat's colour.
  static func picture(seat: Int, width: Int, height: Int) throws -> VideoFrame {
    var frame = try VideoFrame(width: width, height: height)
    frame.fill(colours[seat + 1].colour)
    return frame
  }

  init(_ frame: VideoFrame, columns: Int, rows: Int) {
    description = frame.withPlanes { planes in
      (0..<rows).map { row in
        String(
          (0..<columns).map { column -> Character in
            let (x, y) = ((2 * column + 1) * planes.width / (2 * columns), (2 * row + 1) * planes.height / (2 * rows))
            let chroma = y / 2 * planes.chromaStride + x / 2
            let seen = (Int(planes.y[y * planes.yStride + x]), Int(planes.u[chroma]), Int(planes.v[chroma]))
            let match = Self.colours.first {
              abs(Int($0.colour.y) - seen.0) + abs(Int($0.colour.u) - seen.1) + abs(Int($0.colour.v) - seen.2) <= 6
            }
            return match?.letter ?? "?"
          })
      }.joined(separator: "\n")
    }
  }
}
