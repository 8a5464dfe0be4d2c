import RoomServer

/// A text as a QR code (ISO/IEC 18004): bytes, error correction of level M, versions 1 to 20.
struct QRCode {
  /// The modules by row, true for dark, without the light margin of four modules that a reader needs.
  private(set) var rows: [[Bool]]
  /// The modules that no mask changes: everything but the codewords.
  private var isFixed: [[Bool]]
  private let version: Int

  private var size: Int { rows.count }

  /// Encodes a text. Returns nil if it has more than 666 bytes.
  init?(_ text: String) {
    guard let (version, codewords) = QRCodewords.encode(Array(text.utf8)) else { return nil }
    self.version = version
    let size = version * 4 + 17
    rows = Array(repeating: Array(repeating: false, count: size), count: size)
    isFixed = rows
    addMarks()
    addFormat(mask: 0)
    add(codewords)
    let penalties = Self.masks.indices.map(penalty)
    let best = penalties.indices.min { penalties[$0] < penalties[$1] } ?? 0
    addFormat(mask: best)
    apply(mask: best)
  }

  /// The code as an SVG document, with its margin.
  var svg: String {
    let side = size + 8
    var path = ""
    for (y, row) in rows.enumerated() {
      for (x, isDark) in row.enumerated() where isDark { path += "M\(x + 4) \(y + 4)h1v1h-1z" }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">\
      <rect width="\(side)" height="\(side)" fill="#fff"/><path d="\(path)" fill="#000"/></svg>
      """
  }

  // MARK: Marks

  private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
    guard rows.indices.contains(x), rows.indices.contains(y) else { return }
    rows[y][x] = isDark
    isFixed[y][x] = true
  }

  /// Draws the timing, the three corners, the alignment marks and the version.
  private mutating func addMarks() {
    for at in 0..<size {
      set(6, at, at % 2 == 0)
      set(at, 6, at % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] { addRings(4, x, y) { $0 != 2 && $0 != 4 } }
    let places = alignment
    for x in places {
      for y in places where !isCorner(x, y) { addRings(2, x, y) { $0 != 1 } }
    }
    guard version > 6 else { return }
    let bits = version << 12 | Self.remainder(of: version, bits: 12, by: 0x1f25)
    for index in 0..<18 {
      let (far, near) = (size - 11 + index % 3, index / 3)
      set(far, near, bits >> index & 1 == 1)
      set(near, far, bits >> index & 1 == 1)
    }
  }

  private mutating func addRings(_ radius: Int, _ x: Int, _ y: Int, isDark: (Int) -> Bool) {
    for dy in -radius...radius {
      for dx in -radius...radius { set(x + dx, y + dy, isDark(max(abs(dx), abs(dy)))) }
    }
  }

  /// The coordinates of the alignment marks.
  private var alignment: [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let parts = count * 2 - 2
    let step = (version * 4 + 4 + parts - 1) / parts * 2
    return [6] + (1..<count).map { size - 7 - (count - 1 - $0) * step }
  }

  private func isCorner(_ x: Int, _ y: Int) -> Bool {
    let far = size - 7
    return (x == 6 && (y == 6 || y == far)) || (x == far && y == 6)
  }

  /// Writes the level and the mask, twice.
  private mutating func addFormat(mask: Int) {
    let bits = (mask << 10 | Self.remainder(of: mask, bits: 10, by: 0x537)) ^ 0x5412
    func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0..<6 { set(8, index, bit(index)) }
    set(8, 7, bit(6))
    set(8, 8, bit(7))
    set(7, 8, bit(8))
    for index in 9..<15 { set(14 - index, 8, bit(index)) }
    for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
    for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
    set(8, size - 8, true)
  }

  /// The remainder of a BCH code.
  private static func remainder(of value: Int, bits: Int, by generator: Int) -> Int {
    (0..<bits).reduce(value) { rest, _ in rest << 1 ^ (rest >> (bits - 1)) * generator }
  }

  // MARK: Codewords

  /// Writes the codewords up and down, in columns of two.
  private mutating func add(_ codewords: [UInt8]) {
    var at = 0
    for right in stride(from: size - 1, to: 0, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
      for row in 0..<size {
        let y = (right + 1) & 2 == 0 ? size - 1 - row : row
        for x in [right, right - 1] where !isFixed[y][x] {
          if at < codewords.count * 8 { rows[y][x] = codewords[at / 8] >> (7 - UInt8(at % 8)) & 1 == 1 }
          at += 1
        }
      }
    }
  }

  // MARK: Masks

  private static let masks: [@Sendable (_ x: Int, _ y: Int) -> Bool] = [
    { ($0 + $1) % 2 == 0 }, { $1 % 2 == 0 }, { x, _ in x % 3 == 0 }, { ($0 + $1) % 3 == 0 }, { ($0 / 3 + $1 / 2) % 2 == 0 },
    { $0 * $1 % 2 + $0 * $1 % 3 == 0 }, { ($0 * $1 % 2 + $0 * $1 % 3) % 2 == 0 }, { (($0 + $1) % 2 + $0 * $1 % 3) % 2 == 0 },
  ]

  private mutating func apply(mask: Int) {
    for y in rows.indices {
      for x in rows.indices where !isFixed[y][x] && Self.masks[mask](x, y) { rows[y][x].toggle() }
    }
  }

  /// How hard the code is to read with a mask: long runs of one colour, and blocks of four.
  private func penalty(mask: Int) -> Int {
    var masked = self
    masked.addFormat(mask: mask)
    masked.apply(mask: mask)
    let grid = masked.rows
    var penalty = 0
    for line in grid.indices {
      penalty += Self.penalty(ofLine: grid[line]) + Self.penalty(ofLine: grid.map { $0[line] })
      guard line > 0 else { continue }
      for x in 1..<size where [grid[line - 1][x], grid[line][x - 1], grid[line - 1][x - 1]].allSatisfy({ $0 == grid[line][x] })
      {
        penalty += 3
      }
    }
    return penalty
  }

  private static func penalty(ofLine line: [Bool]) -> Int {
    var (penalty, run) = (0, 1)
    for (last, next) in zip(line, line.dropFirst()) {
      run = last == next ? run + 1 : 1
      if run >= 5 { penalty += run == 5 ? 3 : 1 }
    }
    return penalty
  }
}
