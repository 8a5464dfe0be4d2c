import ArgumentParser
import Testing

@testable import RoomLoadtest

@Suite("The options of loadtest crowd")
struct CrowdOptionsTests {
  private func parse(_ arguments: String...) throws -> Crowd {
    try #require(Loadtest.parseAsRoot(["crowd", "--start"] + arguments) as? Crowd)
  }

  @Test("without options, 1000 participants are measured, the last 100 joins separately")
  func defaults() throws {
    let plan = try parse().plan
    #expect(plan.people == 1000 && plan.lastJoins == 100)
    #expect(plan.messages == 50 && plan.publishes == 20 && plan.losses == 50 && plan.leaving == 50)
    #expect(plan.offering == 20)
  }

  @Test(
    "in a small room nobody is counted twice, and one participant remains to offer a track and one to receive it",
    arguments: [(3, 1, 1), (20, 18, 1), (30, 20, 9), (60, 20, 39)])
  func small(people: Int, publishes: Int, leaving: Int) throws {
    let plan = try parse("--people", "\(people)").plan
    #expect(plan.lastJoins == people && plan.losses == min(50, people))
    #expect(plan.publishes == publishes && plan.leaving == leaving)
    #expect(plan.offering < people - leaving && people - leaving >= 2)
  }

  @Test("two executables are distinguished by their folders")
  func names() {
    #expect(Crowd.name(of: "/tmp/before/roomserver") == "before")
    #expect(Crowd.name(of: "/work/.build/release/roomserver") == "release")
    #expect(Crowd.name(of: "/roomserver") == "roomserver")
  }

  @Test(
    "invalid options are rejected with a message that names the option",
    arguments: [
      ["--people", "2"], ["--people", "10001"], ["--last-joins", "0"], ["--messages", "0"], ["--message-bytes", "5000"],
      ["--publishes", "1001"], ["--losses", "10001"], ["--leaves", "10001"], ["--pairs", "0"], ["--server-pid", "1"],
    ])
  func refused(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["crowd", "--start"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(arguments[0]))
  }

  @Test(
    "without --start the server's process is required, and comparisons are rejected",
    arguments: [
      (["--than", "x", "--server-pid", "1"], "--than"), (["--pairs", "2", "--server-pid", "1"], "--pairs"),
      ([], "--server-pid"),
    ])
  func running(arguments: [String], named: String) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["crowd"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(named))
  }
}
