import Foundation
import FoundationNetworking
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

/// The participants of a test: a host and a guest on the seats of "hall", a listener, and another host.
struct Cast {
  let stage: Stage
  let hal: RawClient
  let ada: RawClient
  let lis: RawClient
  let eve: RawClient
  let bob: RawClient

  init(_ stage: Stage) async throws {
    self.stage = stage
    let all: Grants = [.publish, .subscribe, .admin, .relay]
    for room: RoomName in ["hall", "b"] {
      #expect(try await stage.api("POST", "/v1/rooms", #"{"name":"\#(room)"}"#).status == 201)
    }
    hal = try await .join(stage, "hal", grants: all)
    eve = try await .join(stage, "eve", grants: all)
    ada = try await .join(stage, "ada")
    lis = try await .join(stage, "lis", grants: [.subscribe])
    bob = try await .join(stage, "bob", room: "b", grants: all)
  }

  var everybody: [RawClient] { [hal, ada, lis, eve, bob] }

  /// Starts a PK between hal and bob.
  func beginPK(_ mode: String) async throws {
    #expect(try await hal.ask("invitePK", #"{"room":"b","way":"\#(mode)"}"#) == nil)
    guard case .changed(let change) = try await bob.event("pkInvited"), case .pkInvited(let invitation) = change.change else {
      throw DidNotHappen(what: "no invitation")
    }
    #expect(try await bob.ask("acceptPK", #"{"pkId":"\#(invitation.pkId)"}"#) == nil)
    for client in [hal, bob] { _ = try await client.event("pkBegan") }
    if mode == "bridge" {
      for (client, guest) in [(hal, "bob@b" as UserID), (bob, "hal@hall")] {
        while case .joined(let participant) = try await client.event("joined"), participant.userId != guest {}
      }
    }
    try await eventually("both rooms know that both anchors are connected") { [stage] in
      for room: RoomName in ["hall", "b"] {
        guard let pk = try await stage.state(of: room).pk, pk.connected, pk.peerConnected else { return false }
      }
      return true
    }
  }

  /// Expects that a call is rejected with this code, changes nothing in either room, and causes no event.
  func refuse(
    _ code: ErrorCode, _ client: RawClient, _ method: String, _ params: String = "{}",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = [try await stage.state(of: "hall"), try await stage.state(of: "b")]
    for other in everybody where other !== client { _ = try await other.heard() }
    let error = try await client.ask(method, params)
    #expect(
      error?.code == code, "\(method) \(params.prefix(100)): \(String(describing: error))", sourceLocation: sourceLocation)
    let after = [try await stage.state(of: "hall"), try await stage.state(of: "b")]
    #expect(after == before, "\(method) \(params.prefix(100))", sourceLocation: sourceLocation)
    for other in everybody where other !== client {
      #expect(try await other.heard() == [], "\(method) \(params.prefix(100))", sourceLocation: sourceLocation)
    }
  }

  /// Expects that a call succeeds.
  func done(
    _ client: RawClient, _ method: String, _ params: String = "{}", sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let error = try await client.ask(method, params)
    #expect(error == nil, "\(method) \(params): \(String(describing: error))", sourceLocation: sourceLocation)
  }

  func endPK() async throws {
    #expect(try await bob.ask("quitPK") == nil)
    for client in [hal, bob] { _ = try await client.event("pkEnded") }
  }
}

extension Stage {
  /// Sends a request to the REST API.
  func api(
    _ method: String, _ path: String, _ json: String? = nil
  ) async throws -> (status: Int, error: RoomError?, body: Data) {
    var request = URLRequest(url: try #require(URL(string: "http://127.0.0.1:\(server.port)\(path)")))
    request.httpMethod = method
    request.httpBody = json.map { Data($0.utf8) }
    if json != nil { request.setValue("application/json", forHTTPHeaderField: "Content-Type") }
    request.setValue("Bearer \(try apiToken())", forHTTPHeaderField: "Authorization")
    let (body, response) = try await URLSession.shared.data(for: request)
    return (
      try #require(response as? HTTPURLResponse).statusCode, try? JSONDecoder().decode(RoomError.self, from: body), body
    )
  }

  /// Returns the room's state as the REST API shows it.
  func state(of room: RoomName = "hall") async throws -> RoomSnapshot {
    try JSONDecoder().decode(RoomSnapshot.self, from: try await api("GET", "/v1/rooms/\(room)/state").body)
  }
}
