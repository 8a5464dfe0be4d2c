import Foundation
import Logging
import RoomHTTPServer
import RoomLiveOrigin
import RoomRTP
import RoomSRT
import RoomWebRTC
import Synchronization

/// The origin's SRT port: encoders publish to a room or to the origin, and players request streams of the origin, with the stream id
/// in place of RTMP's URL.
package final class SRTServer: Sendable {
  private let listener: SRTListener
  private let finished = DispatchGroup()

  /// The UDP port.
  package var port: UInt16 { listener.port }

  /// Starts to listen.
  package init(_ origin: Origin, host: String, peers: ConnectionsPerAddress) throws(ListenError) {
    let settings = origin.settings.srt
    do throws(SRTFailure) {
      listener = try SRTListener(
        host: host, port: settings.port, options: .init(passphrase: settings.passphrase?.value, latency: settings.latency),
        audience: SRTPublishers(origin, peers))
    } catch {
      let reason = if case .unusable(let cause) = error { cause } else { "\(error)" }
      throw .unavailable(address: "\(host):\(settings.port)", reason: reason)
    }
    finished.enter()
    let thread = Thread { [listener, finished] in
      listener.run()
      finished.leave()
    }
    thread.name = "srt"
    thread.start()
  }

  /// Closes the port and all connections.
  package func stop() async {
    listener.stop()
    await withCheckedContinuation { done in finished.notify(queue: .global()) { done.resume() } }
  }
}

/// Decides about encoders, and owns their connections.
final class SRTPublishers: SRTAudience {
  private struct Entry {
    var publisher: SRTPublisher
    var reservation: ConnectionsPerAddress.Reservation?
  }

  /// A stream id that was refused, and the reason.
  private struct Refused {
    var request: SRTRequest
    var rejection: SRTRejection
    var until: Instant
  }

  private struct State {
    var entries: [ObjectIdentifier: Entry] = [:]
    var refused: [Refused] = []
  }

  /// How long a stream id that was refused after its connection is refused in its handshake, which gives the reason to an encoder
  /// that tries again.
  private static let refusal: Int64 = 10_000_000
  /// How long a stream id that was refused in its handshake is refused again, without a check and a line in the log: some encoders
  /// try again a hundred times a second.
  private static let repeated: Int64 = 1_000_000
  private static let mostRefused = 256

  private let origin: Origin
  private let peers: ConnectionsPerAddress
  private let players: SRTPlayers
  private let state = Mutex(State())

  init(_ origin: Origin, _ peers: ConnectionsPerAddress) {
    self.origin = origin
    self.peers = peers
    players = SRTPlayers(origin)
  }

  func decide(_ request: SRTRequest) -> SRTRejection? {
    let now = Origin.now()
    let known = state.withLock { state in
      state.refused.removeAll { $0.until <= now }
      return state.refused.first { $0.request == request }?.rejection
    }
    if let known { return known }
    guard state.withLock({ $0.entries.count }) + players.count < origin.settings.srt.connections else {
      origin.counters.count(.connections)
      return .overload
    }
    guard Self.address(of: request).map(peers.isFull) != true else {
      origin.counters.count(.address)
      return .overload
    }
    guard let id = SRTStreamID(request.streamID) else { return .badRequest }
    guard id.mode != .bidirectional else { return .badMode }
    guard case .success = Self.program(id) else { return .badRequest }
    do throws(OriginRefusal) {
      if id.mode == .request { _ = try players.check(id) } else { try origin.checkPublish(Self.publish(id, request)) }
      return nil
    } catch {
      refused(error, request, id)
      let rejection = SRTRejection(error)
      remember(request, rejection, for: Self.repeated)
      return rejection
    }
  }

  /// Returns the caller's address, without the interface that a link-local one names.
  private static func address(of request: SRTRequest) -> TransportAddress? {
    TransportAddress(host: String(request.host.prefix { $0 != "%" }), port: 0)
  }

  private static func publish(
    _ id: SRTStreamID, _ request: SRTRequest, stop: @escaping @Sendable (String) -> Void = { _ in }
  ) -> IncomingPublish {
    let names = id.names
    return IncomingPublish(
      app: names.app, stream: names.stream, query: id.query, encoderProtocol: .srt, client: request.host, stop: stop)
  }

  /// A value of the parameter `program` that is no program's number.
  private struct InvalidProgram: Error {}

  /// Returns the number of the program that the stream id names; nil for the first one.
  private static func program(_ id: SRTStreamID) -> Result<Int?, InvalidProgram> {
    guard let text = QueryString.value("program", in: id.query) else { return .success(nil) }
    return UInt16(text).flatMap { $0 > 0 ? .success(Int($0)) : nil } ?? .failure(InvalidProgram())
  }

  private func refused(_ refusal: OriginRefusal, _ request: SRTRequest, _ id: SRTStreamID) {
    origin.counters.count(refusal.reason)
    origin.log.notice(
      id.mode == .request ? "play refused" : "publish refused",
      metadata: [
        "stream": "/\(id.resource.prefix(130))", "client": "\(request.host)", "protocol": "srt",
        "reason": "\(refusal.sentence)",
      ])
  }

  func opened(_ connection: SRTConnection) {
    let request = connection.request
    guard let id = SRTStreamID(request.streamID), case .success(let program) = Self.program(id) else {
      return connection.close()
    }
    guard case .admitted(let reservation) = peers.enter(Self.address(of: request)) else {
      origin.counters.count(.address)
      remember(request, .overload, for: Self.repeated)
      return connection.close()
    }
    guard id.mode == .publish else { return play(connection, id, reservation) }
    let log = origin.log
    let stop: @Sendable (String) -> Void = { reason in
      log.notice(
        "publish ended",
        metadata: [
          "stream": "/\(id.resource.prefix(130))", "client": "\(request.host)", "protocol": "srt", "reason": "\(reason)",
        ])
      connection.close()
    }
    let publisher = SRTPublisher(connection, origin.settings.srt, program: program, now: Origin.now()) { [weak self] reason in
      // Not remembered: the encoder's next stream may be another one.
      self?.origin.counters.countMalformedSRT()
      stop(reason)
    }
    state.withLock { $0.entries[ObjectIdentifier(connection)] = Entry(publisher: publisher, reservation: reservation) }
    origin.counters.openedSRT()
    origin.open(Self.publish(id, request, stop: stop)) { [weak self] result in
      switch result {
      case .success(let sink): publisher.attach(sink)
      case .failure(let refusal):
        self?.refused(refusal, request, id)
        self?.remember(request, SRTRejection(refusal), for: Self.refusal)
        connection.close()
      }
    }
  }

  private func play(_ connection: SRTConnection, _ id: SRTStreamID, _ reservation: ConnectionsPerAddress.Reservation?) {
    let request = connection.request
    let refused: @Sendable (OriginRefusal) -> Void = { [weak self] refusal in
      self?.refused(refusal, request, id)
      self?.remember(request, SRTRejection(refusal), for: Self.refusal)
      connection.close()
    }
    origin.counters.openedSRT()
    do throws(OriginRefusal) {
      players.open(connection, try players.check(id), reservation, refused: refused)
    } catch {
      origin.counters.closedSRT(lostFrames: 0)
      refused(error)
    }
  }

  private func remember(_ request: SRTRequest, _ rejection: SRTRejection, for time: Int64) {
    let until = Origin.now().advanced(microseconds: time)
    state.withLock { state in
      state.refused.removeAll { $0.request == request }
      state.refused.append(Refused(request: request, rejection: rejection, until: until))
      if state.refused.count > Self.mostRefused { state.refused.removeFirst() }
    }
  }

  func received(_ bytes: UnsafeRawBufferPointer, from connection: SRTConnection) {
    let publisher = state.withLock { $0.entries[ObjectIdentifier(connection)]?.publisher }
    publisher?.receive(bytes, now: Origin.now())
  }

  func advance() {
    let publishers = state.withLock { $0.entries.values.map(\.publisher) }
    let now = Origin.now()
    for publisher in publishers { publisher.advance(to: now) }
  }

  func pump() -> Bool { players.pump(now: Origin.now()) }

  func closed(_ connection: SRTConnection) {
    if players.closed(connection) { return origin.counters.closedSRT(lostFrames: 0) }
    guard let entry = state.withLock({ $0.entries.removeValue(forKey: ObjectIdentifier(connection)) }) else { return }
    entry.publisher.end()
    let counters = entry.publisher.counters
    origin.counters.closedSRT(lostFrames: counters.lost)
    origin.log.info(
      "SRT connection ended",
      metadata: [
        "client": "\(connection.request.host)", "packets": "\(counters.packets)", "gaps": "\(counters.gaps)",
        "lost": "\(counters.lost)", "malformed": "\(counters.malformed)", "jumps": "\(counters.jumps)",
      ])
  }
}

extension SRTRejection {
  /// The code for a refusal of the origin or of a room.
  fileprivate init(_ refusal: OriginRefusal) {
    switch refusal.reason {
    case .name: self = .badRequest
    case .noStream: self = .notFound
    case .inUse: self = .conflict
    case .unsigned: self = .unauthorized
    // The refusals of rooms are sentences of their own.
    case .token, .signature: self = refusal.sentence.hasSuffix("has expired") ? .expired : .forbidden
    case .stopping: self = .unavailable
    case .streams, .viewers, .connections, .address, .silent, .room, .hls, .waiting, .variants, .registry: self = .overload
    }
  }
}
