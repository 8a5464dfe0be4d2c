import RoomHTTPServer
import Logging
import NIOCore
import NIOPosix
import RoomLiveOrigin
import RoomOriginServer
import RoomProtocol
import RoomToken
import RoomWebRTC
import Synchronization

/// The entry point of encoders to rooms: `rtmp://host/room/{room}?token=…`, and the stream id `room/{room}?token=…` of SRT. Owns
/// the threads that convert streams.
final class IngestServer: Sendable {
  /// The application that publishes to rooms.
  static let app = "room"

  private struct Threads {
    /// Created with the first stream.
    var group: MultiThreadedEventLoopGroup?
    var isStopped = false
  }

  /// A recently rejected stream that no room could convert, and the reason.
  private struct Refused {
    var room: RoomName
    var user: UserID
    var fault: IngestError
    var until: ContinuousClock.Instant
  }

  /// How long the user of such a stream is rejected at once. Encoders that reconnect automatically within seconds would
  /// otherwise join and leave for ever, and their users never see the reason.
  private static let refusal = Duration.seconds(10)
  /// The maximum number of entries; above it the oldest are removed.
  private static let mostRefused = 256

  private let entrance: Entrance
  private let refused = Mutex<[Refused]>([])
  private let threads = Mutex(Threads())

  init(entrance: Entrance) { self.entrance = entrance }

  /// The handler that the origin calls for publishes to rooms.
  var publishHandler: PublishHandler {
    // Weak: the rooms keep the origin, so the origin must not keep this object.
    PublishHandler { [weak self] publish throws(OriginRefusal) in
      guard let self else { throw OriginRefusal(.stopping, "the server is stopping") }
      do throws(RoomError) {
        let token = try check(RoomName(publish.stream), query: publish.query)
        if let error = entrance.directory.refusal(ofPublisher: token) { throw error }
      } catch {
        throw refusal(error, of: publish)
      }
    } open: { [weak self] publish async throws(OriginRefusal) in
      guard let self else { throw OriginRefusal(.stopping, "the server is stopping") }
      do throws(RoomError) {
        let session = try await open(
          RoomName(publish.stream), query: publish.query, by: publish.encoderProtocol,
          client: TransportAddress(host: publish.client, port: 0), stop: publish.stop)
        entrance.admitted()
        return session
      } catch {
        throw refusal(error, of: publish)
      }
    }
  }

  private func refusal(_ error: RoomError, of publish: IncomingPublish) -> OriginRefusal {
    entrance.refused(error, room: RoomName(publish.stream))
    let hasToken = QueryString.value("token", in: publish.query) != nil
    return OriginRefusal(Self.reason(error.code, hasToken: hasToken), "\(error.code.rawValue): \(error.message)")
  }

  private static func reason(_ code: ErrorCode, hasToken: Bool) -> OriginRefusal.Reason {
    switch code {
    case .tokenInvalid where !hasToken: .unsigned
    case .tokenInvalid, .noPermission: .token
    case .noSuchRoom: .noStream
    default: .room
    }
  }

  /// Admits a stream to the room of its token.
  /// - Throws: the error codes of signalling.
  func open(
    _ name: RoomName, query: String, by encoderProtocol: EncoderProtocol, client: TransportAddress?,
    stop: @escaping @Sendable (String) -> Void
  ) async throws(RoomError) -> IngestSession {
    do throws(Entrance.Refusal) { try entrance.admit(client) } catch { throw error.error }
    let token = try check(name, query: query)
    let session: IngestSession
    do throws(IngestError) {
      var log = entrance.log
      log[metadataKey: "room"] = "\(token.room)"
      session = try IngestSession(
        of: token.user, by: encoderProtocol, on: try loop(), stop: stop,
        failed: { [weak self] in self?.remember($0, of: token) }, log: log)
    } catch {
      throw RoomError(.publishFailed, "\(error)")
    }
    let refusal: RoomError? = try await entrance.enter(token) { room in
      switch await room.publish(token, from: session) {
      case .joined: .some(nil)
      case .refused(let error): error
      case .roomIsClosed: nil
      }
    }
    if let refusal { throw refusal }
    return session
  }

  /// Returns the token of a publish that is permitted.
  private func check(_ name: RoomName, query: String) throws(RoomError) -> RoomToken {
    guard NameRule.allows(name) else { throw RoomError(.noSuchRoom, "a room name must be \(NameRule.text)") }
    guard let text = QueryString.value("token", in: query) else {
      throw RoomError(.tokenInvalid, "publish to \(name)?token=… with a room token")
    }
    let token: RoomToken
    do throws(Entrance.Refusal) { token = try entrance.authorise(text, for: name, to: .publish) } catch { throw error.error }
    if let fault = lateFault(of: token) { throw RoomError(.publishFailed, "\(fault)") }
    return token
  }

  private func remember(_ fault: IngestError, of token: RoomToken) {
    refused.withLock { refused in
      refused.removeAll { $0.room == token.room && $0.user == token.user }
      refused.append(Refused(room: token.room, user: token.user, fault: fault, until: .now + Self.refusal))
      if refused.count > Self.mostRefused { refused.removeFirst() }
    }
  }

  private func lateFault(of token: RoomToken) -> IngestError? {
    refused.withLock { refused in
      refused.removeAll { $0.until <= .now }
      return refused.first { $0.room == token.room && $0.user == token.user }?.fault
    }
  }

  private func loop() throws(IngestError) -> any EventLoop {
    let loop: (any EventLoop)? = threads.withLock { threads in
      guard !threads.isStopped else { return nil }
      let count = entrance.configuration.ingestThreads ?? System.coreCount / 2
      let group = threads.group ?? MultiThreadedEventLoopGroup(numberOfThreads: max(1, count))
      threads.group = group
      return group.next()
    }
    guard let loop else { throw .stopping }
    return loop
  }

  /// Ends the threads. All rooms must be closed.
  func stop() async {
    let group = threads.withLock { threads in
      threads.isStopped = true
      return threads.group
    }
    try? await group?.shutdownGracefully()
  }
}
