import RoomRTP

/// The commands of one client in order: those that wait for a connection, and those that wait for their replies.
///
/// Sans-I/O: the caller passes bytes and time, and carries out ``takeOutput()`` and ``takeResults()`` after each call. Commands
/// of one call form a group: its replies are one result. A group that was sent is not sent again, because its effect is
/// unknown, unless the server said that it has carried out nothing of it (``RedisValue/redirect``).
struct CommandQueue: Sendable {
  /// Identifies a group.
  typealias Ticket = UInt64

  /// What a group resulted in.
  struct Outcome: Sendable {
    let ticket: Ticket
    let result: Result<[RedisValue], RedisError>
  }

  struct Limits: Sendable {
    /// Commands that wait, sent ones included.
    var commands = 16_384
    /// Their bytes.
    var bytes = 64 << 20
  }

  private struct Group {
    let ticket: Ticket
    let bytes: [UInt8]
    let count: Int
    /// The commands that have keys.
    let keyed: Int
    let deadline: Instant
    let staysHere: Bool
    var replies: [RedisValue] = []

    /// Whether the server has carried out nothing.
    var isRedirected: Bool { keyed > 0 && replies.count { $0.redirect != nil } == keyed }
  }

  private let limits: Limits
  private var waiting: [Group] = []
  private var sent: [Group] = []
  private var count = 0
  private var bytes = 0
  private var reader = ReplyReader()
  private var isOpen = false
  private var lastFault: RedisFault?
  /// Why the server carries out no more commands: nothing is sent, and the rest of the replies is read.
  private var redirect: String?
  private var nextTicket: Ticket = 0
  private var output: [UInt8] = []
  private var outcomes: [Outcome] = []

  init(limits: Limits = .init()) { self.limits = limits }

  /// Adds a group of commands.
  /// - Parameters:
  ///   - deadline: when the group fails if it has no replies.
  ///   - staysHere: whether the group is for the open connection only.
  /// - Throws: ``RedisError/queueFull``, ``RedisError/notSent(_:)``.
  mutating func add(
    _ commands: [RedisCommand], deadline: Instant, staysHere: Bool = false
  ) throws(RedisError) -> Ticket {
    if staysHere, let redirect { throw .notSent(.moved(redirect)) }
    let size = commands.reduce(0) { $0 + $1.size }
    guard count + commands.count <= limits.commands, bytes + size <= limits.bytes else { throw .queueFull }
    var encoded: [UInt8] = []
    encoded.reserveCapacity(size)
    for command in commands { command.write(to: &encoded) }
    nextTicket += 1
    let group = Group(
      ticket: nextTicket, bytes: encoded, count: commands.count,
      keyed: commands.count { $0.parts.first != Self.keyless }, deadline: deadline,
      staysHere: staysHere)
    if commands.isEmpty {
      outcomes.append(Outcome(ticket: group.ticket, result: .success([])))
      return group.ticket
    }
    count += commands.count
    bytes += encoded.count
    waiting.append(group)
    if isOpen, redirect == nil { sendWaiting() }
    return group.ticket
  }

  /// The only command without a key that is part of a group.
  private static let keyless = Array("WAIT".utf8)

  /// The connection accepts commands.
  mutating func opened() {
    isOpen = true
    redirect = nil
    reader = ReplyReader()
    sendWaiting()
  }

  private mutating func sendWaiting() {
    for group in waiting { output.append(contentsOf: group.bytes) }
    sent.append(contentsOf: waiting)
    waiting.removeAll(keepingCapacity: true)
  }

  /// Reads received bytes.
  /// - Throws: a fault after which the caller closes the connection and calls ``lost(_:)``.
  mutating func received(_ bytes: some Collection<UInt8>) throws(RedisFault) {
    try read(bytes)
    if let redirect, sent.isEmpty { throw .moved(redirect) }
  }

  private mutating func read(_ bytes: some Collection<UInt8>) throws(RedisFault) {
    reader.append(bytes)
    var finished = 0
    defer { sent.removeFirst(finished) }
    while let reply = try nextReply() {
      guard finished < sent.count else { throw .malformed("a reply without a command") }
      sent[finished].replies.append(reply)
      guard sent[finished].replies.count == sent[finished].count else { continue }
      let group = sent[finished]
      redirect = redirect ?? group.replies.lazy.compactMap(\.redirect).first
      if let redirect, group.isRedirected {
        leave(group, redirect)
      } else {
        finish(group, .success(group.replies))
      }
      finished += 1
    }
  }

  /// Lets a group wait for another connection, before those of later calls.
  private mutating func leave(_ group: Group, _ redirect: String) {
    if group.staysHere { return finish(group, .failure(.notSent(.moved(redirect)))) }
    var group = group
    group.replies = []
    waiting.insert(group, at: waiting.firstIndex { $0.ticket > group.ticket } ?? waiting.endIndex)
  }

  private mutating func nextReply() throws(RedisFault) -> RedisValue? {
    do { return try reader.next() } catch { throw .malformed("\(error)") }
  }

  /// The connection ended, or was not made. Groups that were sent fail; waiting ones remain until their deadline.
  mutating func lost(_ fault: RedisFault) {
    isOpen = false
    lastFault = fault
    output.removeAll()
    for group in sent { finish(group, .failure(.unanswered(fault))) }
    sent.removeAll()
  }

  /// Fails waiting groups whose deadline has passed. Returns true if the server did not answer a sent group in time: the caller
  /// then closes the connection, because later replies could not be attributed.
  mutating func expire(at now: Instant) -> Bool {
    let late = waiting.filter { $0.deadline <= now }
    if !late.isEmpty {
      for group in late { finish(group, .failure(.notSent(lastFault))) }
      waiting.removeAll { $0.deadline <= now }
    }
    return sent.contains { $0.deadline <= now }
  }

  /// Fails all groups; the client is closed.
  mutating func close() {
    for group in sent { finish(group, .failure(.unanswered(.closed))) }
    for group in waiting { finish(group, .failure(.closed)) }
    (sent, waiting, output, isOpen) = ([], [], [], false)
  }

  /// The earliest deadline; nil if nothing waits.
  var nextDeadline: Instant? { [sent, waiting].joined().lazy.map(\.deadline).min() }

  /// The number of commands that wait, sent ones included.
  var load: Int { count }

  /// Takes the bytes to send.
  mutating func takeOutput() -> [UInt8] {
    defer { output.removeAll(keepingCapacity: true) }
    return output
  }

  /// Takes the results since the last call.
  mutating func takeOutcomes() -> [Outcome] {
    defer { outcomes.removeAll(keepingCapacity: true) }
    return outcomes
  }

  private mutating func finish(_ group: Group, _ result: Result<[RedisValue], RedisError>) {
    count -= group.count
    bytes -= group.bytes.count
    outcomes.append(Outcome(ticket: group.ticket, result: result))
  }
}
