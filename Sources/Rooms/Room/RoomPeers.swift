import RoomProtocol
import RoomState

/// Performs a room's calls to other rooms, one after the other. The room never waits for them.
struct RoomPeers {
  private let name: RoomName
  private let find: @Sendable (RoomName) async -> (any PeerRoom)?
  private let inbox: RoomInbox
  private var work = OrderedWork()
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
    let (find, name) = (find, name)
    switch order {
    case .message(let message):
      guard !isSilent else { return }
      work.add {
        if let room = await find(message.to), await room.receive(message) { return }
        if let bounced = message.bounced { await bounce(bounced) }
      }
    case .borrow(let user, let room, let pkId):
      let send: @Sendable ([LentTrack]) -> Void = { [inbox] in inbox.post(.lent(LentTracks(pkId: pkId, tracks: $0))) }
      work.add { await find(room)?.startLending(user, to: Borrower(name), send: send) }
    case .endBorrowing(let room): work.add { await find(room)?.stopLending(to: Borrower(name)) }
    case .forward(let user, let room):
      let send: @Sendable ([LentTrack]) -> Void = { [inbox] in inbox.post(.forwarded(user, from: room, $0)) }
      work.add { await find(room)?.startLending(user, to: Borrower(name, forwarded: user), send: send) }
    case .endForward(let user, let room):
      work.add { await find(room)?.stopLending(to: Borrower(name, forwarded: user)) }
    }
  }
}
