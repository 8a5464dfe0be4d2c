import Foundation
import Testing

@testable import RoomLoadtest

@Suite("Scenarios")
struct ScenarioTests {
  private func scenario(_ yaml: String, name: String = "test", of: String? = nil) throws(ScenarioError) -> Scenario {
    try Scenario(name: name, yaml: yaml, of: of) { other throws(ScenarioError) in
      guard other == "base" else { throw ScenarioError("no \(other)") }
      return "play: churn\nparameters:\n  joins: 3\nlimits:\n  - join_ms p95 <= 10"
    }
  }

  @Test("a scenario overrides the play's parameters and states limits")
  func whole() throws {
    let scenario = try scenario(
      """
      play: voice-room
      about: listeners
      parameters:
        listeners: 12
        minutes: 0.5
      limits:
        - audio_gap_ms max <= 60
        - fps.flv p5 >= 10 if measured
      """)
    #expect(scenario.play == .voiceRoom && scenario.about == "listeners")
    #expect(scenario.values.count(VoiceRoom.listeners) == 12)
    #expect(scenario.values.count(VoiceRoom.seats) == 8)
    #expect(scenario.values.duration == .seconds(30))
    #expect(scenario.limits.map(\.text) == ["audio_gap_ms max <= 60", "fps.flv p5 >= 10"])
    #expect(scenario.limits.map(\.isOptional) == [false, true])
  }

  @Test("a variant inherits the play and parameters of its base, and has limits of its own")
  func form() throws {
    let scenario = try scenario("of: base\nparameters: {loss: 3}\nlimits: [failures max <= 0]", name: "bad")
    #expect(scenario.play == .churn && scenario.base == "base")
    #expect(scenario.values[Churn.joins] == 3 && scenario.values[.loss] == 3)
    #expect(scenario.limits.map(\.text) == ["failures max <= 0"])
    let other = try self.scenario("of: elsewhere", name: "bad", of: "base")
    #expect(other.base == "base")
  }

  @Test(
    "an invalid scenario is rejected with a message that names the field and a suggestion",
    arguments: [
      ("plai: churn", "there is no field \"plai\"; did you mean \"play\"?"),
      ("play: chrun", "did you mean \"churn\"?"),
      ("play: churn\nparameters: {jions: 3}", "there is no parameter \"jions\"; did you mean \"joins\"?"),
      ("play: churn\nparameters: {joins: many}", "parameters.joins must be a number, not \"many\""),
      ("play: churn\nparameters: {rooms: 1.5}", "rooms must be a whole number from 1 to 100, not 1.5"),
      ("play: churn\nparameters: [1]", "parameters must map names to numbers"),
      ("play: churn\nlimits: join", "limits must be a list"),
      ("play: churn\nlimits: [{a: 1}]", "limits[0] must be a string"),
      ("play: churn\nlimits: [joinms p95 <= 3]", "did you mean \"join_ms\"?"),
      ("play: churn\nlimits: [join_ms p59 <= 3]", "there is no statistic \"p59\""),
      ("play: churn\nlimits: [join_ms p95 < 3]", "expected <= or >="),
      ("play: churn\nlimits: [join_ms p95 <= fast]", "\"fast\" is not a number"),
      ("play: churn\nof: base", "either play or of"),
      ("about: nothing", "play is missing"),
      ("- a", "has no fields"),
      ("play: [", "is not valid YAML"),
    ])
  func refused(yaml: String, sentence: String) throws {
    let error = #expect(throws: ScenarioError.self) { try scenario(yaml) }
    #expect(error?.description.contains(sentence) == true, "\(error?.description ?? "")")
  }

  @Test("the shipped scenarios are valid, and are found by name from a folder of the package")
  func files() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../loadtest/scenarios")
    let files = ScenarioFiles(folder: folder.standardizedFileURL)
    #expect(
      files.names == ["audience", "bad-network", "churn", "meeting", "pk-battle", "pk-changes", "solo-live", "voice-room"]
    )
    for name in files.names {
      let scenario = try files.scenario(name)
      #expect(!scenario.about.isEmpty && !scenario.limits.isEmpty)
    }
    #expect(try files.scenario("voice-room").limits.contains { $0.text == "audio_gap_ms max <= 60" })
    for other in files.names where other != "bad-network" { _ = try files.scenario("bad-network", of: other) }
    let error = #expect(throws: ScenarioError.self) { try files.scenario("voiceroom") }
    #expect(error?.description.contains("voice-room") == true)
    #expect(try Run.listing(files).contains("--listeners"))
  }
}
