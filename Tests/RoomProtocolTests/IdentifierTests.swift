import Foundation
import RoomProtocol
import Testing

@Suite("Identifiers")
struct IdentifierTests {
  private struct Message: Codable, Equatable {
    var userId: UserID
    var room: RoomName?
    var trackIds: [TrackID]
    var jobs: [JobID: Int]
  }

  @Test("are plain strings on the wire, alone, in arrays and as keys of an object")
  func wire() throws {
    let message = Message(userId: "bob", room: "hall", trackIds: ["TR_1", "TR_2"], jobs: ["live": 1])
    let text = #"{"jobs":{"live":1},"room":"hall","trackIds":["TR_1","TR_2"],"userId":"bob"}"#
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    #expect(String(decoding: try encoder.encode(message), as: UTF8.self) == text)
    #expect(try JSONDecoder().decode(Message.self, from: Data(text.utf8)) == message)
  }

  @Test(
    "values other than strings are rejected, and the error names the field",
    arguments: [
      (#"{"userId":7}"#, "params.userId is not a string"), (#"{"userId":null}"#, "params.userId is null"),
      (#"{"userId":["bob"]}"#, "params.userId is not a string"), ("{}", "params.userId is missing"),
    ])
  func refused(params: String, validationError: String) throws {
    let error = try #require(throws: UnreadableRequest.self) {
      try SignalRequest.decode(#"{"id":1,"method":"kick","params":\#(params)}"#.utf8)
    }
    #expect(error.id == 1 && error.error.message.hasSuffix(validationError), "\(error)")
  }

  @Test("sort and print as their text")
  func text() {
    let users: [UserID] = ["b", "a10", "a2"]
    #expect(users.sorted() == ["a10", "a2", "b"])
    #expect("\(users[0])" == "b" && UserID("\(users[0])2") == "b2")
    #expect(UserID("").isEmpty && !users[0].isEmpty)
    #expect(UserID(String(repeating: "x", count: 100)).brief.count == 64)
  }
}
