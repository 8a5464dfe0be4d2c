import RoomCodecs
import RoomStudio
import RoomTestSupport
import Testing

@Suite("Broken lookup tables")
struct BrokenLookupTests {
  @Test("a broken .cube file is refused, and the error names the line")
  func cube() {
    let good = LookupTests.cube
    let expected: [(String, LookupError)] = [
      ("", .side(0)), ("LUT_3D_SIZE 1\n", .side(1)), ("LUT_3D_SIZE 65", .side(65)),
      ("LUT_3D_SIZE 1000000", .line(1, reason: "not a number")),
      ("LUT_3D_SIZE 2.5", .line(1, reason: "the size is not an integer")),
      ("LUT_3D_SIZE", .line(1, reason: "0 numbers instead of 1")),
      ("LUT_3D_SIZE -2", .side(-2)), ("LUT_1D_SIZE 16", .line(1, reason: "1D tables are not supported")),
      ("\0\u{1}\u{ff}", .line(1, reason: "an unknown keyword")), ("0 0 0", .line(1, reason: "a colour before LUT_3D_SIZE")),
      ("LUT_3D_SIZE 2\nLUT_3D_SIZE 2", .line(2, reason: "a second LUT_3D_SIZE")),
      ("LUT_3D_SIZE 2\n0 0", .line(2, reason: "2 numbers instead of 3")),
      ("LUT_3D_SIZE 2\n0 0 nan", .line(2, reason: "not a number")),
      ("LUT_3D_SIZE 2\n0 0 1e40", .line(2, reason: "not a number")),
      ("LUT_3D_SIZE 2\n0 0 0\nTITLE x", .line(3, reason: "a keyword after the first colour")),
      ("DOMAIN_MAX 0 0 0\n", .line(1, reason: "an empty domain")), (good + "1 1 1\n", .count(expected: 8, got: 9)),
      (String(good.dropLast(6)), .count(expected: 8, got: 7)),
    ]
    for (text, error) in expected {
      #expect(throws: error) { try LookupTable(cube: Array(text.utf8)) }
      #expect(!error.description.isEmpty)
    }
    let huge = [UInt8](repeating: 10, count: LookupTable.maximumCubeBytes + 1)
    #expect(throws: LookupError.tooLarge(bytes: huge.count, limit: LookupTable.maximumCubeBytes)) {
      try LookupTable(cube: huge)
    }
  }

  @Test("a PNG file without a table is refused")
  func png() {
    func file(_ width: Int, _ height: Int) -> [UInt8] {
      let row = [UInt8](repeating: 0, count: width * 3)
      return PNGWriter(width: width, height: height, colour: .rgb, rows: Array(repeating: row, count: height)).file
    }
    for (width, height) in [(1, 1), (9, 9), (64, 27), (512, 64), (511, 511)] {
      #expect(throws: LookupError.pictureSize(width: width, height: height)) { try LookupTable(png: file(width, height)) }
    }
    #expect(throws: LookupError.pictureSize(width: 64, height: 64)) { try LookupTable(png: file(64, 64), layout: .squares) }
    let whole = file(27, 27)
    for count in stride(from: 0, to: whole.count, by: 13) {
      #expect(throws: LookupError.self) { try LookupTable(png: Array(whole.prefix(count))) }
    }
    #expect(throws: LookupError.self) { try LookupTable(png: Array(LookupTests.cube.utf8)) }
  }

  @Test("thousands of mutated files give a table that can be applied, or an error")
  func mutations() throws {
    var random = SeededGenerator(seed: 2026)
    let frame = try VideoFrame.of(.skin, 16, 16)
    let cube = Array(LookupTests.cube.utf8)
    let png = LookupTests.picture(64, .hald) { $0 }
    var (tables, refusals) = (0, 0)
    for round in 0..<1500 {
      let isCube = round % 30 != 0
      var file = isCube ? cube : png
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: 0..<file.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: file[place] = .random(in: .min ... .max, using: &random)
        case 1: file[place] = Array("0123456789.-+e \n".utf8).randomElement(using: &random) ?? 0
        case 2: file.insert(contentsOf: file.suffix(from: place).prefix(9), at: place)
        default: file.removeSubrange(place..<min(file.count, place + 3))
        }
      }
      do {
        let table = isCube ? try LookupTable(cube: file) : try LookupTable(png: file)
        tables += 1
        #expect(LookupTable.sides.contains(table.side))
        if tables % 20 == 0 { #expect(LookupTests.filtered(table, frame).width == 16) }
      } catch { refusals += 1 }
    }
    #expect(tables > 50 && refusals > 500)
  }
}
