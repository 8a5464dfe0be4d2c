import RoomCV4L2

/// A camera and what it offers.
public struct CameraDevice: Sendable, Hashable {
  /// The path of the device, for ``Camera`` and ``CameraControls``. The path may change when the camera is plugged in again.
  public let path: String
  /// The text for people.
  public let name: String
  /// The port, for example `usb-0000:00:14.0-1`. The port tells two cameras of the same name apart.
  public let bus: String
  /// All formats, also those that ``Camera`` does not convert.
  public let formats: [CameraFormat]

  /// The most formats, sizes of a format and rates of a size that are listed.
  static let most = (formats: 32, sizes: 64, rates: 64)

  /// Asks the device at a path.
  /// - Throws: ``CameraError``, ``CameraError/notACamera(path:)`` for other devices.
  public init(path: String) throws(CameraError) { try self.init(VideoNode(path: path)) }

  init(_ node: VideoNode) throws(CameraError) {
    var capability = v4l2_capability()
    try node.call("VIDIOC_QUERYCAP", v4l_capability, &capability)
    let all = UInt32(bitPattern: Int32(truncatingIfNeeded: V4L2_CAP_DEVICE_CAPS))
    // The capabilities of this node, if the driver knows them; a camera may have a second node, of metadata.
    let capabilities = capability.capabilities & all != 0 ? capability.device_caps : capability.capabilities
    let needed = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
    guard capabilities & needed == needed else { throw .notACamera(path: node.path) }
    path = node.path
    name = String(characters: capability.card)
    bus = String(characters: capability.bus_info)
    formats = Self.codes(node).flatMap { code in
      Self.sizes(node, code).map { CameraFormat(code: code, width: $0, height: $1, rates: Self.rates(node, code, $0, $1)) }
    }
  }

  private static func codes(_ node: VideoNode) -> [FourCC] {
    node.list(most: most.formats, v4l_describe_format) { index in
      var format = v4l2_fmtdesc()
      format.index = index
      format.type = UInt32(v4l_capture)
      return format
    } _: {
      FourCC(rawValue: $0.pixelformat)
    }
  }

  private static func sizes(_ node: VideoNode, _ code: FourCC) -> [(CameraFormat.Side, CameraFormat.Side)] {
    let sizes = node.list(most: most.sizes, v4l_frame_size) { index in
      var size = v4l2_frmsizeenum()
      size.index = index
      size.pixel_format = code.rawValue
      return size
    } _: {
      $0
    }
    // A range has one answer only; some drivers repeat it for each index.
    let isRange = sizes.first.map { $0.type != V4L2_FRMSIZE_TYPE_DISCRETE.rawValue } ?? false
    return sizes.prefix(isRange ? 1 : most.sizes).map { size in
      if isRange {
        let range = size.stepwise
        return (
          CameraFormat.Side(Int(range.min_width), to: Int(range.max_width), step: Int(range.step_width)),
          CameraFormat.Side(Int(range.min_height), to: Int(range.max_height), step: Int(range.step_height))
        )
      }
      return (CameraFormat.Side(Int(size.discrete.width)), CameraFormat.Side(Int(size.discrete.height)))
    }
  }

  private static func rates(
    _ node: VideoNode, _ code: FourCC, _ width: CameraFormat.Side, _ height: CameraFormat.Side
  ) -> [ClosedRange<Double>] {
    let intervals = node.list(most: most.rates, v4l_frame_interval) { index in
      var interval = v4l2_frmivalenum()
      interval.index = index
      interval.pixel_format = code.rawValue
      // The rates of a range are those of its largest size: smaller pictures are at least as fast.
      interval.width = UInt32(clamping: width.longest)
      interval.height = UInt32(clamping: height.longest)
      return interval
    } _: {
      $0
    }
    guard let first = intervals.first else { return [] }
    if first.type != V4L2_FRMIVAL_TYPE_DISCRETE.rawValue {
      guard let fastest = rate(first.stepwise.min), let slowest = rate(first.stepwise.max), slowest <= fastest else {
        return []
      }
      return [slowest...fastest]
    }
    return intervals.compactMap { rate($0.discrete) }.map { $0...$0 }
  }

  private static func rate(_ interval: v4l2_fract) -> Double? {
    guard interval.numerator > 0, interval.denominator > 0 else { return nil }
    return Double(interval.denominator) / Double(interval.numerator)
  }
}
