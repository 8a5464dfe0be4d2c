import Foundation
import RoomRTP
import RoomProtocol
import RoomWebRTC

/// One participant of the crowd: joins, makes calls, loses its connection and resumes.
actor CrowdParticipant {
  /// The fields of a `join` response that are read.
  private struct Joined: Codable {
    var sessionId: SessionID
  }

  /// The client-side measurements of a join.
  struct Join: Sendable {
    /// Milliseconds from the start of the connection to the response.
    var milliseconds: Double
    /// Size of the response in bytes.
    var bytes: Int
  }

  let user: UserID
  private let target: CrowdTarget
  private let token: String
  private let loop: TCPLoop
  private let link = BotLink<SignalBot>()
  private var session: SessionID?

  init(_ user: UserID, _ target: CrowdTarget, _ loop: TCPLoop) throws {
    self.user = user
    self.target = target
    self.loop = loop
    token = try target.tokens.token(for: user, in: target.room)
  }

  /// Connects and joins, resuming the previous session if there is one.
  @discardableResult func join() async throws -> Join {
    let connected: Result<Void, LoadtestError> = await loop.run { [link, target] crowd in
      do throws(LoadtestError) {
        let socket = try TCPSocket(host: target.host, port: target.port, isSecure: target.isSecure)
        let frames = SignalFrames(host: target.host, port: target.port, path: target.path)
        let bot = SignalBot(socket, frames, now: TCPBotSet.now)
        guard crowd.add(bot) else {
          socket.close()
          throw .system("epoll failed to add a client")
        }
        link.bot = bot
        return .success(())
      } catch { return .failure(error) }
    }
    try connected.get()
    let params = JoinParams(token: token, autoSubscribe: false, resume: session)
    let (joined, text) = try await ask(.join(params), as: Joined.self)
    session = joined.sessionId
    return await loop.run { [link] _ in
      Join(milliseconds: Double(TCPBotSet.now - (link.bot?.began ?? TCPBotSet.now)) / 1000, bytes: text.count)
    }
  }

  /// Makes a call and ignores its result.
  func call(_ call: SignalCall) async throws { _ = try await ask(call, as: Empty.self) }

  func publish(_ offer: CrowdOffer) async throws { _ = try await ask(.publish(offer.params), as: PublishResult.self) }

  private func ask<Wanted: Codable & Sendable>(
    _ call: SignalCall, as _: Wanted.Type
  ) async throws -> (Wanted, text: [UInt8]) {
    let text = try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<[UInt8], any Error>) in
      loop.post { [link] _ in
        guard let bot = link.bot else { return waiter.resume(throwing: LoadtestError.refused("not connected")) }
        bot.ask(call, now: TCPBotSet.now) { waiter.resume(with: $0) }
      }
    }
    switch try JSONDecoder().decode(SignalAnswer<Wanted>.self, from: Data(text)) {
    case .result(_, let result): return (result, text)
    case .error(_, let error): throw LoadtestError.refused("\(call.method) of \(user): \(error)")
    }
  }

  /// Drops the connection without leaving the room.
  func lose() async {
    await loop.run { [link] crowd in
      if let bot = link.bot { crowd.remove(bot) }
      link.bot = nil
    }
  }

  /// Leaves the room and closes the connection.
  func leave() async throws {
    try await call(.leave)
    session = nil
    await lose()
  }
}

/// The messages that all connected participants received.
struct CrowdCount: Sendable {
  var connected = 0
  var messages = 0
  var messageBytes = 0
  /// The reason why one of them was disconnected.
  var failure: String?

  init(_ crowd: TCPBotSet) {
    for case let bot as SignalBot in crowd.bots {
      messages += bot.messages
      messageBytes += bot.messageBytes
      failure = failure ?? bot.failure
      if bot.failure == nil { connected += 1 }
    }
  }
}
