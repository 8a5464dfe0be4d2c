import Foundation
import NIOCore
import RoomProtocol
import RoomTestSupport

@testable import RoomClient

/// A client that writes its own JSON and returns the server's messages unchanged.
final class RawClient {
  private struct Head: Decodable {
    var id: Int?
    var event: String?
    var error: RoomError?
    var result: Result?

    struct Result: Decodable {
      /// The session id of the join's answer.
      var sessionId: SessionID?
    }
  }

  private let socket: SignalSocket
  private var messages: AsyncStream<Data>.AsyncIterator
  private var events: [(name: String, text: Data)] = []
  private var lastId = 0
  private var sessionId: SessionID?

  init(_ stage: Stage) async throws {
    let (messages, continuation) = AsyncStream.makeStream(of: Data.self)
    self.messages = messages.makeAsyncIterator()
    socket = try await SignalSocket.open(try SignalAddress(stage.url), timeout: .seconds(10)) { incoming in
      switch incoming {
      case .message(let text): continuation.yield(text)
      case .closed: continuation.finish()
      }
      return true
    }
  }

  /// Returns a client that has joined.
  static func join(
    _ stage: Stage, _ user: UserID, room: RoomName = "hall", grants: Grants = [.publish, .subscribe]
  ) async throws -> RawClient {
    let client = try await RawClient(stage)
    if let error = try await client.join(token: try stage.token(user, room: room, grants: grants)) { throw error }
    return client
  }

  /// - Parameter lost: the client whose session to resume.
  func join(token: String, version: Int = 1, resuming lost: RawClient? = nil) async throws -> RoomError? {
    let resume = lost?.sessionId.map { #","resume":"\#($0)""# } ?? ""
    return try await ask("join", #"{"version":\#(version),"token":"\#(token)"\#(resume)}"#)
  }

  /// Sends a request. Returns the error of its answer, or nil if it succeeded.
  func ask(_ method: String, _ params: String = "{}") async throws -> RoomError? {
    let id = say(method, params)
    while let text = await messages.next() {
      let head = try JSONDecoder().decode(Head.self, from: text)
      if let name = head.event { events.append((name, text)) }
      guard head.event == nil, head.id == id else { continue }
      if let session = head.result?.sessionId { sessionId = session }
      return head.error
    }
    throw DidNotHappen(what: "the socket was closed before the answer to \(method)")
  }

  /// Sends a request without waiting for its answer.
  @discardableResult func say(_ method: String, _ params: String = "{}") -> Int {
    lastId += 1
    socket.send(ByteBuffer(string: #"{"id":\#(lastId),"method":"\#(method)","params":\#(params)}"#))
    return lastId
  }

  /// Returns the server's error for an unreadable message, or nil if it closes the socket without one.
  func nextError() async throws -> RoomError? {
    while let text = await messages.next() {
      let head = try JSONDecoder().decode(Head.self, from: text)
      if let name = head.event { events.append((name, text)) }
      if head.event == nil, head.id == nil { return head.error }
    }
    return nil
  }

  /// Waits until the server has closed the socket.
  func closed() async throws {
    while let text = await messages.next() {
      if let name = try JSONDecoder().decode(Head.self, from: text).event { events.append((name, text)) }
    }
  }

  /// Returns the names of the events since the last call, after the server has answered all earlier requests.
  func heard() async throws -> [String] {
    _ = try await ask("ping")
    defer { events = [] }
    return events.map(\.name)
  }

  /// Returns the next event with this name.
  func event(_ name: String) async throws -> SignalEvent {
    if let index = events.firstIndex(where: { $0.name == name }) {
      return try JSONDecoder().decode(SignalEvent.self, from: events.remove(at: index).text)
    }
    while let text = await messages.next() {
      guard let came = try JSONDecoder().decode(Head.self, from: text).event else { continue }
      if came == name { return try JSONDecoder().decode(SignalEvent.self, from: text) }
      events.append((came, text))
    }
    throw DidNotHappen(what: "the socket was closed before \(name)")
  }

  func close() { socket.abandon() }
}
