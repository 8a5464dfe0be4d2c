import RoomCV4L2

/// A setting of a camera that can be changed while it captures.
public struct CameraControl: Sendable, Hashable {
  /// Identifies a control: `V4L2_CID_…`. Controls without a name here are used by their number.
  public struct ID: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let brightness = Self(rawValue: 0x0098_0900)
    public static let contrast = Self(rawValue: 0x0098_0901)
    /// 1: the camera chooses the white balance.
    public static let isWhiteBalanceAutomatic = Self(rawValue: 0x0098_090c)
    /// The colour temperature in kelvin.
    public static let whiteBalance = Self(rawValue: 0x0098_091a)
    /// A menu; 1 is manual, the others are automatic.
    public static let exposureMode = Self(rawValue: 0x009a_0901)
    /// The exposure time in units of 100 µs.
    public static let exposure = Self(rawValue: 0x009a_0902)
    /// The distance of the focus in units of the camera.
    public static let focus = Self(rawValue: 0x009a_090a)
    /// 1: the camera focuses by itself.
    public static let isFocusAutomatic = Self(rawValue: 0x009a_090c)
    /// The focal length in units of the camera.
    public static let zoom = Self(rawValue: 0x009a_090d)
    /// The light: 0 off, 1 flash, 2 torch.
    public static let light = Self(rawValue: 0x009c_0901)

    private static let names: [(name: String, id: Self)] = [
      ("brightness", .brightness), ("contrast", .contrast), ("auto-white-balance", .isWhiteBalanceAutomatic),
      ("white-balance", .whiteBalance), ("exposure-mode", .exposureMode), ("exposure", .exposure), ("focus", .focus),
      ("auto-focus", .isFocusAutomatic), ("zoom", .zoom), ("light", .light),
    ]

    /// Finds a control by the text of its ``description``.
    public init?(_ text: String) {
      if let known = Self.names.first(where: { $0.name == text }) {
        self = known.id
      } else if text.hasPrefix("0x"), let number = UInt32(text.dropFirst(2), radix: 16) {
        rawValue = number
      } else {
        return nil
      }
    }

    /// A name, or the number in hexadecimal with `0x`.
    public var description: String {
      Self.names.first { $0.id == self }?.name ?? "0x" + String(rawValue, radix: 16)
    }
  }

  /// What the values mean.
  public enum Kind: Sendable, Hashable {
    case integer
    /// 0 or 1.
    case boolean
    /// One of these values; others in the range are refused.
    case menu([Item])
    /// Setting any value acts; there is nothing to read.
    case button
  }

  /// A value of a menu.
  public struct Item: Sendable, Hashable {
    public var value: Int
    public var name: String
  }

  public let id: ID
  /// The driver's text for people.
  public let name: String
  public let kind: Kind
  public let range: ClosedRange<Int>
  /// The distance between two values; at least 1.
  public let step: Int
  public let defaultValue: Int
  /// The value when the control was listed; nil if it cannot be read.
  public let value: Int?
  public let isReadOnly: Bool
  /// Whether the value has no effect now, for example the focus while it is automatic.
  public let isInactive: Bool
}

/// The controls of a camera, also while a ``Camera`` captures from it.
public struct CameraControls: Sendable {
  /// The most controls and items of a menu that are listed.
  static let most = (controls: 256, items: 64)

  private let node: VideoNode

  /// Opens the camera for its controls alone.
  public init(path: String) throws(CameraError) { node = try VideoNode(path: path) }

  /// Returns all controls with a numeric value, with their present values.
  public func list() -> [CameraControl] {
    var controls: [CameraControl] = []
    var id: UInt32 = 0
    for _ in 0..<Self.most.controls {
      guard let query = query(id | V4L2_CTRL_FLAG_NEXT_CTRL), query.id > id else { break }
      id = query.id
      if let control = control(query) { controls.append(control) }
    }
    return controls
  }

  /// Returns a control with its present value; nil if the camera does not have it.
  public subscript(id: CameraControl.ID) -> CameraControl? { query(id.rawValue).flatMap(control) }

  /// Sets a control. Values between two steps are rounded by the driver.
  /// - Throws: ``CameraError/noControl(path:_:)``, ``CameraError/valueOutOfRange(_:value:range:)``,
  ///   ``CameraError/controlRefused(_:)``, or that of the device.
  public func set(_ id: CameraControl.ID, to value: Int) throws(CameraError) {
    var query = v4l2_queryctrl()
    query.id = id.rawValue
    let asked = v4l_query_control(node.descriptor, &query)
    guard asked != EINVAL, asked != ENOTTY else { throw .noControl(path: node.path, id) }
    try CameraError.check(asked, "VIDIOC_QUERYCTRL", node.path)
    guard let control = control(query) else { throw .noControl(path: node.path, id) }
    let outOfRange = CameraError.valueOutOfRange(id, value: value, range: control.range)
    guard control.kind == .button || control.range.contains(value), let number = Int32(exactly: value) else { throw outOfRange }
    if case .menu(let items) = control.kind, !items.contains(where: { $0.value == value }) { throw outOfRange }
    guard !control.isReadOnly else { throw .controlRefused(id) }
    var setting = v4l2_control(id: id.rawValue, value: number)
    switch v4l_set_control(node.descriptor, &setting) {
    case 0: return
    case EACCES, EBUSY: throw .controlRefused(id)
    case ERANGE, EINVAL: throw outOfRange
    case let code: throw CameraError(path: node.path, call: "VIDIOC_S_CTRL", code: code)
    }
  }

  private func query(_ id: UInt32) -> v4l2_queryctrl? {
    var query = v4l2_queryctrl()
    query.id = id
    return v4l_query_control(node.descriptor, &query) == 0 ? query : nil
  }

  /// Returns nil for titles, and for values that are not numbers of 32 bits.
  private func control(_ query: v4l2_queryctrl) -> CameraControl? {
    let kind: CameraControl.Kind
    switch query.type {
    case V4L2_CTRL_TYPE_INTEGER.rawValue, V4L2_CTRL_TYPE_BITMASK.rawValue: kind = .integer
    case V4L2_CTRL_TYPE_BOOLEAN.rawValue: kind = .boolean
    case V4L2_CTRL_TYPE_BUTTON.rawValue: kind = .button
    case V4L2_CTRL_TYPE_MENU.rawValue, V4L2_CTRL_TYPE_INTEGER_MENU.rawValue: kind = .menu(items(query))
    default: return nil
    }
    guard query.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0 else { return nil }
    var current = v4l2_control(id: query.id, value: 0)
    let isReadable = kind != .button && v4l_get_control(node.descriptor, &current) == 0
    return CameraControl(
      id: .init(rawValue: query.id), name: String(characters: query.name), kind: kind,
      range: Int(query.minimum)...max(Int(query.minimum), Int(query.maximum)), step: max(Int(query.step), 1),
      defaultValue: Int(query.default_value), value: isReadable ? Int(current.value) : nil,
      isReadOnly: query.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0,
      isInactive: query.flags & UInt32(V4L2_CTRL_FLAG_INACTIVE) != 0)
  }

  private func items(_ query: v4l2_queryctrl) -> [CameraControl.Item] {
    let first = max(Int(query.minimum), 0)
    let last = min(Int(query.maximum), first + Self.most.items - 1)
    guard first <= last else { return [] }
    return (first...last).compactMap { index in
      var item = v4l2_querymenu()
      item.id = query.id
      item.index = UInt32(clamping: index)
      // A menu may lack some of its values.
      guard v4l_query_menu(node.descriptor, &item) == 0 else { return nil }
      if query.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue {
        return CameraControl.Item(value: index, name: String(v4l_menu_value(&item)))
      }
      return CameraControl.Item(
        value: index,
        name: withUnsafeTemporaryAllocation(of: CChar.self, capacity: 33) { name in
          guard let base = name.baseAddress else { return "" }
          v4l_menu_name(&item, base)
          return String(cString: base)
        })
    }
  }
}
