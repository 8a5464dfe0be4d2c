import Foundation
import RoomCodecs

/// The colours of the left and right halves of a recording's pictures.
struct Sides {
  /// The look of each picture.
  let looks: [String]

  /// The distinct consecutive looks, in order.
  var runs: [String] { looks.indices.filter { $0 == 0 || looks[$0] != looks[$0 - 1] }.map { looks[$0] } }

  init(_ file: String) throws {
    let bytes = try run([
      "ffmpeg", "-v", "error", "-i", file, "-an", "-vf", "scale=64:64:flags=area,format=yuv444p", "-fps_mode", "passthrough",
      "-f",
      "rawvideo", "-",
    ])
    let picture = 64 * 64 * 3
    looks = stride(from: 0, to: bytes.count - picture + 1, by: picture).map { start in
      Self.look { x, y in
        let place = bytes.startIndex + start + y * 64 + x
        return (bytes[place + 4096], bytes[place + 8192])
      }
    }
  }

  /// Returns "red" for a full picture, "red|blue" for a split screen; "none" is a half without a source.
  /// - Parameter chroma: returns U and V at a column and a row of 64.
  static func look(_ chroma: (Int, Int) -> (UInt8, UInt8)) -> String {
    func colour(_ x: Int, _ y: Int) -> String {
      let (u, v) = chroma(x, y)
      return Int(v) > Int(u) + 40 ? "red" : Int(u) > Int(v) + 40 ? "blue" : "none"
    }
    // Above the halves, a split screen shows the background.
    return colour(16, 12) == "none" ? "\(colour(16, 32))|\(colour(48, 32))" : colour(32, 32)
  }

  /// Returns the look of a decoded picture.
  static func look(of picture: VideoFrame) -> String {
    picture.withPlanes { planes in
      look { x, y in
        let place = planes.chromaHeight * y / 64 * planes.chromaStride + planes.chromaWidth * x / 64
        return (planes.u[place], planes.v[place])
      }
    }
  }
}
