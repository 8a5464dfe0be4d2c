import RoomCluster
import RoomProtocol
import RoomState
import Synchronization

/// Performs a room's calls to other rooms, those to one room one after the other. The room never waits for them.
struct RoomPeers {
  /// The calls to one room. A room that does not answer delays none to others.
  private struct Line {
    var work = OrderedWork()
    let beat = WaitingBeat()
  }

  /// Maximum number of rooms whose calls are kept in order. Messages of a PK may arrive in any order.
  private static let limit = 64

  private let name: RoomName
  private let find: @Sendable (RoomName) async -> (any PeerRoom)?
  private let matchmaking: any Matchmaking
  private let inbox: RoomInbox
  private let store: StoreWriter?
  private var lines: [RoomName: Line] = [:]
  private var isSilent = false

  /// - Parameters:
  ///   - name: the calling room.
  ///   - inbox: receives the tracks that the room borrows.
  init(of name: RoomName, _ dependencies: RoomDependencies, inbox: RoomInbox) {
    self.name = name
    find = dependencies.peer
    matchmaking = dependencies.matchmaking
    store = dependencies.store
    self.inbox = inbox
  }

  /// Sends no more messages: another server continues the room with its PK.
  mutating func fallSilent() { isSilent = true }

  /// - Parameters:
  ///   - change: the latest change of the room. A message is sent once that is stored, because the message may promise what the room
  ///     must still know after its server was killed.
  ///   - receive: receives the answer to a message whose receiving room does not exist, and the room's match.
  mutating func carryOut(
    _ order: PeerOrder, after change: StoreTicket, receive: @escaping @Sendable (PKMessage) async -> Void
  ) {
    guard !isSilent || order.isAboutMedia else { return }
    let other = order.room ?? name
    if lines.count >= Self.limit, lines[other] == nil { lines = [:] }
    let line = lines[other, default: Line()]
    // A beat replaces one that still waits.
    if case .message(let message) = order, message.isBeat, !line.beat.put(message, after: change) { return }
    let (find, inbox, name, matchmaking, store) = (find, inbox, name, matchmaking, store)
    let deliver: @Sendable (PKMessage) async -> Void = { message in
      if let room = await find(message.to), await room.receive(message) { return }
      if let bounced = message.bounced { await receive(bounced) }
    }
    lines[other, default: line].work.add {
      switch order {
      case .message(let message):
        let (message, change) = (message.isBeat ? line.beat.take() : nil) ?? (message, change)
        await store?.written(change)
        await deliver(message)
      case .enterMatching(let ticket, let failed, let pkId):
        let place = await matchmaking.enter(ticket, after: failed, pkId: pkId, now: RoomTime.now.unix)
        guard case .matched(let match)? = place else { return }
        await receive(PKMessage(pkId: match.pkId, from: match.room, to: name, body: .matched))
        await deliver(PKMessage(pkId: match.pkId, from: name, to: match.room, body: .matched))
      case .leaveMatching(let ticket): await matchmaking.leave(ticket)
      case .borrow(let user, let room, let pkId):
        await find(room)?.startLending(user, to: Borrower(name)) { [inbox] in
          inbox.post(.lent(LentTracks(pkId: pkId, room: room, tracks: $0)))
        }
      case .endBorrowing(let room): await find(room)?.stopLending(to: Borrower(name))
      case .forward(let user, let room):
        await find(room)?.startLending(user, to: Borrower(name, forwarded: user)) { [inbox] in
          inbox.post(.forwarded(user, from: room, $0))
        }
      case .endForward(let user, let room): await find(room)?.stopLending(to: Borrower(name, forwarded: user))
      }
    }
  }
}

/// The newest beat to a room that still waits to be sent.
private final class WaitingBeat: Sendable {
  private let waiting = Mutex<(message: PKMessage, change: StoreTicket)?>(nil)

  /// - Returns: whether no beat waited.
  func put(_ message: PKMessage, after change: StoreTicket) -> Bool {
    waiting.withLock { old in
      defer { old = (message, change) }
      return old == nil
    }
  }

  func take() -> (message: PKMessage, change: StoreTicket)? {
    waiting.withLock { old in
      defer { old = nil }
      return old
    }
  }
}

extension PeerOrder {
  /// The room that is called; nil for the queue of rooms that look for an opponent.
  fileprivate var room: RoomName? {
    switch self {
    case .message(let message): message.to
    case .borrow(_, let room, _), .endBorrowing(let room), .forward(_, let room), .endForward(_, let room): room
    case .enterMatching, .leaveMatching: nil
    }
  }

  fileprivate var isAboutMedia: Bool {
    switch self {
    case .borrow, .endBorrowing, .forward, .endForward: true
    case .message, .enterMatching, .leaveMatching: false
    }
  }
}
