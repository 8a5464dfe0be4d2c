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
  private let inbox: RoomInbox
  private var lines: [RoomName: Line] = [:]
  private var isSilent = false

  /// - Parameters:
  ///   - name: the calling room.
  ///   - inbox: receives the tracks that the room borrows.
  init(of name: RoomName, find: @escaping @Sendable (RoomName) async -> (any PeerRoom)?, inbox: RoomInbox) {
    self.name = name
    self.find = find
    self.inbox = inbox
  }

  /// Sends no more messages: another server continues the room with its PK.
  mutating func fallSilent() { isSilent = true }

  /// - Parameter bounce: receives the answer to a message whose receiving room does not exist.
  mutating func carryOut(_ order: PeerOrder, bounce: @escaping @Sendable (PKMessage) async -> Void) {
    if lines.count >= Self.limit, lines[order.room] == nil { lines = [:] }
    let line = lines[order.room, default: Line()]
    if case .message(let message) = order {
      guard !isSilent else { return }
      // A beat replaces one that still waits.
      if message.isBeat, !line.beat.put(message) { return }
    }
    let (find, inbox, name) = (find, inbox, name)
    lines[order.room, default: line].work.add {
      guard case .message(var message) = order else { return await Self.lend(order, find, inbox, name) }
      if message.isBeat { message = line.beat.take() ?? message }
      if let room = await find(message.to), await room.receive(message) { return }
      if let bounced = message.bounced { await bounce(bounced) }
    }
  }

  private static func lend(
    _ order: PeerOrder, _ find: @Sendable (RoomName) async -> (any PeerRoom)?, _ inbox: RoomInbox, _ name: RoomName
  ) async {
    switch order {
    case .message: break
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

/// The newest beat to a room that still waits to be sent.
private final class WaitingBeat: Sendable {
  private let message = Mutex<PKMessage?>(nil)

  /// - Returns: whether no beat waited.
  func put(_ new: PKMessage) -> Bool {
    message.withLock { old in
      defer { old = new }
      return old == nil
    }
  }

  func take() -> PKMessage? {
    message.withLock { old in
      defer { old = nil }
      return old
    }
  }
}

extension PeerOrder {
  fileprivate var room: RoomName {
    switch self {
    case .message(let message): message.to
    case .borrow(_, let room, _), .endBorrowing(let room), .forward(_, let room), .endForward(_, let room): room
    }
  }
}
