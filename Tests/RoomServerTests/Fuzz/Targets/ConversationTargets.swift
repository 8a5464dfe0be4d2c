import Foundation
import RoomFuzzSupport
import Logging
import NIOCore
import RoomProtocol
import RoomToken
import RoomSFU
import Synchronization

@testable import RoomServer
@testable import RoomEngine

/// Feeds a room of two participants with their messages, separated by NUL bytes. Each starts with the sender ("a", "b") and a
/// kind: "j" JSON as sent over the socket, "p" an offer whose m-lines are all tracks, "s" an answer to the last offer, "l" a
/// lost socket and a new join that resumes. "$1" and "$2" in JSON are replaced by ids of published tracks.
@Sendable func fuzzConversation(_ bytes: UnsafeRawBufferPointer) {
  let messages = texts(bytes).prefix(16)
  runToEnd {
    var conversation = await Conversation()
    for message in messages { await conversation.take(message) }
    await conversation.room.close(EndedData(reason: .roomClosed))
  }
}

private struct Conversation {
  let room: Room
  private var sessions: [UserID: (id: SessionID, outlet: Outlet)] = [:]

  init() async {
    let log = Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    room = Room(
      name: "fuzz",
      settings: .init(
        graceTime: .seconds(60), emptyTime: .seconds(60), participants: 10, limits: RoomBounds(), pingInterval: .seconds(5)),
      dependencies: .init(
        fingerprint: fuzzPlane.fingerprint, kicked: { _ in }, closed: { _ in },
        broadcasts: BroadcastDirectory(fuzzRelay, log: log), mixes: fuzzMixes, peer: { _ in nil },
        sign: { _ in nil }, store: nil, relay: fuzzRelay, log: log),
      openMedia: { fuzzPlane.openRoom(events: $0) })
    for user: UserID in ["a", "b"] { await join(user, resume: nil) }
  }

  private mutating func join(_ user: UserID, resume: SessionID?) async {
    let outlet = Outlet()
    let token = RoomToken(room: "fuzz", user: user, grants: [.publish, .subscribe, .admin, .relay], expires: .distantFuture)
    let joined = await room.perform(on: outlet) { [resume] in
      $0.join(token, JoinParams(token: "", resume: resume), request: 0, on: $1)
    }
    guard case .joined(let id) = joined else { return }
    sessions[user] = (id, outlet)
  }

  mutating func take(_ message: String) async {
    let user: UserID = message.hasPrefix("b") ? "b" : "a"
    guard let session = sessions[user] else { return }
    let text = String(message.dropFirst(2))
    switch message.dropFirst().first {
    case "p":
      await ask(.publish(PublishParams(sdp: description(text), tracks: Self.tracks(of: text))), user)
    case "s":
      await ask(.answer(AnswerParams(offer: session.outlet.offer, sdp: description(text))), user)
    case "l":
      await room.perform { $0.connectionLost(session.id, of: user, ConnectionID(session.outlet)) }
      await join(user, resume: session.id)
    default:
      var text = text
      for (number, id) in await room.read(\.participants).flatMap({ $0.tracks.map(\.trackId) }).prefix(2).enumerated() {
        text = text.replacing("$\(number + 1)", with: id.rawValue)
      }
      guard let request = try? SignalRequest.decode(text.utf8) else { return }
      await ask(request.call, user, id: request.id)
    }
  }

  private func ask(_ call: SignalCall, _ user: UserID, id: Int = 1) async {
    guard let session = sessions[user] else { return }
    _ = await room.handle(SignalRequest(id: id, call: call), session: session.id, of: user, outlet: session.outlet)
  }

  private static func tracks(of text: String) -> [NewTrack] {
    var tracks: [NewTrack] = []
    var kind = TrackKind.audio
    for line in text.split(separator: "\n") {
      if line.hasPrefix("m=") { kind = line.hasPrefix("m=video") ? .video : .audio }
      if line.hasPrefix("a=mid:") { tracks.append(NewTrack(mid: String(line.dropFirst(6)), kind: kind)) }
    }
    return tracks
  }
}

/// Checks that a client can read everything that is sent.
private final class Outlet: SignalOutlet {
  private let lastOffer = Mutex(0)
  /// The number of the last offer; 0 before the first.
  var offer: Int { lastOffer.withLock { $0 } }

  func send(_ message: ByteBuffer) {
    let text = Data(message.readableBytesView)
    if (try? JSONDecoder().decode(SignalAnswer<AnyResult>.self, from: text)) != nil { return }
    guard let event = try? JSONDecoder().decode(SignalEvent.self, from: text) else {
      preconditionFailure("a client can read it")
    }
    if case .offer(let data) = event { lastOffer.withLock { $0 = data.offer } }
  }

  func close(_ reason: CloseReason) {}

  private struct AnyResult: Codable {}
}

/// Settings for jobs that send nothing, and small mixes.
let fuzzRelay: RelaySettings = {
  var settings = RelaySettings()
  settings.limit = 0
  settings.mixCores = 0.02
  return settings
}()

/// Threads for the mixes of all conversations.
private let fuzzMixes = MixDirectory(fuzzRelay)

/// Media workers for the rooms of all inputs.
let fuzzPlane: MediaPlane = {
  guard let plane = try? MediaPlane(.init(workers: 1)), (try? plane.start()) != nil else {
    preconditionFailure("a port for the media can be had")
  }
  return plane
}()
