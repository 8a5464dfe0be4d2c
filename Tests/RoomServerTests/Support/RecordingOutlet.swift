import Foundation
import Logging
import NIOCore
import RoomPeers
import RoomProtocol
import RoomTestSupport
import RoomToken
import RoomSFU
import RoomWebRTC

@testable import RoomServer
@testable import RoomEngine

/// Records the messages of a room to a client.
final class RecordingOutlet: SignalOutlet {
  private let state = Shared<(messages: [Data], closed: CloseReason?)>(([], nil))

  func send(_ message: ByteBuffer) { state.withLock { $0.messages.append(Data(message.readableBytesView)) } }
  func close(_ reason: CloseReason) { state.withLock { $0.closed = $0.closed ?? reason } }

  var closed: CloseReason? { state.withLock { $0.closed } }

  /// Removes and returns the events so far.
  func takeEvents() -> [SignalEvent] { takeMessages().compactMap { try? JSONDecoder().decode(SignalEvent.self, from: $0) } }

  /// Removes and returns the messages so far.
  func takeMessages() -> [Data] {
    state.withLock { state in
      defer { state.messages = [] }
      return state.messages
    }
  }
}

/// A room with its own media worker, without a server.
struct BareRoom {
  let plane: MediaPlane
  let room: Room
  /// Must be stopped if the room mixes.
  let mixes = MixDirectory(RelaySettings())
  let counters = ServerCounters()
  let forgotten = Shared(0)

  init(
    emptyTime: Duration = .seconds(60), graceTime: Duration = .seconds(60), store: StoreWriter? = nil,
    peer: (any PeerRoom)? = nil
  ) throws {
    let plane = try MediaPlane(.init(workers: 1))
    try plane.start()
    self.plane = plane
    let forgotten = forgotten
    let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    room = Room(
      name: "bare",
      settings: .init(
        graceTime: graceTime, emptyTime: emptyTime, participants: 10, limits: RoomBounds(), pingInterval: .seconds(5)),
      dependencies: .init(
        fingerprint: plane.fingerprint, kicked: { _ in }, closed: { _ in forgotten.withLock { $0 += 1 } },
        count: { [counters] in counters.count($0) },
        broadcasts: BroadcastDirectory(RelaySettings(), log: log),
        mixes: mixes, peer: { _ in peer }, sign: { _ in nil }, store: store,
        relay: RelaySettings(), log: log),
      openMedia: { plane.openRoom(events: $0) })
  }

  /// Joins a user, with an outlet that records its messages.
  func join(_ user: UserID, audioLevels: Bool = false) async -> (RecordingOutlet, sessionId: SessionID) {
    let outlet = RecordingOutlet()
    return (outlet, await join(user, on: outlet, audioLevels: audioLevels))
  }

  /// Joins a user; returns its session.
  func join(
    _ user: UserID, on outlet: any SignalOutlet, grants: Grants = [.publish, .subscribe], audioLevels: Bool = false
  ) async -> SessionID {
    let token = RoomToken(room: "bare", user: user, grants: grants, expires: Date(timeIntervalSinceNow: 60))
    let joined = await room.perform(on: outlet) {
      $0.join(token, JoinParams(token: "", audioLevels: audioLevels), request: 1, on: $1)
    }
    return if case .joined(let sessionId) = joined { sessionId } else { "" }
  }

  /// Publishes for a user.
  func publish(_ user: UserID, session: SessionID, outlet: RecordingOutlet, _ codecs: RTPCodec...) async throws {
    var publisher = TestPublisher()
    let request = SignalRequest(id: 2, call: .publish(try publisher.publish(codecs)))
    _ = await room.handle(request, session: session, of: user, outlet: outlet)
  }
}

extension Room {
  func mediaIDs(of user: UserID) -> (publish: TransportID?, subscribe: TransportID?, tracks: [MediaTrackID]) {
    let participant = execution.core.roster[user]
    return (participant?.publishing?.id, participant?.receiving.transport?.id, participant?.tracks.map(\.id) ?? [])
  }
}
