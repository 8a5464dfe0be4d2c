import Foundation
import RoomCodecs

/// A drawn anchor: a face with spots, lines and pores, hair, clothes, and a wall with a lamp behind; with a camera's noise.
struct Person {
  private typealias Colour = SIMD3<Double>

  private let width: Int
  private let height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// Returns a picture.
  /// - Parameter seed: selects the noise.
  func frame(seed: UInt64 = 1) throws(CodecError) -> VideoFrame {
    var noise = Noise(state: seed)
    var bytes = [UInt8](repeating: 255, count: width * height * 4)
    for y in 0..<height {
      for x in 0..<width {
        // The face has its centre at 0, and a height of 2.
        let across: Double = (Double(x) - Double(width) * 0.5) / Double(height) * 2.9
        let down: Double = (Double(y) / Double(height) - 0.45) * 2.9
        let colour = colour(across, down) + noise.next() * 4
        for channel in 0..<3 { bytes[(y * width + x) * 4 + channel] = UInt8(min(max(colour[channel], 0), 255)) }
      }
    }
    return try VideoFrame(rgba: bytes, width: width, height: height)
  }

  private func colour(_ x: Double, _ y: Double) -> Colour {
    var colour = wall(x, y)
    func paint(_ other: Colour, _ share: Double) { colour += (other - colour) * min(max(share, 0), 1) }
    // Hair behind the head, neck, clothes.
    let strands: Double = 0.8 + 0.25 * sin(x * 40 + y * 9)
    let hair = Colour(58, 38, 28) * strands
    paint(hair, inside(x, y + 0.12, 0.84, 1.06))
    paint(skin(x, y) * 0.82, inside(x, y - 0.95, 0.3, 0.6))
    let folds: Double = 0.92 + 0.08 * sin(x * 60)
    paint(Colour(40, 84, 120) * folds, inside(x, y - 2.05, 1.5, 1.0))
    // The face with its shading, spots and lines.
    paint(skin(x, y), inside(x, y, 0.66, 0.88))
    paint(hair, inside(x, y + 0.78, 0.62, 0.3))
    for side in [-1.0, 1] { face(x * side, y, paint) }
    // Nose and mouth.
    paint(skin(x, y) * 0.78, 0.8 * inside(x, y - 0.22, 0.1, 0.035))
    paint(Colour(168, 70, 74), inside(x, y - 0.46, 0.2, 0.07))
    paint(Colour(104, 40, 46), inside(x, y - 0.46, 0.18, 0.012))
    return colour
  }

  /// The features of which there are two; `x` grows outwards.
  private func face(_ x: Double, _ y: Double, _ paint: (Colour, Double) -> Void) {
    paint(Colour(196, 108, 96), 0.35 * inside(x - 0.36, y - 0.2, 0.2, 0.16, soft: 1))
    paint(Colour(238, 236, 232), inside(x - 0.27, y + 0.1, 0.115, 0.055))
    paint(Colour(70, 96, 60), inside(x - 0.27, y + 0.1, 0.052, 0.052))
    paint(Colour(14, 12, 12), inside(x - 0.27, y + 0.1, 0.024, 0.024))
    paint(Colour(250, 250, 250), inside(x - 0.285, y + 0.118, 0.01, 0.01))
    let arch: Double = 0.25 * (x - 0.28) * (x - 0.28)
    paint(Colour(58, 38, 28), inside(x - 0.28, y + 0.24 + arch, 0.16, 0.022))
    paint(Colour(120, 70, 58), 0.5 * inside(x - 0.27, y - 0.02, 0.13, 0.014))
  }

  private func skin(_ x: Double, _ y: Double) -> Colour {
    let shade: Double = 1.02 - 0.16 * (x + 0.3) * (x + 0.3) - 0.1 * y * y
    // Pores and lines of the forehead.
    let wobble: Double = sin(x * 97 + sin(y * 71) * 2)
    let pores: Double = 1 + 0.018 * wobble * sin(y * 103)
    let line: Double = y < -0.3 ? pow(max(0, sin((y + 0.06 * x * x) * 48)), 12) : 0
    var colour = Colour(214, 160, 134) * (shade * pores * (1 - 0.06 * line))
    var spots = Noise(state: 77)
    for _ in 0..<26 {
      let (cx, cy) = (spots.next() * 0.6, spots.next() * 0.8)
      let size = 0.008 + abs(spots.next()) * 0.014
      let share: Double = 0.4 * inside(x - cx, y - cy, size, size, soft: 0.6)
      colour += (Colour(150, 84, 70) - colour) * share
    }
    return colour
  }

  private func wall(_ x: Double, _ y: Double) -> Colour {
    let (dx, dy): (Double, Double) = (x - 1.4, y + 0.9)
    let light: Double = exp((dx * dx + dy * dy) * -1.2)
    var colour = Colour(86, 108, 112) + Colour(120, 90, 40) * light
    // Shelves with books.
    let shelf: Double = y * 2.5
    if x < -1.1, x > -2.1, abs(shelf.rounded() - shelf) > 0.06 {
      let book = Int((x * 14).rounded(.down)) * 7 + Int(shelf.rounded()) * 3
      let books: [Colour] = [Colour(150, 60, 52), Colour(60, 96, 70), Colour(196, 170, 96), Colour(52, 60, 110)]
      colour = books[abs(book) % 4]
    }
    return colour
  }

  /// Returns 1 inside of an ellipse around 0, 0 outside, and between them on its edge.
  private func inside(_ x: Double, _ y: Double, _ a: Double, _ b: Double, soft: Double = 0) -> Double {
    let (across, down): (Double, Double) = (x / a, y / b)
    let distance: Double = (across * across + down * down).squareRoot()
    let edge: Double = max(soft, 0.012 / min(a, b))
    let share: Double = (1 - distance) / edge + (soft > 0 ? 0 : 0.5)
    return min(max(share, 0), 1)
  }
}

/// SplitMix64: the same numbers in every run.
private struct Noise {
  var state: UInt64

  /// Returns a number of -1…1.
  mutating func next() -> Double {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return Double(z ^ z >> 31) / Double(UInt64.max) * 2 - 1
  }
}
