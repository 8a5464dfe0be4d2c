import ArgumentParser
import Testing

@testable import RoomLoadtest

@Suite("The options of loadtest first-picture")
struct FirstPictureOptionsTests {
  private func parse(_ arguments: String...) throws -> FirstPicture {
    try #require(Loadtest.parseAsRoot(["first-picture", "--start"] + arguments) as? FirstPicture)
  }

  @Test("without options, 50 people join each second for 20 s and stay for 2 s")
  func defaults() throws {
    let plan = try parse().plan
    #expect(plan.rate == 50 && plan.stay == 2 && plan.joins == 1000)
    #expect(plan.mostPresent == 550)
  }

  @Test("a slow rate joins at least once", arguments: [("0.1", "1", 1), ("2", "0.5", 1), ("2.5", "4", 10)])
  func joins(rate: String, seconds: String, joins: Int) throws {
    #expect(try parse("--rate", rate, "--seconds", seconds).plan.joins == joins)
  }

  @Test(
    "invalid options are rejected with a message that names the option",
    arguments: [
      ["--rate", "0"], ["--rate", "501"], ["--seconds", "0"], ["--stay", "-1"], ["--kbps", "10"], ["--fps", "100"],
      ["--key-frame-interval", "61"], ["--pairs", "0"], ["--server-pid", "1"],
    ])
  func refused(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["first-picture", "--start"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(arguments[0]))
  }

  @Test("comparisons require --start", arguments: [["--than", "x"], ["--pairs", "2"]])
  func running(arguments: [String]) throws {
    let error = try #require(throws: (any Error).self) { try Loadtest.parseAsRoot(["first-picture"] + arguments) }
    #expect(Loadtest.fullMessage(for: error).contains(arguments[0]))
  }
}
