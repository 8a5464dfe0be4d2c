/// A rectangle of a screen, in pixels.
public struct ScreenArea: Sendable, Hashable {
  public var x: Int
  public var y: Int
  public var width: Int
  public var height: Int

  public init(x: Int, y: Int, width: Int, height: Int) { (self.x, self.y, self.width, self.height) = (x, y, width, height) }

  /// Returns the part inside a screen of this size, with even sides; nil if there is none.
  func inside(width: Int, height: Int) -> ScreenArea? {
    func part(_ start: Int, _ length: Int, of whole: Int) -> (Int, Int)? {
      let from = min(max(start, 0), whole)
      let to = min(max(start.addingReportingOverflow(max(length, 0)).partialValue, from), whole)
      let even = (to - from) & ~1
      return even > 0 ? (from, even) : nil
    }
    guard let across = part(x, self.width, of: width), let down = part(y, self.height, of: height) else { return nil }
    return ScreenArea(x: across.0, y: down.0, width: across.1, height: down.1)
  }
}

/// What of a display is captured.
public enum ScreenSource: Sendable, Hashable {
  /// The whole screen.
  case screen
  /// A rectangle, such as that of a monitor (``ScreenDevices``). The part outside the screen is left out.
  case area(ScreenArea)
  /// A window, also where others cover it. The window's size is followed.
  case window(UInt32)
}
