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

/// The entry point of encoders to rooms: `rtmp://host/room/{room}?token=…` and `rtmp://host/ingress/{stream key}`, and the stream ids
/// `room/{room}?token=…` and `ingress/{stream key}` of SRT. Owns the threads that convert streams.
final class IngestServer: Sendable {
  /// The application that publishes to rooms.
  static let app = "room"

  private struct Threads {
    /// Created with the first stream.
    var group: MultiThreadedEventLoopGroup?
    var isStopped = false
  }

  private let entrance: Entrance
  private let keys: StreamKeys
  /// Nil for a server that is no node of a cluster.
  private let routing: IngestRouting?
  private let threads = Mutex(Threads())

  init(entrance: Entrance, keys: StreamKeys, routing: IngestRouting? = nil) {
    self.entrance = entrance
    self.keys = keys
    self.routing = routing
  }

  /// The participant that a publish adds.
  private struct Admission: Sendable {
    var token: RoomToken
    /// What it shows of itself.
    var profile: ParticipantProfile?
  }

  /// The handler that the origin calls for publishes to rooms.
  var publishHandler: PublishHandler {
    // Weak: the rooms keep the origin, so the origin must not keep this object.
    PublishHandler { [weak self] publish throws(OriginRefusal) in
      guard let self else { throw Self.stopping }
      do throws(RoomError) {
        let token = try check(RoomName(publish.stream), query: publish.query)
        if let error = entrance.directory.refusal(ofPublisher: token) { throw error }
      } catch {
        throw refusal(error, of: publish, to: RoomName(publish.stream))
      }
    } open: { [weak self] publish async throws(OriginRefusal) in
      guard let self else { throw Self.stopping }
      return try await open(publish, room: RoomName(publish.stream)) { () throws(RoomError) in
        Admission(token: try self.check(RoomName(publish.stream), query: publish.query))
      }
    }
  }

  /// The handler that the origin calls for publishes with a stream key.
  var keyHandler: PublishHandler {
    PublishHandler { [weak self] publish throws(OriginRefusal) in
      guard let self else { throw Self.stopping }
      guard StreamKey.id(of: publish.stream) == nil else { return }
      throw refusal(RoomError(.tokenInvalid, "there is no such stream key"), of: publish, to: nil)
    } open: { [weak self] publish async throws(OriginRefusal) in
      guard let self else { throw Self.stopping }
      return try await open(publish, room: nil) { () throws(RoomError) in
        let key = try await self.keys.key(publish.stream, for: .rtmp)
        return Admission(token: key.token, profile: key.profile)
      }
    }
  }

  private static let stopping = OriginRefusal(.stopping, "the server is stopping")

  /// Admits a publish to its room, here or at the node that owns the room.
  /// - Parameter room: the room that the publish names.
  private func open(
    _ publish: IncomingPublish, room: RoomName?, _ admit: () async throws(RoomError) -> Admission
  ) async throws(OriginRefusal) -> any PublishSink {
    let target: (room: RoomName, node: String, address: RTMPAddress)
    do throws(RoomError) {
      do throws(Entrance.Refusal) { try entrance.admit(client(of: publish)) } catch { throw error.error }
      let admission = try await admit()
      guard let other = try await otherOwner(of: admission.token.room, publish) else {
        let session = try await enter(admission, by: publish.encoderProtocol, stop: publish.stop)
        entrance.admitted()
        return session
      }
      target = (admission.token.room, other.node, other.address)
    } catch {
      throw refusal(error, of: publish, to: room)
    }
    return try await forward(publish, to: target.address, of: target.node, room: target.room)
  }

  // MARK: Rooms of other nodes

  /// Returns the node that owns the room of a permitted publish, and the URL of the publish there; nil if the room is not at
  /// another node. A forwarded publish is never forwarded again.
  private func otherOwner(
    of room: RoomName, _ publish: IncomingPublish
  ) async throws(RoomError) -> (node: String, address: RTMPAddress)? {
    guard let routing, !ForwardedQuery.isClaimed(by: publish.query), let owner = try await routing.owner(room) else {
      return nil
    }
    guard let url = owner.rtmp else {
      throw RoomError(.publishFailed, "the room is at node \(owner.node), which does not accept RTMP")
    }
    let query = ForwardedQuery.text(publish.query, room: publish.stream, sign: routing.sign)
    guard let address = RTMPAddress("\(url)/\(publish.app)/\(publish.stream)?\(query)") else {
      throw RoomError(.publishFailed, "the address of node \(owner.node) is no RTMP URL")
    }
    return (owner.node, address)
  }

  /// Publishes at the node that owns the room, which admits the encoder or refuses it.
  private func forward(
    _ publish: IncomingPublish, to address: RTMPAddress, of node: String, room: RoomName
  ) async throws(OriginRefusal) -> ForwardedPublish {
    let loop: any EventLoop
    do throws(IngestError) { loop = try self.loop() } catch {
      throw refusal(RoomError(.publishFailed, "\(error)"), of: publish, to: room)
    }
    let forwarded = try await ForwardedPublish.open(to: address, on: loop, stop: publish.stop)
    entrance.counters.count { $0.forwardedIngests += 1 }
    entrance.log.info(
      "publish forwarded",
      metadata: ["room": "\(room)", "node": "\(node)", "protocol": "\(publish.encoderProtocol.rawValue)"])
    return forwarded
  }

  /// The encoder's address, from which joins are counted; nil if another node forwards its stream and has counted it.
  private func client(of publish: IncomingPublish) -> TransportAddress? {
    if let routing, ForwardedQuery.isForwarded(publish.query, room: publish.stream, isSigned: routing.isSigned) { return nil }
    return TransportAddress(host: publish.client, port: 0)
  }

  /// - Parameter room: the room that the publish names.
  private func refusal(_ error: RoomError, of publish: IncomingPublish, to room: RoomName?) -> OriginRefusal {
    entrance.refused(error, room: room)
    let hasToken = publish.app == StreamKey.app || QueryString.value("token", in: publish.query) != nil
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

  /// Adds the encoder to its room.
  /// - Throws: the error codes of signalling.
  private func enter(
    _ admission: Admission, by encoderProtocol: EncoderProtocol, stop: @escaping @Sendable (String) -> Void
  ) async throws(RoomError) -> IngestSession {
    let token = admission.token
    let session: IngestSession
    do throws(IngestError) {
      var log = entrance.log
      log[metadataKey: "room"] = "\(token.room)"
      session = try IngestSession(
        of: token.user, by: encoderProtocol, on: try loop(), mixes: entrance.directory.mixes, stop: stop, log: log)
    } catch {
      throw RoomError(.publishFailed, "\(error)")
    }
    let refusal: RoomError? = try await entrance.enter(token) { room in
      switch await room.publish(token, from: session, profile: admission.profile) {
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
    return token
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
