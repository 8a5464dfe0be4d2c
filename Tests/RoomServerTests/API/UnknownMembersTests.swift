import Foundation
import RoomProtocol
import Testing

@testable import RoomServer

@Suite("REST: unknown members")
struct UnknownMembersTests {
  private struct Body: CustomTestStringConvertible {
    var path: String
    var json: String
    /// The text that the message names.
    var names: String
    var method = "POST"

    var testDescription: String { "\(method) \(path) \(json)" }
  }

  private static let merge = #"{"jobId":"m","publishAs":"mix","width":64,"height":64,"layouts":"#
  private static let picture = #""width":64,"height":64,"fps":5,"videoKbps":100,"preset":"fast""#
  private static let frame = #"{"x":0,"y":0,"width":32,"height":64}"#

  private static let bodies = [
    Body(path: "/v1/rooms", json: #"{"name":"x","maxParticipant":3}"#, names: #""maxParticipant" in the body"#),
    Body(path: "/v1/rooms", json: #"{"name":"x","push":{"mode":"own","url":"rtmp://a/b/c"}}"#, names: #""url" in push"#),
    Body(path: "/v1/rooms", json: #"{"name":"x","stage":{\#(picture),"gop":3}}"#, names: #""gop" in stage"#),
    Body(
      path: "/v1/rooms", json: #"{"name":"x","pk":{\#(picture),"own":\#(frame),"peer":\#(frame),"other":1}}"#,
      names: #""other" in pk"#),
    Body(
      path: "/v1/rooms",
      json: #"{"name":"x","pk":{\#(picture),"own":{"x":0,"y":0,"width":32,"height":64,"zIndex":1},"peer":\#(frame)}}"#,
      names: #""zIndex" in pk.own"#),
    Body(
      path: "/v1/rooms",
      json: ##"{"name":"x","pk":{\##(picture),"own":\##(frame),"peer":\##(frame),"background":{"color":"#ffffff"}}}"##,
      names: #""color" in pk.background"#),
    Body(path: "/v1/rooms/room", json: #"{"name":"room"}"#, names: #""name" in the body"#, method: "PATCH"),
    Body(path: "/v1/rooms/room", json: #"{"push":{"mode":"own","url":1}}"#, names: #""url" in push"#, method: "PATCH"),
    Body(path: "/v1/tokens", json: #"{"room":"x","user":"u","grant":["publish"]}"#, names: #""grant" in the body"#),
    Body(path: "/v1/rooms/room/jobs", json: #"{"jobId":"j","url":"rtmp://a/b/c"}"#, names: #""url" in the body"#),
    Body(
      path: "/v1/rooms/room/merge-jobs", json: merge + #"[{"userId":"a"},{"userId":"b","mute":true}]}"#,
      names: #""mute" in layouts[1]"#),
    Body(path: "/v1/rooms/room/calls/setLayout", json: #"{"type":"gridNine","frame":[]}"#, names: #""frame" in the body"#),
    Body(
      path: "/v1/rooms/room/calls/setLayout",
      json: #"{"type":"custom","frames":[\#(frame),{"x":0,"y":0,"width":1,"height":1,"z":1}]}"#,
      names: #""z" in frames[1]"#),
    Body(path: "/v1/rooms/room/calls/setSeat", json: #"{"index":1,"mute":true}"#, names: #""mute" in the body"#),
    Body(
      path: "/v1/rooms/room/calls/sendMessage", json: #"{"kind":"text","text":"a","user":"b"}"#, names: #""user" in the body"#),
    Body(path: "/v1/rooms/room/calls/quitPK", json: #"{"now":true}"#, names: #""now" in the body; valid members: none"#),
    Body(path: "/v1/rooms/room/calls/takeSeat", json: #"{"seat":1}"#, names: #""seat" in the body"#),
  ]

  @Test("are rejected at every depth, with the name of the member and its path", arguments: bodies)
  private func refused(body: Body) async throws {
    try await TestServer.with { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let before = try await server.api("GET", "/v1/rooms/room/state").decoded(RoomSnapshot.self)
      let response = try await server.api(body.method, body.path, json: body.json)
      #expect(response.status == 400)
      #expect(response.error?.code == .unknownMessage)
      let message = response.error?.message ?? ""
      #expect(message.contains("unknown member \(body.names)"), "\(message)")
      #expect(try await server.api("GET", "/v1/rooms/x").status == 404, "nothing is made")
      #expect(try await server.api("GET", "/v1/rooms/room/state").decoded(RoomSnapshot.self) == before)
    }
  }

  @Test("a known member may be null, and a call without parameters has an empty object")
  func known() async throws {
    try await TestServer.with { server in
      func status(_ path: String, _ json: String) async throws -> Int {
        try await server.api("POST", "/v1/rooms\(path)", json: json).status
      }
      let room = #"{"name":"room","emptyTimeout":null,"push":{"mode":"own","publishUrl":null},"stage":null,"pk":null}"#
      let made = try await status("", room)
      #expect(made == 201)
      #expect(try await status("/room/calls/setLayout", #"{"type":"gridNine","canvas":null,"frames":null}"#) == 200)
      let attributes = #"{"set":{"any key":"is known"},"remove":["other"]}"#
      #expect(try await status("/room/calls/setAttributes", attributes) == 200)
      for (json, wanted) in [("{}", 200), ("[]", 400), ("null", 400)] {
        #expect(try await status("/room/calls/listRequests", json) == wanted, "\(json)")
      }
    }
  }

  @Test("errors in a call's parameters give only their names")
  func validationErrors() async throws {
    try await TestServer.with { server in
      #expect(try await server.api("POST", "/v1/rooms", json: #"{"name":"room"}"#).status == 201)
      let missing = try await server.api("POST", "/v1/rooms/room/calls/kickFromSeat", json: "{}")
      #expect(missing.error?.message == "the body can't be read: userId is missing")
      let type = try await server.api("POST", "/v1/rooms/room/calls/setLayout", json: #"{"type":"custom","frames":[1]}"#)
      #expect(type.error?.message == "the body can't be read: frames[0] is not an object")
    }
  }

  @Test("over signalling they are ignored, because a newer client may send more")
  func signalling() throws {
    let text = #"{"id":1,"method":"setSeat","params":{"index":1,"muted":true,"why":"noise"},"trace":7}"#
    let request = try SignalRequest.decode(text.utf8)
    #expect(request.call == .seats(.set(SeatSwitches(index: 1, muted: true))))
    #expect(try SignalRequest.decode(#"{"id":1,"method":"quitPK","params":{"now":true}}"#.utf8).call == .pk(.quit))
  }
}
