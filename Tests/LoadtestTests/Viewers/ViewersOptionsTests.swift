import ArgumentParser
import Testing

@testable import RoomLoadtest

@Suite("The options of loadtest viewers")
struct ViewersOptionsTests {
  private func parse(_ arguments: String...) throws -> Viewers {
    try #require(Loadtest.parseAsRoot(["viewers"] + arguments) as? Viewers)
  }

  @Test("with --start alone, 1000 viewers watch this server over RTMP for 20 s")
  func defaults() throws {
    let viewers = try parse("--start")
    #expect(viewers.target == [.roomserver] && viewers.plan.watching == .rtmp)
    #expect(viewers.plan.count == 1000 && viewers.plan.seconds == 20 && viewers.pairs == 1)
    #expect(viewers.clip == LiveClip.Settings(width: 1280, height: 720, kbps: 1000))
  }

  @Test("options are applied to the plan, and targets keep their order")
  func everything() throws {
    let viewers = try parse(
      "--protocol", "rtmp", "--count", "20", "--seconds", "2.5", "--target", "nginx", "--target", "roomserver", "--pairs", "3",
      "--kbps", "300", "--height", "180", "--joins-per-second", "50", "--threads", "2", "--start", "--json")
    #expect(viewers.target == [.nginx, .roomserver] && viewers.pairs == 3 && viewers.json)
    #expect(viewers.plan.count == 20 && viewers.plan.seconds == 2.5 && viewers.plan.joinsPerSecond == 50)
    #expect(viewers.plan.threads == 2 && viewers.clip == LiveClip.Settings(width: 320, height: 180, kbps: 300))
  }

  @Test("without --start, viewers use the publisher's URL without its token")
  func urls() throws {
    let server = try parse(
      "--target", "nginx", "--publish-url", "rtmp://127.0.0.1:1936/live/a?token=x", "--server-pid", "5"
    ).runningServer()
    let rtmp = server.target
    guard case .rtmp(let address) = rtmp.play else { throw ValidationError("no RTMP") }
    #expect(address.description == "rtmp://127.0.0.1:1936/live/a" && rtmp.publish.stream == "a?token=x" && server.pid == 5)
    let flv = try ViewersTarget(
      publish: "rtmp://127.0.0.1/live/a", play: "http://127.0.0.1:8080/live/a.flv?k=1", over: .flv)
    guard case .flv(let host, let port, let path, isSecure: false) = flv.play else { throw ValidationError("no FLV") }
    #expect(host == "127.0.0.1" && port == 8080 && path == "/live/a.flv?k=1")
  }

  @Test(
    "invalid options are rejected with a message that names the option",
    arguments: [
      ["--count", "0"], ["--count", "10001"], ["--seconds", "0"], ["--kbps", "10"], ["--pairs", "0"], ["--height", "100"],
      ["--joins-per-second", "0"], ["--threads", "0"], ["--target", "srs"], ["--target", "nginx", "--target", "nginx"],
      ["--target", "nginx", "--protocol", "flv"], ["--protocol", "dash"], ["--publish-url", "rtmp://127.0.0.1/live/a"],
    ])
  func refused(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["viewers", "--start"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(arguments[0]))
  }

  @Test(
    "without --start the server's URLs are required",
    arguments: [
      ([], "--publish-url"), (["--publish-url", "http://127.0.0.1/live/a"], "--publish-url"),
      (["--publish-url", "rtmp://127.0.0.1/live/a", "--protocol", "flv"], "--play-url"),
      (["--target", "nginx", "--target", "roomserver"], "--start"),
    ])
  func unstarted(arguments: [String], named: String) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["viewers"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(named))
  }
}
