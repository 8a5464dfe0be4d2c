import RoomCFFmpeg
import RoomRTP

/// A libavcodec decoder for audio or video.
final class LibavDecoder {
  let name: String
  private var context: UnsafeMutablePointer<AVCodecContext>?
  private var packet: UnsafeMutablePointer<AVPacket>?
  private var frame: UnsafeMutablePointer<AVFrame>?

  /// Opens a decoder for a live stream: no reordering, and damaged pictures are rejected.
  /// - Parameter configuration: The out-of-band decoder configuration of a container.
  convenience init(live codec: AVCodecID, name: String, configuration: [UInt8] = []) throws(CodecError) {
    try self.init(codec, name: name) { context in
      context.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY
      return configuration.isEmpty || ff_set_extradata(context, configuration, Int32(configuration.count)) >= 0
    }
  }

  /// Opens a decoder for a stream of a container.
  convenience init(_ parameters: UnsafePointer<AVCodecParameters>, name: String) throws(CodecError) {
    try self.init(parameters.pointee.codec_id, name: name) { context in
      avcodec_parameters_to_context(context, parameters) >= 0
    }
  }

  /// Opens a decoder for frames in decoding order with an out-of-band configuration.
  convenience init(_ codec: AVCodecID, name: String, configuration: [UInt8]) throws(CodecError) {
    try self.init(codec, name: name) { context in
      configuration.isEmpty || ff_set_extradata(context, configuration, Int32(clamping: configuration.count)) >= 0
    }
  }

  init(
    _ codec: AVCodecID, name: String, configure: (UnsafeMutablePointer<AVCodecContext>) -> Bool
  ) throws(CodecError) {
    Libav.silence()
    self.name = name
    context = ff_decoder(codec)
    packet = av_packet_alloc()
    frame = av_frame_alloc()
    guard let context, packet != nil, frame != nil, configure(context) else {
      throw .unavailable(codec: name, reason: "libavcodec has no decoder")
    }
    context.pointee.thread_count = 1
    context.pointee.max_pixels = Int64(VideoFrame.maximumPixels)
    let result = ff_open(context)
    guard result >= 0 else { throw .unavailable(codec: name, reason: Libav.message(result)) }
  }

  deinit {
    av_frame_free(&frame)
    av_packet_free(&packet)
    avcodec_free_context(&context)
  }

  /// Sends one access unit to the decoder.
  func send(_ data: some Collection<UInt8>, timestamp: MediaTime? = nil) throws(CodecError) {
    guard let packet, data.count < Int(Int32.max) / 2, av_new_packet(packet, Int32(data.count)) >= 0 else {
      throw .corrupt(codec: name, reason: "\(data.count) bytes in one access unit")
    }
    defer { av_packet_unref(packet) }
    if let target = packet.pointee.data {
      _ = UnsafeMutableRawBufferPointer(start: target, count: data.count).initializeMemory(as: UInt8.self, from: data)
    }
    packet.pointee.pts = timestamp?.microseconds ?? av_no_pts
    try send(packet)
  }

  /// Sends one packet of a container to the decoder; nil at the end.
  func send(_ packet: UnsafeMutablePointer<AVPacket>?) throws(CodecError) {
    let result = avcodec_send_packet(context, packet)
    guard result >= 0 || result == averror_again else { throw .corrupt(codec: name, reason: Libav.message(result)) }
  }

  /// Passes the next decoded frame to a closure. Returns nil if more input is needed.
  func receive<Output>(
    _ read: (UnsafeMutablePointer<AVFrame>) throws(CodecError) -> Output
  ) throws(CodecError) -> Output? {
    guard let frame else { return nil }
    let result = avcodec_receive_frame(context, frame)
    if result == averror_again || result == averror_eof { return nil }
    guard result >= 0 else { throw .corrupt(codec: name, reason: Libav.message(result)) }
    defer { av_frame_unref(frame) }
    return try read(frame)
  }

  /// Returns the next picture, with the timestamp of its input.
  func receivePicture() throws(CodecError) -> VideoFrame? {
    try receivePicture { MediaTime(microseconds: $0) }
  }

  /// Returns the next picture.
  /// - Parameter time: Converts a timestamp from the input's unit; `av_no_pts` if unknown.
  func receivePicture(_ time: (Int64) -> MediaTime) throws(CodecError) -> VideoFrame? {
    try receive { (frame) throws(CodecError) in
      guard ff_frame_is_damaged(frame) == 0 else {
        throw .corrupt(codec: name, reason: "a reference or a slice is missing")
      }
      var picture = try VideoFrame(copying: frame)
      picture.timestamp = time(frame.pointee.best_effort_timestamp)
      return picture
    }
  }

  /// Decodes one access unit of a live stream. Returns nil if no picture can be shown yet.
  func decodePicture(_ data: [UInt8], timestamp: MediaTime) throws(CodecError) -> VideoFrame? {
    guard !data.isEmpty else { throw .corrupt(codec: name, reason: "no data") }
    try send(data)
    var last: VideoFrame?
    while let frame = try receivePicture() {
      last = frame
      last?.timestamp = timestamp
    }
    return last
  }

  /// Discards the decoder's state after a seek.
  func flush() { avcodec_flush_buffers(context) }
}
