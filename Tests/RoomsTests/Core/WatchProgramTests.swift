import RoomProtocol
import Testing

@testable import RoomEngine

@Suite("The program for viewers without WebRTC, in virtual time")
struct WatchProgramTests {
  /// The jobs that are running, by what the room ordered.
  private func begun(_ outputs: [RoomOutput]) -> Int {
    outputs.count { if case .program(.begin(.watch, _, _)) = $0 { true } else { false } }
  }
  private func stopped(_ outputs: [RoomOutput]) -> Int {
    outputs.count { if case .program(.stop(.watch)) = $0 { true } else { false } }
  }

  @Test("a request begins one program, further ones keep it, and it ends 30 s after the last")
  func lease() throws {
    var room = VirtualRoom()
    #expect(room.core.watchProgram() == .none, "nobody publishes")
    try room.publish("obs", [.publish])
    _ = room.settle()
    #expect(room.core.watchProgram() == .starting)
    #expect(begun(room.settle()) == 1)
    for _ in 0..<10 {
      room.pass(.seconds(20))
      _ = room.core.watchProgram()
      let outputs = room.settle()
      #expect(begun(outputs) == 0 && stopped(outputs) == 0)
    }
    // It is no live, is not among the play URLs, and does not survive a restart.
    #expect(RoomSummary(of: room.core).live == nil)
    #expect(room.core.jobList.map(\.jobId) == [.watch] && room.core.jobList.stream(of: "a") == nil)
    #expect(room.core.stored?.jobs.isEmpty == true)
    room.pass(.seconds(31))
    #expect(stopped(room.settle()) == 1)
  }

  @Test("it shows who publishes, with the composition as soon as there is one; off by the setting")
  func whom() throws {
    var room = VirtualRoom()
    try room.publish("obs", [.publish])
    _ = room.settle()
    _ = room.core.watchProgram()
    _ = room.settle()
    let job = try #require(room.core.jobs[.watch])
    #expect(job.base?.video?.user == "obs" && job.base?.audio?.user == "obs" && job.follow == .stage)
    #expect(job.info.stream?.hasPrefix("live/watch-") == true || job.url?.text.contains("/live/watch-") == true)

    var off = VirtualRoom { $0.watchFallback = false }
    try off.publish("obs", [.publish])
    _ = off.settle()
    #expect(off.core.watchProgram() == .none && begun(off.settle()) == 0)
  }
}
