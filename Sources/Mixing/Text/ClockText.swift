public import RoomCodecs

/// The time of day as text, "20:15:00". One owner at a time.
public final class ClockText {
  private let renderer: TextRenderer
  private let style: TextStyle
  private let offset: Int64
  private let place: (x: Int, y: Int)
  private var shown: Int64?

  /// - Parameters:
  ///   - secondsFromGMT: The offset of the time zone in s; at most one day.
  ///   - x: The left edge on the canvas; `y` is the top edge.
  public init(_ renderer: TextRenderer, style: TextStyle = TextStyle(), secondsFromGMT: Int = 0, x: Int, y: Int) {
    self.renderer = renderer
    self.style = style
    offset = Int64(min(max(secondsFromGMT, -86_400), 86_400))
    place = (x, y)
  }

  /// Returns the overlay to show from now on; nil if it is unchanged.
  /// - Parameter milliseconds: The time in ms since 1970.
  public func overlay(at milliseconds: Int64) -> Overlay? {
    // Rounded down, also before 1970.
    let second = milliseconds / 1000 - (milliseconds % 1000 < 0 ? 1 : 0)
    guard second != shown else { return nil }
    shown = second
    return renderer.overlay(Self.text(second, offset: offset), style: style, x: place.x, y: place.y)
  }

  static func text(_ second: Int64, offset: Int64) -> String {
    let ofDay = ((second % 86_400 + offset) % 86_400 + 86_400) % 86_400
    return [ofDay / 3600, ofDay / 60 % 60, ofDay % 60].map { ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ":")
  }
}
