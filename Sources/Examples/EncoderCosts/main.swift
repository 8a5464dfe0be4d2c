// Prints what each video encoder costs for a picture on one core, as Markdown: the table of docs/performance/mixing.md.
import Foundation
import RoomCodecs
import RoomRTP

let frames = CommandLine.arguments.dropFirst().first.flatMap(Int.init) ?? 300

/// A textured scene that moves by three pixels a picture, with a camera's noise and a disc that crosses it.
struct MovingScene {
  private let side = 2048
  private var texture: [UInt8]
  private var random = UInt64(7)

  init() {
    texture = [UInt8](repeating: 0, count: side * side)
    var seed = UInt64(3)
    func next() -> Double {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1
      return Double(seed >> 40) / Double(1 << 24)
    }
    var sum = [Double](repeating: 0, count: side * side)
    for (cell, weight) in [(256, 70.0), (64, 45), (16, 25), (4, 12)] {
      let count = side / cell + 1
      let grid = (0..<count * count).map { _ in next() }
      for y in 0..<side {
        for x in 0..<side {
          let (i, j) = (x / cell, y / cell)
          let (a, b) = (Double(x % cell) / Double(cell), Double(y % cell) / Double(cell))
          let top = grid[j * count + i] * (1 - a) + grid[j * count + i + 1] * a
          let bottom = grid[(j + 1) * count + i] * (1 - a) + grid[(j + 1) * count + i + 1] * a
          sum[y * side + x] += (top * (1 - b) + bottom * b) * weight
        }
      }
    }
    for index in sum.indices { texture[index] = UInt8(min(235, 40 + sum[index])) }
  }

  mutating func picture(_ number: Int, width: Int, height: Int, fps: Int) throws -> VideoFrame {
    var frame = try VideoFrame(
      width: width, height: height, timestamp: MediaTime(microseconds: Int64(number * 1_000_000 / fps)))
    let (left, top) = (number * 3 % (side - width), number % (side - height))
    let centre = (x: number * 7 % width, y: height / 2)
    var state = random
    let texture = texture
    let side = side
    frame.withMutablePlanes { planes in
      for row in 0..<height {
        for column in 0..<width {
          if column & 7 == 0 {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
          }
          var value = texture[(top + row) * side + left + column]
          let (x, y) = (column - centre.x, row - centre.y)
          if x * x + y * y < height * height / 25 { value = 60 &+ UInt8(truncatingIfNeeded: (x ^ y) & 31) }
          planes.y[row * planes.yStride + column] = value &+ UInt8(truncatingIfNeeded: state >> (UInt64(column & 7) * 8)) & 3
        }
      }
      for row in 0..<planes.chromaHeight {
        for column in 0..<planes.chromaWidth {
          planes.u[row * planes.chromaStride + column] = texture[(row + 500) * side + column + left / 2] / 2 + 64
          planes.v[row * planes.chromaStride + column] = texture[(row + 900) * side + column + left / 2] / 2 + 64
        }
      }
    }
    random = state
    return frame
  }
}

/// The CPU time of this thread in ms.
func cpuTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1000 + Double(time.tv_nsec) / 1_000_000
}

let encoders: [(String, (VideoEncoderSettings) throws -> any VideoEncoder, () throws -> any VideoDecoder)] = [
  ("H.264", { try H264Encoder($0, profile: .high) }, { try H264Decoder() }),
  ("VP8", { try VP8Encoder($0) }, { try VP8Decoder() }),
  ("VP9", { try VP9Encoder($0) }, { try VP9Decoder() }),
  ("AV1", { try AV1Encoder($0) }, { try AV1Decoder() }),
]

var scene = MovingScene()
print("| size at 30 fps | codec | ms p50 | ms p95 | ms, key frame | of a core | kbit/s wanted | kbit/s | PSNR dB | delay |")
print("|---|---|---|---|---|---|---|---|---|---|")
for (width, height, kilobits) in [(640, 360, 800), (1280, 720, 2000)] {
  for (name, makeEncoder, makeDecoder) in encoders {
    let settings = VideoEncoderSettings(
      width: width, height: height, fps: 30, bitrate: kilobits * 1000, keyFrameInterval: 0)
    let encoder = try makeEncoder(settings)
    let decoder = try makeDecoder()
    var times: [Double] = []
    var bytes = 0
    var quality = 0.0
    var delay = 0
    for number in 0..<frames {
      let picture = try scene.picture(number, width: width, height: height, fps: 30)
      let start = cpuTime()
      let encoded = try encoder.encode(picture, forceKeyFrame: false)
      times.append(cpuTime() - start)
      guard let encoded else { continue }
      delay = max(delay, number - Int((encoded.timestamp.microseconds * 30 + 500_000) / 1_000_000))
      // The first second has the key frame, and rate control finds its level.
      if number >= 30 { bytes += encoded.data.count }
      if let decoded = try decoder.decode(encoded.data, timestamp: encoded.timestamp), let psnr = decoded.psnr(to: picture) {
        quality += psnr
      }
    }
    let sorted = times.dropFirst().sorted()
    func format(_ value: Double) -> String { String(format: "%.1f", value) }
    let (half, most) = (sorted[sorted.count / 2], sorted[sorted.count * 95 / 100])
    let share = sorted.reduce(0, +) / Double(sorted.count) / 10 * 30
    let rate = bytes * 8 * 30 / max(1, frames - 30) / 1000
    print(
      "| \(width)x\(height) | \(name) | \(format(half)) | \(format(most)) | \(format(times[0])) | \(format(share)) % "
        + "| \(kilobits) | \(rate) | \(format(quality / Double(frames))) | \(delay) |")
  }
}
