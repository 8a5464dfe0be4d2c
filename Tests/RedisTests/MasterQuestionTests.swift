import Testing

@testable import RoomRedis

@Suite("Question for the master")
struct MasterQuestionTests {
  private static func text(_ text: String) -> RedisValue { .bytes(Array(text.utf8)) }
  private static func range(_ first: Int64, _ last: Int64, _ host: RedisValue, _ port: Int64) -> RedisValue {
    let replica = RedisValue.array([text("replica"), .integer(1), text("id")])
    return .array([.integer(first), .integer(last), .array([host, .integer(port), text("id"), .array([])]), replica])
  }

  /// The nodes of a Redis Cluster whose keys are in slot 12888.
  private let question: MasterQuestion
  private let asked = RedisURL.Endpoint(host: "10.0.0.9", port: 7000)

  init() throws { question = try #require(MasterQuestion(RedisURL("redis+cluster://ann:secret@a,b"), tag: "roomserver")) }

  @Test("the slot of a hash tag is that of Redis", arguments: [("roomserver", 12_888), ("123456789", 12_739), ("", 0)])
  func slot(tag: String, number: UInt16) { #expect(KeySlot(tag: tag).number == number) }

  @Test("the nodes of a Redis Cluster are asked with the user of the address; Sentinels have a password of their own")
  func commands() throws {
    #expect(question.servers.map(\.host) == ["a", "b"])
    #expect(question.commands == [["AUTH", "ann", "secret"], ["CLUSTER", "SLOTS"]])
    let sentinels = try #require(
      MasterQuestion(RedisURL("redis+sentinel://ann:secret@a/rooms?sentinel-password=other"), tag: ""))
    #expect(sentinels.commands == [["AUTH", "other"], ["SENTINEL", "GET-MASTER-ADDR-BY-NAME", "rooms"]])
    #expect(try MasterQuestion(RedisURL("redis://a"), tag: "") == nil)
  }

  @Test("the first server of the slot's range is the master; one without a host is at that of the server that was asked")
  func master() throws {
    let reply = RedisValue.array([
      Self.range(0, 12_887, Self.text("other"), 1), Self.range(12_888, 12_888, Self.text("10.0.0.3"), 7002),
    ])
    #expect(try question.master(in: reply, of: asked) == .init(host: "10.0.0.3", port: 7002))
    for host in [.null, Self.text(""), Self.text("?")] {
      let reply = RedisValue.array([Self.range(0, 16_383, host, 7002)])
      #expect(try question.master(in: reply, of: asked) == .init(host: "10.0.0.9", port: 7002))
    }
  }

  @Test(
    "an answer without the slot, or of another form, names no master",
    arguments: [
      RedisValue.array([]), .null, .status("OK"), .array([range(0, 12_887, text("h"), 1)]),
      .array([range(12_889, 0, text("h"), 1)]), .array([range(0, 16_383, text("h"), 0)]),
      .array([range(0, 16_383, text("h"), 70_000)]), .array([.array([.integer(0), .integer(16_383), .null])]),
    ])
  func noMaster(reply: RedisValue) {
    #expect(throws: RedisFault.noMaster("it knows no master of slot 12888")) { try question.master(in: reply, of: asked) }
  }
}
