import Foundation
import RoomCLinux
import RoomCV4L2
import RoomLinux
import RoomRTP
import Synchronization

/// A camera that streams into memory-mapped buffers. The camera's thread alone calls ``next(_:)`` and ``close()``.
///
/// Unchecked because of the pointers to the buffers. The buffers are only read, by the camera's thread, between dequeuing and
/// queuing.
final class CameraStream: @unchecked Sendable {
  /// A picture in a buffer of the driver.
  struct Picture {
    var bytes: UnsafeRawBufferPointer
    /// The capture time on the monotonic clock.
    var time: MediaTime
    /// The number of the picture; the camera's driver leaves out those for which there was no buffer.
    var sequence: UInt32
    /// Whether the driver reports damaged data.
    var isDamaged: Bool
  }

  /// The buffers that the driver is asked for. The driver may give more or fewer.
  private static let wantedBuffers: UInt32 = 4
  /// The most buffers that are used.
  private static let mostBuffers = 32

  /// What the camera does, which may differ from what it was asked for.
  let setting: CameraSetting
  /// The bytes from a row to the next; 0 for compressed pictures.
  let stride: Int
  private let node: VideoNode
  private let buffers: [UnsafeMutableRawBufferPointer]
  private let isClosed = Atomic(false)

  /// Starts to stream.
  init(_ node: VideoNode, _ wanted: CameraSetting) throws(CameraError) {
    self.node = node
    (setting, stride) = try Self.negotiate(node, wanted)
    buffers = try Self.map(node)
    // From here, deinit unmaps the buffers.
    for index in buffers.indices { try enqueue(index) }
    var type = v4l_capture
    try node.call("VIDIOC_STREAMON", v4l_stream_on, &type)
  }

  deinit { close() }

  var path: String { node.path }

  /// Stops, and releases the device for other programs.
  func close() {
    guard !isClosed.exchange(true, ordering: .relaxed) else { return }
    var type = v4l_capture
    _ = v4l_stream_off(node.descriptor, &type)
    for buffer in buffers { munmap(buffer.baseAddress, buffer.count) }
    node.close()
  }

  /// Waits for a picture and passes it to a closure.
  /// - Parameters:
  ///   - wake: a descriptor that ends the wait when it is readable.
  ///   - milliseconds: the longest wait.
  /// - Returns: false if there was no picture because of `wake`.
  /// - Throws: ``CameraError/noPictures(path:)`` after the longest wait, ``CameraError/unplugged(path:)``.
  func next(wake: Int32, milliseconds: Int32, _ body: (Picture) -> Void) throws(CameraError) -> Bool {
    var waiting = [
      pollfd(fd: node.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    let ready = poll(&waiting, 2, milliseconds)
    if ready < 0 {
      if errno == EINTR { return true }
      throw CameraError(path: node.path, call: "poll", code: errno)
    }
    if waiting[1].revents != 0 { return false }
    if ready == 0 { throw .noPictures(path: node.path) }
    var buffer = Self.buffer(0)
    let result = v4l_dequeue(node.descriptor, &buffer)
    if result == EAGAIN {
      // Without a picture, POLLERR is permanent: the device is lost, or no buffer is queued.
      if waiting[0].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { throw .unplugged(path: node.path) }
      return true
    }
    try CameraError.check(result, "VIDIOC_DQBUF", node.path)
    guard buffers.indices.contains(Int(buffer.index)) else {
      throw .failed(path: node.path, call: "VIDIOC_DQBUF", code: EINVAL)
    }
    let memory = buffers[Int(buffer.index)]
    body(
      Picture(
        bytes: UnsafeRawBufferPointer(rebasing: memory.prefix(Int(buffer.bytesused))), time: Self.time(buffer),
        sequence: buffer.sequence, isDamaged: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0))
    try enqueue(Int(buffer.index))
    return true
  }

  private static func time(_ buffer: v4l2_buffer) -> MediaTime {
    guard buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC) else {
      return Instant.now.mediaTime
    }
    let (seconds, fraction) = (Int64(buffer.timestamp.tv_sec), Int64(buffer.timestamp.tv_usec))
    return MediaTime(microseconds: seconds &* 1_000_000 &+ fraction)
  }

  private func enqueue(_ index: Int) throws(CameraError) {
    var buffer = Self.buffer(index)
    try node.call("VIDIOC_QBUF", v4l_queue, &buffer)
  }

  private static func buffer(_ index: Int) -> v4l2_buffer {
    var buffer = v4l2_buffer()
    buffer.index = UInt32(clamping: index)
    buffer.type = UInt32(v4l_capture)
    buffer.memory = V4L2_MEMORY_MMAP.rawValue
    return buffer
  }

  private static func negotiate(_ node: VideoNode, _ wanted: CameraSetting) throws(CameraError) -> (CameraSetting, Int) {
    var format = v4l2_format()
    format.type = UInt32(v4l_capture)
    format.fmt.pix.pixelformat = wanted.code.rawValue
    format.fmt.pix.width = UInt32(clamping: wanted.width)
    format.fmt.pix.height = UInt32(clamping: wanted.height)
    format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
    try node.call("VIDIOC_S_FMT", v4l_set_format, &format)
    let pix = format.fmt.pix
    var setting = CameraSetting(
      code: FourCC(rawValue: pix.pixelformat), width: Int(pix.width), height: Int(pix.height), rate: wanted.rate)
    guard CameraSetting.convertible.contains(setting.code) else {
      throw .noUsableFormat(path: node.path, formats: [setting.code])
    }
    if let rate = wanted.rate {
      var parameters = v4l2_streamparm()
      parameters.type = UInt32(v4l_capture)
      parameters.parm.capture.timeperframe = v4l2_fract(
        numerator: 1000, denominator: UInt32(min(max(rate, 0.1), 1000) * 1000))
      // A camera with one rate refuses to set it.
      if v4l_set_parameters(node.descriptor, &parameters) == 0 {
        let interval = parameters.parm.capture.timeperframe
        if interval.numerator > 0, interval.denominator > 0 {
          setting.rate = Double(interval.denominator) / Double(interval.numerator)
        }
      }
    }
    return (setting, Int(pix.bytesperline))
  }

  private static func map(_ node: VideoNode) throws(CameraError) -> [UnsafeMutableRawBufferPointer] {
    var request = v4l2_requestbuffers()
    request.count = wantedBuffers
    request.type = UInt32(v4l_capture)
    request.memory = V4L2_MEMORY_MMAP.rawValue
    try node.call("VIDIOC_REQBUFS", v4l_request_buffers, &request)
    guard request.count > 0 else { throw .failed(path: node.path, call: "VIDIOC_REQBUFS", code: ENOMEM) }
    var buffers: [UnsafeMutableRawBufferPointer] = []
    do throws(CameraError) {
      for index in 0..<min(Int(request.count), mostBuffers) {
        var buffer = buffer(index)
        try node.call("VIDIOC_QUERYBUF", v4l_query_buffer, &buffer)
        let memory = mmap(
          nil, Int(buffer.length), PROT_READ | PROT_WRITE, MAP_SHARED, node.descriptor, Int(v4l_buffer_offset(&buffer)))
        guard let memory, memory != MAP_FAILED else { throw CameraError(path: node.path, call: "mmap", code: errno) }
        buffers.append(UnsafeMutableRawBufferPointer(start: memory, count: Int(buffer.length)))
      }
    } catch {
      for buffer in buffers { munmap(buffer.baseAddress, buffer.count) }
      throw error
    }
    return buffers
  }
}
