import Testing

@testable import RoomSRT

@Suite("The window of an SRT push")
struct SendWindowTests {
  /// A path that delivers at a rate in bytes per second, in virtual time.
  private struct Path {
    var window = SendWindow()
    private var now: Int64 = 0
    private var acknowledged: Int64 = 0
    private var repeated = 0

    mutating func run(_ rate: Int64, roundTrip: Int64 = 50_000, repeats: Int = 0, seconds: Int64) {
      for _ in 0..<(seconds * 10) {
        now += 100_000
        acknowledged += rate / 10
        repeated += repeats
        window.update(
          acknowledged: acknowledged, repeated: repeated, roundTrip: roundTrip, now: .init(microseconds: now))
      }
    }
  }

  @Test("it follows what the path delivers, down and up again")
  func follows() {
    var path = Path()
    path.run(312_500, seconds: 4)
    #expect((30_000...33_000).contains(path.window.limit))
    path.run(62_500, seconds: 4)
    #expect((6000...6500).contains(path.window.limit))
    path.run(0, seconds: 4)
    #expect(path.window.limit == SendWindow.least)
    path.run(62_500, seconds: 2)
    #expect((6000...6500).contains(path.window.limit))
  }

  @Test("a queue on the path ends the memory of a higher rate, also if the queue loses packets")
  func slowsDown() {
    var path = Path()
    path.run(312_500, seconds: 4)
    path.run(62_500, roundTrip: 400_000, repeats: 3, seconds: 2)
    #expect((6000...6500).contains(path.window.limit))
  }

  @Test("a slow start does not make it smaller in the first second, a queue does")
  func start() {
    var path = Path()
    let first = path.window.limit
    path.run(50_000, repeats: 1, seconds: 1)
    #expect(path.window.limit == first)
    path = Path()
    path.run(50_000, seconds: 1)
    path.run(50_000, roundTrip: 400_000, seconds: 1)
    #expect(path.window.limit == SendWindow.least)
  }

  @Test("random losses triple the window for as long as they last")
  func repeats() {
    var path = Path()
    path.run(200_000, repeats: 1, seconds: 4)
    #expect((58_000...62_000).contains(path.window.limit))
    path.run(200_000, seconds: 3)
    #expect((19_000...21_000).contains(path.window.limit))
  }
}
