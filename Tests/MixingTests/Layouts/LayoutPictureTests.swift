import RoomCodecs
import RoomMediaTimeLiterals
import RoomMixing
import RoomRTP
import RoomProtocol
import Testing

/// Each layout with all seats taken, on 720x1280, shown as letters: H is the host, digits are guests, a dot is the background.
@Suite("Layout pictures")
struct LayoutPictureTests {
  private func mosaic(_ layout: Layout, empty: Set<Int> = [], columns: Int = 18, rows: Int = 16) throws -> String {
    let sources = (0..<layout.seatCount).map { empty.contains($0) ? nil : $0 }
    let compositor = try Compositor(
      Composition(
        width: layout.canvas.width, height: layout.canvas.height, background: .colour(Mosaic.background),
        placements: layout.placements(of: sources)))
    for seat in sources.compactMap({ $0 }) {
      // Cameras in portrait and landscape orientation.
      let (width, height) = seat % 2 == 0 ? (180, 320) : (320, 180)
      compositor.setPicture(try Mosaic.picture(seat: seat, width: width, height: height), of: seat)
    }
    return Mosaic(compositor.compose(timestamp: 0), columns: columns, rows: rows).description
  }

  @Test("one to one: the host everywhere, the guest in a floating window")
  func oneToOne() throws {
    #expect(
      try mosaic(Layout(.oneToOne)) == """
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHH11111H
        HHHHHHHHHHHH11111H
        HHHHHHHHHHHH11111H
        HHHHHHHHHHHH11111H
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        HHHHHHHHHHHHHHHHHH
        """)
  }

  @Test("one to six: the host large, six guests beside it")
  func oneToSix() throws {
    #expect(
      try mosaic(Layout(.oneToSix)) == """
        HHHHHHHHHHHHH11111
        HHHHHHHHHHHHH11111
        HHHHHHHHHHHHH11111
        HHHHHHHHHHHHH22222
        HHHHHHHHHHHHH22222
        HHHHHHHHHHHHH33333
        HHHHHHHHHHHHH33333
        HHHHHHHHHHHHH33333
        HHHHHHHHHHHHH44444
        HHHHHHHHHHHHH44444
        HHHHHHHHHHHHH44444
        HHHHHHHHHHHHH55555
        HHHHHHHHHHHHH55555
        HHHHHHHHHHHHH66666
        HHHHHHHHHHHHH66666
        HHHHHHHHHHHHH66666
        """)
  }

  @Test("two side by side, as in a PK")
  func gridTwo() throws {
    #expect(
      try mosaic(Layout(.gridTwo)) == """
        ..................
        ..................
        ..................
        ..................
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        ..................
        ..................
        ..................
        ..................
        """)
  }

  @Test("three: the host above two guests")
  func gridThree() throws {
    #expect(
      try mosaic(Layout(.gridThree)) == """
        ....HHHHHHHHH.....
        ....HHHHHHHHH.....
        ....HHHHHHHHH.....
        ....HHHHHHHHH.....
        ....HHHHHHHHH.....
        ....HHHHHHHHH.....
        ....HHHHHHHHH.....
        ....HHHHHHHHH.....
        111111111222222222
        111111111222222222
        111111111222222222
        111111111222222222
        111111111222222222
        111111111222222222
        111111111222222222
        111111111222222222
        """)
  }

  @Test("four: two by two")
  func gridFour() throws {
    #expect(
      try mosaic(Layout(.gridFour)) == """
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        HHHHHHHHH111111111
        222222222333333333
        222222222333333333
        222222222333333333
        222222222333333333
        222222222333333333
        222222222333333333
        222222222333333333
        222222222333333333
        """)
  }

  @Test("seven: the host above two rows of three")
  func gridSeven() throws {
    #expect(
      try mosaic(Layout(.gridSeven)) == """
        ......HHHHHH......
        ......HHHHHH......
        ......HHHHHH......
        ......HHHHHH......
        ......HHHHHH......
        111111222222333333
        111111222222333333
        111111222222333333
        111111222222333333
        111111222222333333
        111111222222333333
        444444555555666666
        444444555555666666
        444444555555666666
        444444555555666666
        444444555555666666
        """)
  }

  @Test("nine: three by three")
  func gridNine() throws {
    #expect(
      try mosaic(Layout(.gridNine)) == """
        HHHHHH111111222222
        HHHHHH111111222222
        HHHHHH111111222222
        HHHHHH111111222222
        HHHHHH111111222222
        333333444444555555
        333333444444555555
        333333444444555555
        333333444444555555
        333333444444555555
        333333444444555555
        666666777777888888
        666666777777888888
        666666777777888888
        666666777777888888
        666666777777888888
        """)
  }

  @Test("custom: frames defined by the app, one above the others")
  func custom() throws {
    let layout = try Layout(
      .custom, canvas: CanvasSize(width: 640, height: 360),
      frames: [
        SeatFrame(x: 0, y: 0, width: 0.75, height: 0.75), SeatFrame(x: 0.75, y: 0, width: 0.25, height: 1),
        SeatFrame(x: 0.5, y: 0.5, width: 0.375, height: 0.375, zIndex: 3),
      ])
    #expect(
      try mosaic(layout, columns: 16, rows: 8) == """
        HHHHHHHHHHHH1111
        HHHHHHHHHHHH1111
        HHHHHHHHHHHH1111
        HHHHHHHHHHHH1111
        HHHHHHHH22222211
        HHHHHHHH22222211
        ........22222211
        ............1111
        """)
  }

  @Test("an empty seat shows the background or the seat below it")
  func empty() throws {
    #expect(
      try mosaic(Layout(.gridFour), empty: [0, 3], columns: 4, rows: 4) == """
        ..11
        ..11
        22..
        22..
        """)
    #expect(Set(try mosaic(Layout(.oneToOne), empty: [1])) == ["H", "\n"])
  }

  @Test("a grid works on a wide canvas")
  func wide() throws {
    #expect(
      try mosaic(Layout(.gridNine, canvas: CanvasSize(width: 1280, height: 720)), columns: 12, rows: 6) == """
        HHHH11112222
        HHHH11112222
        333344445555
        333344445555
        666677778888
        666677778888
        """)
  }
}
