import RoomCYUV
import RoomCodecs

/// Smooths and reddens the skin in a picture.
///
/// Skin is found, and its smooth version made, at a quarter of the width and height. libyuv enlarges both and blends them with
/// the picture. Two frames of the picture's size are the working memory: their chroma planes contain two small planes each.
struct SkinRetouch {
  private let picture: MutableI420Planes
  private let first: MutableI420Planes
  private let second: MutableI420Planes
  private let width: Int
  private let height: Int
  private let stride: Int

  // The small planes.
  private let luma: UnsafeMutablePointer<UInt8>
  private let mean: UnsafeMutablePointer<UInt8>
  /// How much each sample is skin, 0…255.
  private let skin: UnsafeMutablePointer<UInt8>
  private let other: UnsafeMutablePointer<UInt8>

  /// - Parameter first: working memory of the picture's size, at least 16x16, as `second`.
  init(_ picture: MutableI420Planes, _ first: MutableI420Planes, _ second: MutableI420Planes) {
    self.picture = picture
    self.first = first
    self.second = second
    width = picture.width / 4
    height = picture.height / 4
    stride = second.chromaStride
    luma = second.u
    mean = second.u + height * stride
    skin = second.v
    other = second.v + height * stride
  }

  /// Finds the samples whose chroma is that of skin, light or dark.
  func findSkin() {
    for (plane, target) in [(picture.u, skin), (picture.v, other)] {
      ScalePlane(
        plane, Int32(picture.chromaStride), Int32(picture.chromaWidth), Int32(picture.chromaHeight), target, Int32(stride),
        Int32(width), Int32(height), kFilterBox)
    }
    combine(skin, other) { blue, red in
      // Cb 77…127 and Cr 133…173, with soft limits.
      let inside = pointwiseMin(
        pointwiseMin(distance(from: 75, to: blue), distance(from: blue, to: 128)),
        pointwiseMin(distance(from: 132, to: red), distance(from: red, to: 176)))
      return pointwiseMin(inside &* 40, Samples(repeating: 255))
    }
  }

  /// Replaces skin by its local mean, except where luma differs much from it: edges, eyes, hair.
  func smooth(_ amount: Double) {
    ScalePlane(
      picture.y, Int32(picture.yStride), Int32(picture.width), Int32(picture.height), luma, Int32(stride), Int32(width),
      Int32(height), kFilterBox)
    let reach = picture.height < 540 ? 2 : picture.height < 1440 ? 4 : 8
    // The full-size planes are still free: a row of them is the row buffer.
    let blur = SmallBlur(width: width, height: height, stride: stride, reach: reach, row: first.y)
    blur.run(luma, into: mean)
    combine(luma, mean) { pointwiseMax($0, $1) &- pointwiseMin($0, $1) }
    blur.run(luma, into: other)
    let strength = UInt16(amount * 230)
    copy(skin, to: luma)
    combine(luma, other) { skin, deviation in
      // The weight of the mean falls to 0 at a mean deviation of 14 levels.
      let limited = pointwiseMin(deviation, Samples(repeating: 14))
      let flat = 255 &- (limited &* limited &* 83) &>> 6
      return (((flat &* skin) &>> 8) &* strength) &>> 8
    }
    enlarge(mean, by: first.u, to: first.y)
    enlarge(luma, by: first.v, to: second.y)
    BlendPlane(
      first.y, Int32(first.yStride), picture.y, Int32(picture.yStride), second.y, Int32(second.yStride), picture.y,
      Int32(picture.yStride), Int32(picture.width), Int32(picture.height))
  }

  /// Adds red to skin.
  func redden(_ amount: Double) {
    let mask = first.u
    ScalePlane(
      skin, Int32(stride), Int32(width), Int32(height), mask, Int32(stride), Int32(picture.chromaWidth),
      Int32(picture.chromaHeight), kFilterBilinear)
    let (red, blue) = (UInt16(amount * 22), UInt16(amount * 6))
    for row in 0..<picture.chromaHeight {
      let line = row * picture.chromaStride
      combineRow(picture.v + line, mask + line, picture.chromaWidth) {
        pointwiseMin($0 &+ ($1 &* red) &>> 8, Samples(repeating: 240))
      }
      combineRow(picture.u + line, mask + line, picture.chromaWidth) {
        pointwiseMax($0, ($1 &* blue) &>> 8) &- ($1 &* blue) &>> 8
      }
    }
  }

  private func enlarge(
    _ small: UnsafeMutablePointer<UInt8>, by half: UnsafeMutablePointer<UInt8>, to full: UnsafeMutablePointer<UInt8>
  ) {
    // Twice by two, which libyuv does faster than once by four.
    let (halfWidth, halfHeight) = (Int32(picture.chromaWidth), Int32(picture.chromaHeight))
    ScalePlane(
      small, Int32(stride), Int32(width), Int32(height), half, Int32(stride), halfWidth, halfHeight, kFilterBilinear)
    ScalePlane(
      half, Int32(stride), halfWidth, halfHeight, full, Int32(picture.yStride), Int32(picture.width), Int32(picture.height),
      kFilterBilinear)
  }

  private func copy(_ source: UnsafeMutablePointer<UInt8>, to target: UnsafeMutablePointer<UInt8>) {
    CopyPlane(source, Int32(stride), target, Int32(stride), Int32(width), Int32(height))
  }

  /// Replaces the samples of a small plane by a function of them and another's.
  @inline(__always) private func combine(
    _ target: UnsafeMutablePointer<UInt8>, _ other: UnsafeMutablePointer<UInt8>, _ body: (Samples, Samples) -> Samples
  ) {
    for row in 0..<height { combineRow(target + row * stride, other + row * stride, width, body) }
  }
}

/// Returns the distance from smaller values to larger ones; 0 if they are not smaller.
@inline(__always) private func distance(from a: Samples, to b: UInt16) -> Samples {
  let end = Samples(repeating: b)
  return pointwiseMax(a, end) &- a
}

@inline(__always) private func distance(from a: UInt16, to b: Samples) -> Samples {
  let start = Samples(repeating: a)
  return pointwiseMax(b, start) &- start
}
