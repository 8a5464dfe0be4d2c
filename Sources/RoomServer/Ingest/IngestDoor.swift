import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import RoomProtocol
import RoomToken
import WebRTC

/// Where streams that encoders publish by RTMP enter rooms: `rtmp://host/room/{room}?token=…`. Asks for what the signalling door asks,
/// and keeps the threads that convert.
final class IngestDoor: Sendable {
  /// The application that leads into rooms.
  static let app = "room"

  private struct Threads {
    /// Made with the first stream.
    var group: MultiThreadedEventLoopGroup?
    var isStopped = false
  }

  /// Streams that no room could take lately, and why.
  private struct Refused {
    var room: RoomName
    var user: UserID
    var fault: IngestFault
    var until: ContinuousClock.Instant
  }

  /// How long the user of such a stream is refused at once: encoders that come back by themselves within seconds would join and leave for
  /// ever, and their users never learn why.
  private static let refusal = Duration.seconds(10)
  /// Of more the oldest are forgotten.
  private static let mostRefused = 256

  private let services: SignalSession.Services
  private let refused = NIOLockedValueBox<[Refused]>([])
  private let threads = NIOLockedValueBox(Threads())

  init(services: SignalSession.Services) { self.services = services }

  /// The door as the origin asks for it.
  var publishDoor: PublishDoor {
    // Not kept by the origin, which the rooms keep.
    PublishDoor { [weak self] arrival async throws(OriginRefusal) in
      guard let self else { throw OriginRefusal(.stopping, "the server is stopping") }
      do throws(RoomError) {
        let session = try await open(
          RoomName(arrival.stream), query: arrival.query, client: TransportAddress(host: arrival.client, port: 0),
          stop: arrival.stop)
        services.counters.count { $0.joins[ErrorCode.ok.rawValue, default: 0] += 1 }
        return session
      } catch {
        services.counters.count { $0.joins[error.code.rawValue, default: 0] += 1 }
        throw OriginRefusal(Self.reason(error.code), "\(error.code.rawValue): \(error.message)")
      }
    }
  }

  private static func reason(_ code: ErrorCode) -> OriginRefusal.Reason {
    switch code {
    case .tokenInvalid, .noPermission: .token
    case .noSuchRoom: .noStream
    default: .room
    }
  }

  /// Lets a stream into the room of its token.
  /// - Throws: with the codes of the signalling door.
  func open(
    _ name: RoomName, query: String, client: TransportAddress?, stop: @escaping @Sendable (String) -> Void
  ) async throws(RoomError) -> IngestSession {
    guard services.letsIn(client) else {
      throw RoomError(.joinFailed, "too many joins from this address; wait a second and try again")
    }
    guard NameRule.allows(name) else { throw RoomError(.noSuchRoom, "rooms are called \(NameRule.text)") }
    guard let text = Origin.value("token", in: query) else {
      throw RoomError(.tokenInvalid, "publish to \(name)?token=… with a room token")
    }
    let token = try services.verified(text)
    try services.checkAlive(token)
    guard token.room == name else { throw RoomError(.tokenInvalid, "the token is for another room") }
    guard token.grants.contains(.publish) else { throw RoomError(.noPermission, "the token has no grant to publish") }
    guard !token.grants.contains(.hidden) else {
      throw RoomError(.noPermission, "a hidden participant can't publish: its tracks would show it")
    }
    if let fault = lateFault(of: token) { throw RoomError(.publishFailed, "\(fault)") }
    let session: IngestSession
    do throws(IngestFault) {
      session = try IngestSession(of: token.user, on: try loop(), stop: stop) { [weak self] in self?.remember($0, of: token) }
    } catch {
      throw RoomError(.publishFailed, "\(error)")
    }
    // A room may close between being found and being joined; then there is a new one, or none.
    for _ in 0..<3 {
      let room = try await services.directory.room(joinedWith: token)
      switch await room.ingest(token, session) {
      case .joined: return session
      case .refused(let error): throw error
      case .roomIsClosed: await services.directory.forget(room)
      }
    }
    throw RoomError(.joinFailed, "the room is closing; try again")
  }

  private func remember(_ fault: IngestFault, of token: RoomToken) {
    refused.withLockedValue { refused in
      refused.removeAll { $0.room == token.room && $0.user == token.user }
      refused.append(Refused(room: token.room, user: token.user, fault: fault, until: .now + Self.refusal))
      if refused.count > Self.mostRefused { refused.removeFirst() }
    }
  }

  private func lateFault(of token: RoomToken) -> IngestFault? {
    refused.withLockedValue { refused in
      refused.removeAll { $0.until <= .now }
      return refused.first { $0.room == token.room && $0.user == token.user }?.fault
    }
  }

  private func loop() throws(IngestFault) -> any EventLoop {
    let loop: (any EventLoop)? = threads.withLockedValue { threads in
      guard !threads.isStopped else { return nil }
      let group = threads.group ?? MultiThreadedEventLoopGroup(numberOfThreads: max(1, System.coreCount / 2))
      threads.group = group
      return group.next()
    }
    guard let loop else { throw .stopping }
    return loop
  }

  /// Ends the threads; all rooms are closed.
  func stop() async {
    let group = threads.withLockedValue { threads in
      threads.isStopped = true
      return threads.group
    }
    try? await group?.shutdownGracefully()
  }
}
