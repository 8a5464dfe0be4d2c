import RoomCluster
import RoomProtocol
import RoomRTP
import RoomTestSupport

/// Nodes, a store and the networks between them, in virtual time. The same seed gives the same run.
final class Simulation {
  struct Options {
    var nodes = 3
    var rooms = 4
    /// Clocks differ from true time by at most this part.
    var drift = 0.02
    /// Replicas that acknowledge writes; 0 for a store without, which may lose its last writes.
    var replicas = 0
    /// The longest delay of a network, in µs; most are shorter than 20 ms.
    var longestDelay: Int64 = 1_500_000
    var timing = LeaseTiming()
    /// Whether the claim of a room that is given compares its fence.
    var comparesFences = true
  }

  let options: Options
  let time = VirtualTime()
  var random: SeededGenerator
  var nodes: [SimulatedNode] = []
  var master: SimulatedServer
  let rooms: [RoomName]
  /// Pairs of nodes between which nothing arrives.
  var cuts: Set<Set<NodeID>> = []
  /// Two owners of one room at one time.
  private(set) var violations: [String] = []
  /// When each room had an owner last.
  private(set) var lastOwned: [RoomName: Int64] = [:]
  private var lastOwner: [RoomName: UInt64] = [:]
  /// How often a room came to another process.
  private(set) var moves = 0
  /// The longest time for which each room had no owner.
  private(set) var gaps: [RoomName: Int64] = [:]
  /// How often a room was given to a node, or taken back.
  private(set) var given = 0
  private var processes = 0

  init(seed: UInt64, _ options: Options = .init()) {
    self.options = options
    random = SeededGenerator(seed: seed)
    master = SimulatedServer("p0", StoreData())
    rooms = (0..<options.rooms).map { RoomName("room\($0)") }
    time.afterEach = { [unowned self] in check() }
    for index in 0..<options.nodes { start(NodeID(number: index)) }
  }

  func chance(_ part: Double) -> Bool { Double.random(in: 0..<1, using: &random) < part }
  func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

  /// A delay in the network: mostly some milliseconds.
  private var delay: Int64 { chance(0.02) ? number(20_000...options.longestDelay) : number(200...20_000) }

  // MARK: Faults

  func start(_ id: NodeID) {
    let node = SimulatedNode(
      id, rate: 1 + Double.random(in: -options.drift...options.drift, using: &random), offset: number(0...1_000_000_000),
      process: random.next(), timing: options.timing, at: time.now)
    nodes.removeAll { $0.id == id }
    nodes.append(node)
    time.after(number(0...50_000)) { [self] in connect(node) }
    tick(node)
  }

  func kill(_ node: SimulatedNode) { node.isAlive = false }

  func pause(_ node: SimulatedNode, for duration: Int64) {
    guard node.isAlive, !node.isPaused else { return }
    node.isPaused = true
    time.after(duration) { [self] in
      node.isPaused = false
      let waiting = node.waiting
      node.waiting = []
      for body in waiting where node.isAlive { body() }
      check()
    }
  }

  func cut(_ node: SimulatedNode, for duration: Int64) {
    guard !node.isCut else { return }
    node.isCut = true
    time.after(number(0...1_000_000)) { [self] in disconnect(node) }
    time.after(duration) { node.isCut = false }
  }

  func cut(_ one: SimulatedNode, _ other: SimulatedNode, for duration: Int64) {
    let pair: Set = [one.id, other.id]
    cuts.insert(pair)
    time.after(duration) { [self] in cuts.remove(pair) }
  }

  /// The store is away for everybody, and returns as another process, without the writes of its last moments.
  func restartStore(after outage: Int64, losing lost: Int64) {
    guard master.isAlive else { return }
    let data = master.data(at: time.now - lost)
    master.isAlive = false
    for node in nodes { time.after(number(0...300_000)) { [self] in disconnect(node) } }
    time.after(outage) { [self] in
      processes += 1
      master = SimulatedServer("p\(processes)", data)
    }
  }

  /// A replica becomes the master. It lacks the last writes that it has not acknowledged. The old master may live on for a while,
  /// without replicas, for the nodes that have not noticed.
  func failOver(lag: Int64, oldLives: Int64) {
    guard master.isAlive else { return }
    let old = master
    let data = old.data(at: time.now - lag)
    old.isReplicated = false
    if oldLives == 0 { old.isAlive = false }
    time.after(oldLives) { old.isAlive = false }
    processes += 1
    master = SimulatedServer("p\(processes)", data)
    for node in nodes {
      time.after(number(0...max(1, oldLives)) + number(0...500_000)) { [self] in
        if node.server === old { disconnect(node) }
      }
    }
  }

  // MARK: Nodes

  /// Runs code of a node now, or when it continues.
  private func on(_ node: SimulatedNode, _ body: @escaping () -> Void) {
    guard node.isAlive else { return }
    if node.isPaused { node.waiting.append(body) } else { body() }
  }

  private func tick(_ node: SimulatedNode) {
    guard node.isAlive, nodes.contains(where: { $0 === node }) else { return }
    on(node) { [self] in
      node.lease.advance(to: node.local(time.now))
      carryOut(node)
    }
    time.after(number(100_000...200_000)) { [self] in tick(node) }
  }

  private func connect(_ node: SimulatedNode) {
    guard node.isAlive, node.server == nil else { return }
    guard !node.isCut, master.isAlive else { return time.after(number(50_000...500_000)) { [self] in connect(node) } }
    let server = master
    node.server = server
    node.connection += 1
    on(node) { [self] in
      guard node.server === server else { return }
      node.lease.connected(to: server.name, now: node.local(time.now))
      carryOut(node)
    }
  }

  private func disconnect(_ node: SimulatedNode) {
    guard node.server != nil else { return }
    node.server = nil
    node.connection += 1
    on(node) { [self] in
      node.lease.disconnected(now: node.local(time.now))
      carryOut(node)
    }
    time.after(number(50_000...500_000)) { [self] in connect(node) }
  }

  private func carryOut(_ node: SimulatedNode) {
    for command in node.lease.takeCommands() {
      switch command {
      case .join(let previous, let leaving):
        let server = node.server?.name ?? ""
        request(
          node,
          { [self] in
            $0.join(
              node.id, process: node.process, previous: previous, leaving: leaving, server: server, now: time.now)
          }
        ) { [self] entry in
          if let entry {
            node.lease.joined(entry, now: node.local(time.now))
          } else {
            node.lease.failed(now: node.local(time.now))
          }
        }
      case .renew(let own, let beat, let seen, let reading):
        request(node, { ($0.renew(own, beat: beat, seen: seen, reading), $0.orphans) }) { [self] answer in
          guard let answer else { return node.lease.failed(now: node.local(time.now)) }
          node.lease.renewed(answer.0, now: node.local(time.now))
          node.takeovers.note(answer.1, now: node.local(time.now))
        }
      case .assert(let leases, let own):
        request(node, { $0.assert(leases, own) }) { [self] refused in
          if let refused {
            node.lease.asserted(refused: refused, now: node.local(time.now))
          } else {
            node.lease.failed(now: node.local(time.now))
          }
        }
      case .end(let member, let beat, let own):
        request(node, { ($0.end(member, beat: beat, by: own), $0.orphans) }) { [self] answer in
          guard let answer else { return }
          if let epoch = answer.0 { node.lease.ended(member, epoch: epoch, now: node.local(time.now)) }
          node.takeovers.note(answer.1, now: node.local(time.now))
        }
      case .leave(let own): request(node, { $0.remove(own) }) { (_: Void?) in }
      case .ask(let request, let sent): ask(node, request, sent)
      case .stop: break
      }
    }
    for claim in node.takeovers.takeClaims(node.lease, now: node.local(time.now)) {
      self.claim(node, claim.room, from: claim.owner) { [self] isDecided in
        node.takeovers.answered(claim, isDecided: isDecided, now: node.local(time.now))
      }
    }
  }

  /// Sends a request to the store. The answer is nil if none arrives within a second; the request may have its effect then, and
  /// even later.
  private func request<Answer>(
    _ node: SimulatedNode, _ body: @escaping (inout StoreData) -> Answer, _ done: @escaping (Answer?) -> Void
  ) {
    var isDone = false
    func finish(_ answer: Answer?) {
      on(node) { [self] in
        guard !isDone else { return }
        isDone = true
        done(answer)
        carryOut(node)
      }
    }
    guard let server = node.server else { return time.after(1000) { finish(nil) } }
    let connection = node.connection
    time.after(1_000_000) { finish(nil) }
    node.lastRequest = max(node.lastRequest + 1, time.now + delay)
    time.at(node.lastRequest) { [self] in
      guard server.isAlive, !node.isCut else { return }
      let answer = server.write(now: time.now, body)
      // A write counts once a replica has acknowledged it.
      let acknowledgement = options.replicas > 0 ? number(0...20_000) : 0
      time.after(acknowledgement) { [self] in
        guard options.replicas == 0 || server.isReplicated else { return }
        node.lastAnswer = max(node.lastAnswer + 1, time.now + delay)
        time.at(node.lastAnswer) {
          if node.connection == connection, !node.isCut { finish(answer) }
        }
      }
    }
  }

  private func ask(_ node: SimulatedNode, _ request: PromiseRequest, _ sent: Instant) {
    guard let peer = nodes.first(where: { $0.id == request.asked.node }) else { return }
    time.after(delay) { [self] in
      guard !cuts.contains([node.id, peer.id]) else { return }
      on(peer) { [self] in
        let isPromised = peer.lease.asked(request, now: peer.local(time.now))
        carryOut(peer)
        guard isPromised else { return }
        time.after(delay) { [self] in
          guard !cuts.contains([node.id, peer.id]) else { return }
          on(node) { [self] in
            node.lease.promised(request, asked: sent, now: node.local(time.now))
            carryOut(node)
          }
        }
      }
    }
  }

  /// Claims a room. `done` says whether the store has answered.
  func claim(
    _ node: SimulatedNode, _ room: RoomName, from owner: Incarnation?, _ done: @escaping (Bool) -> Void = { _ in }
  ) {
    guard node.lease.mayClaim(from: owner, now: node.local(time.now)), let own = node.lease.incarnation else {
      return done(false)
    }
    request(node, { ($0.claim(room, from: owner, by: own), true) }) { [self] answer in
      if let fence = answer?.0 {
        _ = node.lease.claimed(RoomLease(room: room, fence: fence), by: own, now: node.local(time.now))
      }
      done(answer != nil)
    }
  }

  /// A room closes at its owner.
  func releaseOne() {
    for room in rooms {
      guard let node = owner(of: room), let own = node.lease.incarnation,
        let fence = node.lease.fence(of: room, now: node.local(time.now))
      else { continue }
      node.lease.released(room)
      return request(node, { $0.release(RoomLease(room: room, fence: fence), by: own) }) { (_: Void?) in }
    }
  }

  /// An owner gives a room to another node, and takes it back if that does not answer in time. The offer may arrive later.
  func giveOne(to other: SimulatedNode, patience: Int64) {
    for room in rooms.shuffled(using: &random) {
      guard let node = owner(of: room), node !== other, let own = node.lease.incarnation,
        let fence = node.lease.fence(of: room, now: node.local(time.now))
      else { continue }
      let handover = Handover(room: room, owner: own, fence: fence)
      node.lease.released(room)
      time.after(delay) { [self] in
        if !cuts.contains([node.id, other.id]) { on(other) { [self] in receive(other, handover) } }
      }
      time.after(patience) { [self] in on(node) { [self] in receive(node, handover) } }
      return
    }
  }

  private func receive(_ node: SimulatedNode, _ handover: Handover) {
    guard node.lease.mayClaim(from: nil, now: node.local(time.now)), let own = node.lease.incarnation else { return }
    request(node, { [options] in $0.receive(handover, by: own, comparesFence: options.comparesFences) }) { [self] fence in
      guard let fence = fence ?? nil else { return }
      _ = node.lease.claimed(RoomLease(room: handover.room, fence: fence), by: own, now: node.local(time.now))
      given += 1
    }
  }

  // MARK: Checks

  private func check() {
    for room in rooms {
      var owner: SimulatedNode?
      for node in nodes where node.owns(room, at: time.now) {
        if let owner, violations.count < 5 {
          violations.append("\(room) belongs to \(owner.id) and \(node.id) at \(time.now / 1000) ms")
        }
        owner = node
      }
      guard let owner else { continue }
      if lastOwner[room] != owner.process {
        if lastOwner[room] != nil { moves += 1 }
        lastOwner[room] = owner.process
      }
      if let last = lastOwned[room] { gaps[room] = max(gaps[room] ?? 0, time.now - last) }
      lastOwned[room] = time.now
    }
  }

  func owner(of room: RoomName) -> SimulatedNode? { nodes.first { $0.owns(room, at: time.now) } }
}
