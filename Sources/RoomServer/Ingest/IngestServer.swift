import RoomHTTPServer
import Logging
import NIOCore
import NIOPosix
import RoomLiveOrigin
import RoomOriginServer
import RoomProtocol
import RoomRTMP
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
  /// Nil for a server that is no node of a cluster.
  private let routing: IngestRouting?
  private let refused = Mutex<[Refused]>([])
  private let threads = Mutex(Threads())

  init(entrance: Entrance, routing: IngestRouting? = nil) {
    self.entrance = entrance
    self.routing = routing
  }

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
      let target: (node: String, address: RTMPAddress)
      do throws(RoomError) {
        guard let other = try await otherOwner(publish) else {
          let session = try await open(
            RoomName(publish.stream), query: publish.query, by: publish.encoderProtocol, client: client(of: publish),
            stop: publish.stop)
          entrance.admitted()
          return session
        }
        target = other
      } catch {
        throw refusal(error, of: publish)
      }
      return try await forward(publish, to: target.address, of: target.node)
    }
  }

  // MARK: Rooms of other nodes

  /// Returns the node that owns the room of a permitted publish, and the URL of the publish there; nil if the room is not at
  /// another node. A forwarded publish is never forwarded again.
  private func otherOwner(_ publish: IncomingPublish) async throws(RoomError) -> (node: String, address: RTMPAddress)? {
    guard let routing, !ForwardedQuery.isClaimed(by: publish.query) else { return nil }
    _ = try check(RoomName(publish.stream), query: publish.query)
    guard let owner = try await routing.owner(RoomName(publish.stream)) else { return nil }
    guard let url = owner.rtmp else {
      throw RoomError(.publishFailed, "the room is at node \(owner.node), which does not accept RTMP")
    }
    let query = ForwardedQuery.text(publish.query, room: publish.stream, sign: routing.sign)
    guard let address = RTMPAddress("\(url)/\(Self.app)/\(publish.stream)?\(query)") else {
      throw RoomError(.publishFailed, "the address of node \(owner.node) is no RTMP URL")
    }
    return (owner.node, address)
  }

  /// Publishes at the node that owns the room, which admits the encoder or refuses it.
  private func forward(
    _ publish: IncomingPublish, to address: RTMPAddress, of node: String
  ) async throws(OriginRefusal) -> ForwardedPublish {
    let loop: any EventLoop
    do throws(RoomError) {
      do throws(Entrance.Refusal) { try entrance.admit(client(of: publish)) } catch { throw error.error }
      do throws(IngestError) { loop = try self.loop() } catch { throw RoomError(.publishFailed, "\(error)") }
    } catch { throw refusal(error, of: publish) }
    let forwarded = try await ForwardedPublish.open(to: address, on: loop, stop: publish.stop)
    entrance.counters.count { $0.forwardedIngests += 1 }
    entrance.log.info(
      "publish forwarded",
      metadata: ["room": "\(publish.stream)", "node": "\(node)", "protocol": "\(publish.encoderProtocol.rawValue)"])
    return forwarded
  }

  /// The encoder's address, from which joins are counted; nil if another node forwards its stream and has counted it.
  private func client(of publish: IncomingPublish) -> TransportAddress? {
    if let routing, ForwardedQuery.isForwarded(publish.query, room: publish.stream, isSigned: routing.isSigned) { return nil }
    return TransportAddress(host: publish.client, port: 0)
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
