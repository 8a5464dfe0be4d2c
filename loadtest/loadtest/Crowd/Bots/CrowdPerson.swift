import Foundation
import RTP
import RoomProtocol
import WebRTC

/// One of the crowd, as the run sees it: joins, calls, is lost and comes back.
actor CrowdPerson {
  /// What of an answer to `join` is read.
  private struct Joined: Codable {
    var sessionId: SessionID
  }

  /// What a join took, seen from here.
  struct Join: Sendable {
    /// From the beginning of the connection to the answer.
    var milliseconds: Double
    /// Of the answer.
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

  /// Connects and joins; takes the session up again if there was one.
  @discardableResult func join() async throws -> Join {
    let connected: Result<Void, FanoutError> = await loop.run { [link, target] crowd in
      do throws(FanoutError) {
        let socket = try TCPSocket(host: target.host, port: target.port, isSecure: target.isSecure)
        let frames = SignalFrames(host: target.host, port: target.port, path: target.path)
        let bot = SignalBot(socket, frames, now: TCPCrowd.now)
        guard crowd.add(bot) else {
          socket.close()
          throw .system("no epoll for one more client")
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
      Join(milliseconds: Double(TCPCrowd.now - (link.bot?.began ?? TCPCrowd.now)) / 1000, bytes: text.count)
    }
  }

  /// Carries out a call whose answer says nothing of interest.
  func call(_ call: SignalCall) async throws { _ = try await ask(call, as: Empty.self) }

  func publish(_ offer: CrowdOffer) async throws { _ = try await ask(.publish(offer.params), as: PublishResult.self) }

  private func ask<Wanted: Codable & Sendable>(
    _ call: SignalCall, as _: Wanted.Type
  ) async throws -> (Wanted, text: [UInt8]) {
    let text = try await withCheckedThrowingContinuation { (waiter: CheckedContinuation<[UInt8], any Error>) in
      loop.post { [link] _ in
        guard let bot = link.bot else { return waiter.resume(throwing: FanoutError.refused("nobody is connected")) }
        bot.ask(call, now: TCPCrowd.now) { waiter.resume(with: $0) }
      }
    }
    switch try JSONDecoder().decode(SignalAnswer<Wanted>.self, from: Data(text)) {
    case .result(_, let result): return (result, text)
    case .error(_, let error): throw FanoutError.refused("\(call.method) of \(user): \(error)")
    }
  }

  /// The connection breaks; nobody says goodbye.
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

/// What of all who are connected has come.
struct CrowdCount: Sendable {
  var connected = 0
  var messages = 0
  var messageBytes = 0
  /// Why one of them is no longer connected.
  var failure: String?

  init(_ crowd: TCPCrowd) {
    for case let bot as SignalBot in crowd.bots {
      messages += bot.messages
      messageBytes += bot.messageBytes
      failure = failure ?? bot.failure
      if bot.failure == nil { connected += 1 }
    }
  }
}
