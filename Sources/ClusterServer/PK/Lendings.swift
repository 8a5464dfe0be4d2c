import Logging
import RoomCluster
import RoomEngine
import RoomNodeLink
import RoomProtocol
import RoomRTP
import RoomSFU
import RoomServer

/// The tracks that rooms of this node lend to rooms of other nodes.
///
/// The other node asks again and again; a lending that it stops asking for ends by itself.
actor Lendings {
  private struct Key: Hashable {
    var room: RoomName
    var to: Borrower
  }

  private struct Lending {
    var id: Int
    var user: UserID
    var node: Incarnation
    var room: Room
    var askedAt: Instant
    /// 0 before the first list.
    var version = 0
    /// As `Room.lend` returned it; nil before.
    var number: Int?
    var tracks: [LendingAnswer.Track] = []
    let link: OpenLink
    var sent: [MediaTrackID: (media: LentMedia, streams: TrackStreams)] = [:]
    var updates: Task<Void, Never>

    mutating func end(_ track: MediaTrackID) {
      guard let (media, streams) = sent.removeValue(forKey: track) else { return }
      streams.end()
      media.end(streams.injection)
    }
  }

  /// How long an answer waits for a change of the tracks.
  static let patience = Duration.seconds(4)
  /// A lending ends if its node has not asked for this long.
  private static let validity: Int64 = 12_000_000
  private static let step = Duration.milliseconds(20)
  /// Maximum number of lendings of this node.
  private static let limit = 4096

  private let cluster: Cluster
  private let links: NodeLinks
  private let log: Logger
  private var lendings: [Key: Lending] = [:]
  private var lastID = 0
  private var watch: Task<Void, Never>?

  init(_ cluster: Cluster, _ links: NodeLinks, log: Logger) {
    self.cluster = cluster
    self.links = links
    self.log = log
  }

  /// Answers a node's request, once the room lends other tracks than the node knows. Returns nil if the node is no member, has no
  /// link, or too many rooms are lent.
  func answer(_ request: LendingRequest, of room: Room) async -> LendingAnswer? {
    guard let incarnation = Incarnation(request.node), let member = cluster.member(incarnation),
      let link = try? links.link(to: member)
    else { return nil }
    let key = Key(room: room.name, to: request.borrower)
    if let known = lendings[key], known.user != request.user || known.node != incarnation || known.room !== room {
      await end(key)
    }
    if lendings[key] == nil {
      guard lendings.count < Self.limit else { return nil }
      await begin(key, request.user, incarnation, room, link)
    }
    let deadline = ContinuousClock.now + Self.patience
    while let lending = lendings[key] {
      lendings[key]?.askedAt = .now
      if lending.version != 0, lending.version != request.known || ContinuousClock.now >= deadline {
        return LendingAnswer(version: lending.version, tracks: lending.tracks)
      }
      guard ContinuousClock.now < deadline, (try? await Task.sleep(for: Self.step)) != nil else { return nil }
    }
    return nil
  }

  private func begin(_ key: Key, _ user: UserID, _ node: Incarnation, _ room: Room, _ link: OpenLink) async {
    lastID += 1
    let id = lastID
    // Each list contains all tracks, so that only the newest counts.
    let (lists, lent) = AsyncStream.makeStream(of: [LentTrack].self, bufferingPolicy: .bufferingNewest(1))
    let updates = Task { [weak self] in
      for await tracks in lists { await self?.update(key, id, tracks) }
    }
    lendings[key] = Lending(
      id: id, user: user, node: node, room: room, askedAt: .now, link: link, updates: updates)
    startWatch()
    log.info(
      "lending an anchor's tracks to another node",
      metadata: ["room": "\(key.room)", "user": "\(user)", "to": "\(key.to.room)", "node": "\(node.node)"])
    let number = await room.lend(user, to: key.to) { lent.yield($0) }
    if lendings[key]?.id == id {
      lendings[key]?.number = number
    } else {
      // It has ended meanwhile.
      await room.endLending(to: key.to, number: number)
    }
  }

  private func update(_ key: Key, _ id: Int, _ tracks: [LentTrack]) {
    guard var lending = lendings[key], lending.id == id else { return }
    let ids = Set(tracks.map(\.id))
    for track in lending.sent.keys where !ids.contains(track) { lending.end(track) }
    lending.tracks = tracks.compactMap { track in
      guard let (stream, layers) = stream(of: track, in: &lending) else { return nil }
      return LendingAnswer.Track(
        info: track.info, codecs: track.parameters.codecs.map { LendingAnswer.Codec($0) },
        cname: track.parameters.cname, stream: stream, layers: layers)
    }
    // Random at first: the node may know a version of an earlier lending.
    lending.version = lending.version == 0 ? .random(in: 1...(1 << 40)) : lending.version + 1
    lendings[key] = lending
  }

  /// Returns the first stream of a track and the number of its layers. Starts to send it, if it is new.
  private func stream(of track: LentTrack, in lending: inout Lending) -> (first: UInt32, layers: Int)? {
    guard let media = track.handle as? LentMedia else { return nil }
    if let known = lending.sent[track.id] { return (known.streams.first, media.layers) }
    guard let injection = media.copy(waking: links.wakeDescriptor, of: links) else { return nil }
    let first = links.newStreams(media.layers)
    lending.sent[track.id] = (media, TrackStreams(sending: injection, at: first, of: lending.link))
    return (first, media.layers)
  }

  /// Ends a lending to a room of that node. Once the room has moved, its next node lends.
  func end(_ room: RoomName, to borrower: Borrower, at node: NodeID) async {
    let key = Key(room: room, to: borrower)
    if lendings[key]?.node.node == node { await end(key) }
  }

  private func end(_ key: Key) async {
    guard var lending = lendings.removeValue(forKey: key) else { return }
    lending.updates.cancel()
    for track in lending.sent.keys { lending.end(track) }
    if lendings.isEmpty {
      watch?.cancel()
      watch = nil
    }
    if let number = lending.number { await lending.room.endLending(to: key.to, number: number) }
  }

  private func startWatch() {
    guard watch == nil else { return }
    watch = Task { [weak self] in
      while (try? await Task.sleep(for: .seconds(1))) != nil { await self?.endForgotten() }
    }
  }

  private func endForgotten() async {
    let now = Instant.now
    for (key, lending) in lendings where now - lending.askedAt > Self.validity || cluster.member(lending.node) == nil {
      await end(key)
    }
  }

  /// Ends all lendings.
  func stop() async { for key in lendings.keys { await end(key) } }
}
