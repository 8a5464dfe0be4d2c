extension LayoutType {
  /// The frames of a built-in layout by seat index; empty for `custom`.
  public var frames: [SeatFrame] {
    switch self {
    case .oneToOne:
      [
        SeatFrame(x: 0, y: 0, width: 1, height: 1),
        // Below the line in which apps show the host's name, beside the comments.
        SeatFrame(x: 0.66, y: 0.1, width: 0.3, height: 0.3, zIndex: 1, cornerRadius: 0.06),
      ]
    case .oneToSix:
      [SeatFrame(x: 0, y: 0, width: 0.7, height: 1)]
        + (0..<6).map { SeatFrame(x: 0.7, y: Double($0) / 6, width: 0.3, height: 1.0 / 6) }
    case .gridTwo: [0, 0.5].map { SeatFrame(x: $0, y: 0.25, width: 0.5, height: 0.5) }
    case .gridThree: [SeatFrame(x: 0.25, y: 0, width: 0.5, height: 0.5)] + Self.row(of: 2, at: 1, rows: 2)
    case .gridFour: (0..<2).flatMap { Self.row(of: 2, at: $0, rows: 2) }
    case .gridSeven:
      [SeatFrame(x: 1.0 / 3, y: 0, width: 1.0 / 3, height: 1.0 / 3)] + (1..<3).flatMap { Self.row(of: 3, at: $0, rows: 3) }
    case .gridNine: (0..<3).flatMap { Self.row(of: 3, at: $0, rows: 3) }
    case .custom: []
    }
  }

  /// Returns one row of a grid, from left to right.
  private static func row(of columns: Int, at row: Int, rows: Int) -> [SeatFrame] {
    (0..<columns).map { column in
      SeatFrame(
        x: Double(column) / Double(columns), y: Double(row) / Double(rows), width: 1 / Double(columns),
        height: 1 / Double(rows))
    }
  }
}
