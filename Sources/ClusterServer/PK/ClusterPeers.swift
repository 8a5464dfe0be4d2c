import Foundation
import Logging
import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomSFU
import RoomServer
import RoomState

/// A room of the cluster, as another one calls it during a PK: whichever node owns it.
struct ClusterPeer: PeerRoom {
  let name: RoomName
  let peers: ClusterPeers

  func receive(_ message: PKMessage) async -> Bool { await peers.deliver(message) }

  func startLending(_ user: UserID, to borrower: Borrower, send: @escaping @Sendable ([LentTrack]) -> Void) async {
    await peers.borrow(user, from: name, to: borrower, send)
  }

  func stopLending(to borrower: Borrower) async { await peers.endBorrowing(from: name, to: borrower) }

  func receive(_ user: UserID, from source: RoomName, _ profile: ParticipantProfile?) async throws(RoomError) {
    try await peers.forward(ForwardRequest(user: user, source: source, profile: profile), to: name)
  }
}

/// The calls of this node's rooms to rooms of the cluster. A room may move to another node at any time: calls follow it.
actor ClusterPeers {
  private struct Key: Hashable {
    var from: RoomName
    var to: Borrower
  }

  /// How long a message waits for a room that moves to another node.
  private static let patience = Duration.seconds(8)
  private static let pause = Duration.milliseconds(200)
  /// Interval at which a room that lends at this node is checked.
  private static let localInterval = Duration.milliseconds(500)

  private let cluster: Cluster
  private let links: NodeLinks
  private let room: @Sendable (RoomName) async -> Room?
  private let log: Logger
  /// Those that are cancelled stay until they have ended, so that the next of the same rooms begins after them.
  private var borrowings: [Key: (id: Int, task: Task<Void, Never>)] = [:]
  private var lastID = 0

  /// - Parameter room: returns a room of this node.
  init(_ cluster: Cluster, _ links: NodeLinks, room: @escaping @Sendable (RoomName) async -> Room?, log: Logger) {
    self.cluster = cluster
    self.links = links
    self.room = room
    self.log = log
  }

  // MARK: Messages

  /// - Returns: false if there is no such room.
  nonisolated func deliver(_ message: PKMessage) async -> Bool {
    // The next beat replaces a lost one, and a room that is out of reach has not left the PK.
    let deadline = ContinuousClock.now + (message.isBeat ? .zero : Self.patience)
    while true {
      if let local = await room(message.to), await local.receive(message) { return true }
      do throws(ClusterError) {
        switch try await cluster.node.owner(of: message.to, isRestored: true) {
        case nil: return false
        case .here: break  // It is being restored.
        case .there(let member):
          let answer = await post(message, to: PeersAPI.messages(message.to), at: member)
          if answer?.status == 204 { return true }
        }
      } catch {}
      guard ContinuousClock.now < deadline, (try? await Task.sleep(for: Self.pause)) != nil else { return message.isBeat }
    }
  }

  private nonisolated func post(_ body: some Encodable, to target: String, at member: ClusterMember) async -> HTTPResponse? {
    guard let request = HTTPRequest(posting: body, to: target) else { return nil }
    return await cluster.forward(request, to: member)
  }

  // MARK: Forwarding

  nonisolated func forward(_ request: ForwardRequest, to name: RoomName) async throws(RoomError) {
    if let local = await room(name) { return try await local.receive(request.user, from: request.source, request.profile) }
    let owner: ClusterNode.Owner?
    do throws(ClusterError) { owner = try await cluster.node.owner(of: name) } catch {
      throw RoomError(.updateRoomFailed, "\(error); try again in a second")
    }
    guard case .there(let member)? = owner else { throw RoomError(.roomNotFound, "there is no room \"\(name.brief)\"") }
    let answer = await post(request, to: PeersAPI.forwards(name), at: member)
    guard let answer, answer.status == 204 else {
      throw answer.flatMap { try? JSONDecoder().decode(RoomError.self, from: Data($0.body)) }
        ?? RoomError(.updateRoomFailed, "the node of the room does not answer")
    }
  }

  // MARK: Borrowing

  func borrow(_ user: UserID, from lender: RoomName, to borrower: Borrower, _ send: @escaping @Sendable ([LentTrack]) -> Void) {
    let key = Key(from: lender, to: borrower)
    let last = borrowings[key]?.task
    last?.cancel()
    lastID += 1
    let id = lastID
    borrowings[key] = (
      id,
      Task {
        await last?.value
        await self.follow(user, key, send)
        self.ended(key, id)
      }
    )
  }

  func endBorrowing(from lender: RoomName, to borrower: Borrower) {
    borrowings[Key(from: lender, to: borrower)]?.task.cancel()
  }

  private func ended(_ key: Key, _ id: Int) { if borrowings[key]?.id == id { borrowings[key] = nil } }

  /// Ends all. Does not wait for other nodes, which may be dead.
  func stop() { for borrowing in borrowings.values { borrowing.task.cancel() } }

  /// Who lends at present.
  private enum Lender {
    /// With the number of the lending.
    case here(Room, Int)
    case there(ClusterMember, version: Int)
  }

  /// Passes on the tracks of a room, wherever it is, until the task is cancelled or the borrowing room is here no more.
  private nonisolated func follow(_ user: UserID, _ key: Key, _ send: @escaping @Sendable ([LentTrack]) -> Void) async {
    var lender: Lender?
    while !Task.isCancelled, await room(key.to.room) != nil {
      let next = await step(user, key, lender, send)
      if case .here(let old, let number)? = lender {
        if case .here(let new, _)? = next, old === new {} else { await old.endLending(to: key.to, number: number) }
      }
      // A participant whose room has no node publishes nothing; the anchor of a PK may return.
      if next == nil, lender != nil, key.to.forwarded != nil { send([]) }
      lender = next
      if next == nil { try? await Task.sleep(for: Self.pause) }
    }
    switch lender {
    case .here(let room, let number): await room.endLending(to: key.to, number: number)
    case .there(let member, _): await endLending(key, at: member)
    case nil: break
    }
  }

  private nonisolated func endLending(_ key: Key, at member: ClusterMember) async {
    _ = await cluster.forward(
      HTTPRequest(method: "DELETE", target: PeersAPI.lending(key.from, to: key.to), headers: []), to: member)
  }

  /// Returns who lends; nil if nobody does.
  private nonisolated func step(
    _ user: UserID, _ key: Key, _ lender: Lender?, _ send: @escaping @Sendable ([LentTrack]) -> Void
  ) async -> Lender? {
    if let local = await room(key.from) {
      if case .here(let known, let number)? = lender, known === local {
        try? await Task.sleep(for: Self.localInterval)
        return .here(local, number)
      }
      return .here(local, await local.lend(user, to: key.to, send: send))
    }
    guard case .there(let member)? = try? await cluster.node.owner(of: key.from, isRestored: true),
      let own = cluster.node.incarnation, let link = try? links.link(to: member)
    else { return nil }
    var known = 0
    if case .there(let old, let version)? = lender, old.incarnation == member.incarnation { known = version }
    let request = LendingRequest(
      user: user, to: key.to.room, forwarded: key.to.forwarded == nil ? nil : true, node: "\(own)", known: known)
    // The answer may take seconds; the other node gives it at once if the lending ends.
    let answer = await withTaskCancellationHandler {
      await post(request, to: PeersAPI.lending(key.from), at: member)
    } onCancel: {
      Task { await endLending(key, at: member) }
    }
    guard let answer, answer.status == 200, !Task.isCancelled,
      let lent = try? JSONDecoder().decode(LendingAnswer.self, from: Data(answer.body))
    else { return nil }
    if lent.version != known {
      send(
        lent.tracks.prefix(PeersAPI.tracks).map { track in
          LentTrack(
            // A track that is lent again has another stream, and is to be copied again.
            id: MediaTrackID(track.stream), info: track.info, parameters: track.parameters,
            handle: BorrowedMedia(link, stream: track.stream, layers: track.layers))
        })
    }
    return .there(member, version: lent.version)
  }
}
