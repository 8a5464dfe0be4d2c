import RoomCClient
import RoomCYUV
import RoomCodecs
import RoomRTP

extension VideoFrame {
  /// Copies a picture of the app.
  init(_ picture: UnsafePointer<rc_i420>?) throws {
    guard let picture = picture?.pointee else { throw Refusal.argument("picture", "is NULL") }
    guard let y = picture.y, let u = picture.u, let v = picture.v else { throw Refusal.argument("picture", "lacks a plane") }
    let chromaWidth = (Int(picture.width) + 1) / 2
    guard picture.stride_y >= picture.width, Int(picture.stride_uv) >= chromaWidth else {
      throw Refusal.argument("picture", "has a stride below the length of a row")
    }
    try self.init(
      width: Int(picture.width), height: Int(picture.height), timestamp: MediaTime(microseconds: picture.time_us))
    withMutablePlanes { planes in
      _ = I420Copy(
        y, picture.stride_y, u, picture.stride_uv, v, picture.stride_uv, planes.y, Int32(planes.yStride), planes.u,
        Int32(planes.chromaStride), planes.v, Int32(planes.chromaStride), picture.width, picture.height)
    }
  }

  /// Copies a picture of the app.
  init(_ picture: UnsafePointer<rc_nv12>?) throws {
    guard let picture = picture?.pointee else { throw Refusal.argument("picture", "is NULL") }
    guard let y = picture.y, let uv = picture.uv else { throw Refusal.argument("picture", "lacks a plane") }
    let chromaRow = (Int(picture.width) + 1) / 2 * 2
    guard picture.stride_y >= picture.width, Int(picture.stride_uv) >= chromaRow else {
      throw Refusal.argument("picture", "has a stride below the length of a row")
    }
    try self.init(
      width: Int(picture.width), height: Int(picture.height), timestamp: MediaTime(microseconds: picture.time_us))
    withMutablePlanes { planes in
      _ = NV12ToI420(
        y, picture.stride_y, uv, picture.stride_uv, planes.y, Int32(planes.yStride), planes.u, Int32(planes.chromaStride),
        planes.v, Int32(planes.chromaStride), picture.width, picture.height)
    }
  }

  /// Converts a picture of the app.
  init(_ picture: UnsafePointer<rc_rgb>?) throws {
    guard let picture = picture?.pointee else { throw Refusal.argument("picture", "is NULL") }
    guard let pixels = picture.pixels else { throw Refusal.argument("pixels", "is NULL") }
    let (width, height, stride) = (Int(picture.width), Int(picture.height), Int(picture.stride))
    // The size is checked before it is used for the length of the memory.
    let row = try integer(picture.width, "width", in: 1...Self.maximumSide) * (picture.format == RC_RGB ? 3 : 4)
    let rows = try integer(picture.height, "height", in: 1...Self.maximumSide)
    guard stride >= row else { throw Refusal.argument("stride", "is below the length of a row") }
    let bytes = UnsafeBufferPointer(start: pixels, count: stride * (rows - 1) + row)
    let time = MediaTime(microseconds: picture.time_us)
    switch picture.format {
    case RC_RGB: try self.init(rgb: bytes, width: width, height: height, stride: stride, timestamp: time)
    case RC_RGBA: try self.init(rgba: bytes, width: width, height: height, stride: stride, timestamp: time)
    case RC_BGRA: try self.init(bgra: bytes, width: width, height: height, stride: stride, timestamp: time)
    default: throw Refusal.argument("format", "is \(picture.format.rawValue), not 0 to 2")
    }
  }

  /// Calls `body` with the picture in the form of the app. The pointers are invalid after it.
  func withPicture(_ body: (UnsafePointer<rc_i420>) -> Void) {
    withPlanes { planes in
      var picture = rc_i420(
        width: Int32(planes.width), height: Int32(planes.height), y: planes.y, u: planes.u, v: planes.v,
        stride_y: Int32(planes.yStride), stride_uv: Int32(planes.chromaStride), time_us: timestamp.microseconds)
      body(&picture)
    }
  }
}

extension AudioFrame {
  /// The most samples of each channel in one call: a second at 192 kHz.
  private static let limit = 192_000

  /// Copies samples of the app.
  init(_ pcm: UnsafePointer<rc_pcm>?) throws(Refusal) {
    guard let pcm = pcm?.pointee else { throw .argument("pcm", "is NULL") }
    let channels = try integer(pcm.channels, "channels", in: 1...8)
    let rate = try integer(pcm.sample_rate, "sample_rate", in: 8000...192_000)
    guard let samples = pcm.samples else { throw .argument("samples", "is NULL") }
    guard (0...Self.limit).contains(pcm.frame_count) else {
      throw .argument("frame_count", "is \(pcm.frame_count), not 0 to \(Self.limit)")
    }
    self.init(
      samples: Array(UnsafeBufferPointer(start: samples, count: pcm.frame_count * channels)),
      format: AudioFormat(sampleRate: rate, channels: channels), timestamp: MediaTime(microseconds: pcm.time_us))
  }

  /// Calls `body` with the samples in the form of the app. The pointers are invalid after it.
  func withPCM(_ body: (UnsafePointer<rc_pcm>) -> Void) {
    samples.withUnsafeBufferPointer { samples in
      var pcm = rc_pcm(
        samples: samples.baseAddress, frame_count: frameCount, sample_rate: Int32(format.sampleRate),
        channels: Int32(format.channels), time_us: timestamp.microseconds)
      body(&pcm)
    }
  }
}

extension EncodedFrame {
  /// The largest frame of the app in bytes.
  private static let limit = 16 << 20

  /// Copies a frame of the app.
  init(_ frame: UnsafePointer<rc_encoded>?) throws(Refusal) {
    guard let frame = frame?.pointee, let data = frame.data else { throw .argument("frame", "is NULL") }
    guard (1...Self.limit).contains(frame.size) else {
      throw .argument("size", "is \(frame.size), not 1 to \(Self.limit)")
    }
    self.init(
      data: Array(UnsafeBufferPointer(start: data, count: frame.size)), timestamp: frame.timestamp,
      isKeyFrame: frame.is_key_frame)
  }

  /// Calls `body` with the frame in the form of the app. The pointers are invalid after it.
  func withFrame(_ body: (UnsafePointer<rc_encoded>) -> Void) {
    data.withUnsafeBufferPointer { data in
      var frame = rc_encoded(data: data.baseAddress, size: data.count, timestamp: timestamp, is_key_frame: isKeyFrame)
      body(&frame)
    }
  }
}

extension Callback<rc_on_picture> {
  /// Passes a picture to the app; nil at the end.
  func send(_ reader: OpaquePointer, _ picture: VideoFrame?) {
    guard let picture else { return function(context, reader, nil) }
    picture.withPicture { function(context, reader, $0) }
  }
}

extension Callback<rc_on_pcm> {
  /// Passes samples to the app; nil at the end.
  func send(_ reader: OpaquePointer, _ samples: AudioFrame?) {
    guard let samples else { return function(context, reader, nil) }
    samples.withPCM { function(context, reader, $0) }
  }
}
