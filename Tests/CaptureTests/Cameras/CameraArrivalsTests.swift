import RoomRTP
import Testing

@testable import RoomCapture

@Suite("Cameras that appear and vanish")
struct CameraArrivalsTests {
  private let path = "/dev/video0"
  private func at(_ milliseconds: Int64) -> Instant { Instant(microseconds: milliseconds * 1000) }

  @Test("a file is opened once it was not changed for 100 ms")
  func debounced() {
    var arrivals = CameraArrivals()
    #expect(arrivals.apply(.changed(path), at: at(0)) == nil)
    #expect(arrivals.apply(.changed(path), at: at(60)) == nil)
    #expect(arrivals.deadline == at(160))
    #expect(arrivals.due(at: at(159)) == [])
    #expect(arrivals.due(at: at(160)) == [path])
  }

  @Test("a file that cannot be opened is tried ten times, and again when it is changed")
  func retried() throws {
    var arrivals = CameraArrivals()
    _ = arrivals.apply(.changed(path), at: at(0))
    var tries = 0
    while let deadline = arrivals.deadline {
      for due in arrivals.due(at: deadline) {
        tries += 1
        #expect(arrivals.apply(.failed(due), at: deadline) == nil)
      }
      try #require(tries <= 10)
    }
    #expect(tries == 10)
    _ = arrivals.apply(.changed(path), at: at(60_000))
    #expect(arrivals.due(at: at(60_100)) == [path])
  }

  @Test("a device that is not a camera does not vanish")
  func other() {
    var arrivals = CameraArrivals()
    _ = arrivals.apply(.changed(path), at: at(0))
    #expect(arrivals.apply(.opened(path, nil), at: at(100)) == nil)
    #expect(arrivals.deadline == nil)
    #expect(arrivals.apply(.removed(path), at: at(200)) == nil)
    #expect(arrivals.paths.isEmpty)
  }

  @Test("a file that is removed while it is opened does not appear")
  func removedMeanwhile() {
    var arrivals = CameraArrivals()
    _ = arrivals.apply(.changed(path), at: at(0))
    #expect(arrivals.apply(.removed(path), at: at(100)) == nil)
    #expect(arrivals.apply(.opened(path, nil), at: at(101)) == nil)
    #expect(arrivals.paths.isEmpty)
  }

  @Test("at most 256 files are watched")
  func bounded() {
    var arrivals = CameraArrivals()
    for number in 0..<1000 { _ = arrivals.apply(.changed("/dev/video\(number)"), at: at(0)) }
    #expect(arrivals.paths.count == 256)
  }
}
