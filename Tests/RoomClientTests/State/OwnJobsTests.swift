import RoomProtocol
import Testing

@testable import RoomClient

@Suite("The own jobs of a client")
struct OwnJobsTests {
  private static func info(_ jobId: JobID) -> JobInfo { JobInfo(jobId: jobId, kind: .forward, state: .connected) }

  @Test("a room that was created again gets the lost jobs, in the order of their ids") func restarts() {
    var jobs = OwnJobs()
    for id: JobID in ["b", "a"] { jobs.started(ForwardParams(jobId: id, publishUrl: "rtmp://h/live/\(id)")) }
    #expect(jobs.joined(running: [Self.info("a"), Self.info("b")], isOther: false).isEmpty)
    #expect(jobs.joined(running: [], isOther: true).map(\.jobId) == ["a", "b"])
    #expect(jobs.joined(running: [], isOther: true).isEmpty)
  }

  @Test("a stopped job is awaited until its end arrives, or a join shows that it is gone") func stops() {
    var jobs = OwnJobs()
    jobs.stopped("a", isRunning: true)
    jobs.stopped("b", isRunning: false)
    jobs.stopped("c", isRunning: true)
    #expect(jobs.stopping == ["a", "c"])
    jobs.ended("a")
    #expect(jobs.stopping == ["c"])
    _ = jobs.joined(running: [Self.info("d")], isOther: false)
    #expect(jobs.stopping.isEmpty)
  }

  @Test("only jobs of the own tracks move with the anchor, with their current URL") func own() {
    var jobs = OwnJobs()
    jobs.started(ForwardParams(jobId: "all", publishUrl: "rtmp://h/live/1"))
    jobs.started(ForwardParams(jobId: "mine", publishUrl: "rtmp://h/live/2", userId: "ada", audioTrackId: "t1"))
    jobs.started(ForwardParams(jobId: "bob", publishUrl: "rtmp://h/live/3", userId: "bob"))
    jobs.started(ForwardParams(jobId: "other", publishUrl: "rtmp://h/live/4", videoTrackId: "t9"))
    jobs.setURL("rtmp://h/live/1?serialnum=3", ofForward: "all")
    let own = jobs.forwards(of: "ada", with: ["t1"])
    #expect(own.map(\.jobId) == ["all", "mine"])
    #expect(own.first?.publishUrl == "rtmp://h/live/1?serialnum=3")
  }
}
