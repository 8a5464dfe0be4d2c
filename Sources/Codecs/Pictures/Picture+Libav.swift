import RoomCFFmpeg
import RoomCYUV
import RoomRTP

/// The format of a picture file.
enum StillFormat {
  case png, jpeg

  var codec: AVCodecID { self == .png ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG }
  var name: String { self == .png ? "PNG" : "JPEG" }
}

extension LibavDecoder {
  /// Opens a decoder for one file. Wrong checksums and corrupt tables are errors.
  convenience init(still format: StillFormat) throws(CodecError) {
    try self.init(format.codec, name: format.name) { context in
      context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_BITSTREAM | AV_EF_BUFFER | AV_EF_EXPLODE
      return true
    }
  }

  /// Returns the picture of a file.
  func decodePicture(_ file: [UInt8]) throws(CodecError) -> Picture {
    try send(file, timestamp: .zero)
    let picture = try receive { (frame) throws(CodecError) in
      guard ff_frame_is_damaged(frame) == 0 else { throw .corrupt(codec: name, reason: "part of the picture is corrupt") }
      return try Picture(copying: frame)
    }
    guard let picture else { throw .corrupt(codec: name, reason: "the file contains no complete picture") }
    return picture
  }
}

extension Picture {
  /// Copies the output of libavcodec's PNG and JPEG decoders.
  fileprivate init(copying frame: UnsafePointer<AVFrame>) throws(CodecError) {
    let format = AVPixelFormat(rawValue: frame.pointee.format)
    switch format {
    case AV_PIX_FMT_YUVJ420P, AV_PIX_FMT_YUVJ422P, AV_PIX_FMT_YUVJ444P, AV_PIX_FMT_YUVJ440P, AV_PIX_FMT_YUVJ411P:
      self.init(try VideoFrame(fullRange: frame, format))
    default:
      let pixels = try PixelData(copying: frame)
      try self.init(rgba: pixels.rgba, width: pixels.width, height: pixels.height)
    }
  }
}

/// The pixels of a PNG file with full colour resolution: for a table of colours, not for a picture.
package struct PixelData: Sendable {
  package let width: Int
  package let height: Int
  /// Four bytes for each pixel: red, green, blue, alpha.
  package let rgba: [UInt8]

  /// Decodes a PNG file within the limits of `Picture.init(decoding:)`.
  package init(png file: [UInt8]) throws(CodecError) {
    guard file.count <= Picture.maximumFileBytes, file.starts(with: PNGFile.signature) else {
      throw .corrupt(codec: "PNG", reason: "the file is too large or not a PNG file")
    }
    let decoder = try LibavDecoder(still: .png)
    try decoder.send(try PNGFile(file).strippedFile, timestamp: .zero)
    let pixels = try decoder.receive { (frame) throws(CodecError) in try PixelData(copying: frame) }
    guard let pixels else { throw .corrupt(codec: "PNG", reason: "the file contains no complete picture") }
    self = pixels
  }

  fileprivate init(copying frame: UnsafePointer<AVFrame>) throws(CodecError) {
    let format = AVPixelFormat(rawValue: frame.pointee.format)
    guard let layout = PixelLayout(format), layout.planes.allSatisfy({ plane(frame, $0) != nil }) else {
      throw .unsupportedPixelFormat(av_get_pix_fmt_name(format).map { String(cString: $0) } ?? "\(format.rawValue)")
    }
    let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
    guard VideoFrame.isSupported(width: width, height: height) else { throw .unsupportedSize(width: width, height: height) }
    self.width = width
    self.height = height
    rgba = [UInt8](unsafeUninitializedCapacity: width * height * 4) { buffer, count in
      layout.copy(frame, width, height, to: buffer)
      count = width * height * 4
    }
  }
}

private func plane(_ frame: UnsafePointer<AVFrame>, _ index: Int) -> UnsafePointer<UInt8>? {
  let data = frame.pointee.data
  return [data.0, data.1, data.2, data.3][index].map { UnsafePointer($0) }
}

/// The positions of red, green, blue and alpha of a pixel.
private struct PixelLayout {
  private enum Kind {
    /// The number of bytes per pixel, and the offset of each channel's high byte; `alpha` is nil for opaque pixels.
    case packed(stride: Int, red: Int, green: Int, blue: Int, alpha: Int?)
    case palette
    /// Eight pixels per byte, the first in the highest bit.
    case bits(isOneWhite: Bool)
    /// Planes in the order green, blue, red.
    case planar
  }
  private let kind: Kind

  init?(_ format: AVPixelFormat) {
    switch format {
    case AV_PIX_FMT_RGB24: kind = .packed(stride: 3, red: 0, green: 1, blue: 2, alpha: nil)
    case AV_PIX_FMT_BGR24: kind = .packed(stride: 3, red: 2, green: 1, blue: 0, alpha: nil)
    case AV_PIX_FMT_RGBA: kind = .packed(stride: 4, red: 0, green: 1, blue: 2, alpha: 3)
    case AV_PIX_FMT_GRAY8: kind = .packed(stride: 1, red: 0, green: 0, blue: 0, alpha: nil)
    case AV_PIX_FMT_YA8: kind = .packed(stride: 2, red: 0, green: 0, blue: 0, alpha: 1)
    case AV_PIX_FMT_RGB48BE: kind = .packed(stride: 6, red: 0, green: 2, blue: 4, alpha: nil)
    case AV_PIX_FMT_RGBA64BE: kind = .packed(stride: 8, red: 0, green: 2, blue: 4, alpha: 6)
    case AV_PIX_FMT_GRAY16BE: kind = .packed(stride: 2, red: 0, green: 0, blue: 0, alpha: nil)
    case AV_PIX_FMT_YA16BE: kind = .packed(stride: 4, red: 0, green: 0, blue: 0, alpha: 2)
    case AV_PIX_FMT_PAL8: kind = .palette
    case AV_PIX_FMT_MONOBLACK: kind = .bits(isOneWhite: true)
    case AV_PIX_FMT_MONOWHITE: kind = .bits(isOneWhite: false)
    case AV_PIX_FMT_GBRP: kind = .planar
    default: return nil
    }
  }

  /// The planes of the frame that it reads.
  var planes: Range<Int> {
    switch kind {
    case .packed, .bits: 0..<1
    case .palette: 0..<2
    case .planar: 0..<3
    }
  }

  /// - Parameter target: Four bytes per pixel.
  func copy(_ frame: UnsafePointer<AVFrame>, _ width: Int, _ height: Int, to target: UnsafeMutableBufferPointer<UInt8>) {
    guard let first = plane(frame, 0) else { return }
    let lines = frame.pointee.linesize
    func set(_ pixel: Int, _ red: UInt8, _ green: UInt8, _ blue: UInt8, _ alpha: UInt8) {
      target[pixel * 4] = red
      target[pixel * 4 + 1] = green
      target[pixel * 4 + 2] = blue
      target[pixel * 4 + 3] = alpha
    }
    for y in 0..<height {
      let row = first + y * Int(lines.0)
      switch kind {
      case .packed(let stride, let red, let green, let blue, let alpha):
        for x in 0..<width {
          let pixel = row + x * stride
          set(y * width + x, pixel[red], pixel[green], pixel[blue], alpha.map { pixel[$0] } ?? 255)
        }
      case .palette:
        // 256 native-endian words with alpha, red, green and blue from the highest byte down.
        guard let colours = plane(frame, 1) else { return }
        for x in 0..<width {
          let word = UnsafeRawPointer(colours).loadUnaligned(fromByteOffset: Int(row[x]) * 4, as: UInt32.self)
          set(
            y * width + x, UInt8(truncatingIfNeeded: word >> 16), UInt8(truncatingIfNeeded: word >> 8),
            UInt8(truncatingIfNeeded: word), UInt8(truncatingIfNeeded: word >> 24))
        }
      case .bits(let isOneWhite):
        for x in 0..<width {
          let shade: UInt8 = (row[x / 8] >> (7 - UInt8(x % 8)) & 1 == 1) == isOneWhite ? 255 : 0
          set(y * width + x, shade, shade, shade, 255)
        }
      case .planar:
        guard let blues = plane(frame, 1), let reds = plane(frame, 2) else { return }
        for x in 0..<width { set(y * width + x, reds[y * Int(lines.2) + x], row[x], blues[y * Int(lines.1) + x], 255) }
      }
    }
  }
}

extension VideoFrame {
  /// Converts a JPEG's full-range planes.
  init(
    fullRange frame: UnsafePointer<AVFrame>, _ format: AVPixelFormat, timestamp: MediaTime = .zero, pool: FramePool = .shared
  ) throws(CodecError) {
    let (width, height) = (Int(frame.pointee.width), Int(frame.pointee.height))
    try self.init(width: width, height: height, timestamp: timestamp, pool: pool)
    guard let description = av_pix_fmt_desc_get(format), let y = plane(frame, 0), let u = plane(frame, 1),
      let v = plane(frame, 2)
    else { throw .unsupportedPixelFormat("without planes") }
    let (right, down) = (Int(description.pointee.log2_chroma_w), Int(description.pointee.log2_chroma_h))
    let chroma = (width: (width + (1 << right) - 1) >> right, height: (height + (1 << down) - 1) >> down)
    let lines = frame.pointee.linesize
    withMutablePlanes { planes in
      CopyPlane(y, lines.0, planes.y, Int32(planes.yStride), Int32(width), Int32(height))
      for (source, stride, target) in [(u, lines.1, planes.u), (v, lines.2, planes.v)] {
        ScalePlane(
          source, stride, Int32(chroma.width), Int32(chroma.height), target, Int32(planes.chromaStride),
          Int32(planes.chromaWidth), Int32(planes.chromaHeight), kFilterBox)
      }
      limit(planes.y, planes.yStride, width, height, offset: 16, range: 219, zero: 0)
      for target in [planes.u, planes.v] {
        limit(target, planes.chromaStride, planes.chromaWidth, planes.chromaHeight, offset: 128, range: 224, zero: 128)
      }
    }
  }
}

/// Converts a plane from full range to limited range.
private func limit(
  _ plane: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int, offset: Int, range: Int, zero: Int
) {
  let table = (0..<256).map { value in
    UInt8(clamping: offset + Int((Double((value - zero) * range) / 255).rounded()))
  }
  table.withUnsafeBufferPointer { table in
    for row in 0..<height {
      let line = plane + row * stride
      for column in 0..<width { line[column] = table[Int(line[column])] }
    }
  }
}
