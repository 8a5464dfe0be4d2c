import NIOCore
import RoomLinux
import RoomRTP

/// The connection of a client, on its event loop: finds the master, greets it, sends the commands of the queue, and connects
/// again after each loss.
final class RedisLink {
  private enum Phase {
    case searching
    case greeting(any Channel, Greeting, RedisURL.Endpoint)
    case open(any Channel)
    case waiting
    case closed
  }

  typealias Completion = (Result<[RedisValue], RedisError>) -> Void

  private let url: RedisURL
  private let settings: RedisClient.Settings
  private let transport: RedisTransport
  private let search: MasterSearch?
  private let loop: any EventLoop
  private let changed: (RedisSession?, RedisFault?) -> Void
  private var queue: CommandQueue
  private var completions: [CommandQueue.Ticket: Completion] = [:]
  private var phase = Phase.waiting
  /// Counts attempts to connect: callbacks of an earlier one are ignored.
  private var attempt: UInt64 = 0
  private var wait: TimeAmount
  private var alarm: (time: Instant, task: Scheduled<Void>)?
  private var session: RedisSession?

  /// - Parameter changed: receives each session, and nil with the fault at its end.
  init(
    _ url: RedisURL, _ settings: RedisClient.Settings, transport: RedisTransport, on loop: any EventLoop,
    changed: @escaping (RedisSession?, RedisFault?) -> Void
  ) {
    self.url = url
    self.settings = settings
    self.transport = transport
    self.loop = loop
    self.changed = changed
    queue = CommandQueue(limits: .init(commands: settings.queueLimit))
    wait = settings.shortestWait
    search = MasterQuestion(url, tag: settings.tag).map {
      MasterSearch($0, transport: transport, time: settings.connectTime, on: loop)
    }
  }

  // MARK: Commands

  func submit(_ commands: [RedisCommand], within time: TimeAmount, in number: UInt64?, _ completion: @escaping Completion) {
    if case .closed = phase { return completion(.failure(.closed)) }
    if let number, number != session?.number { return completion(.failure(.notSent(nil))) }
    do throws(RedisError) {
      let ticket = try queue.add(
        commands, deadline: Instant.now.advanced(microseconds: time.nanoseconds / 1000), staysHere: number != nil)
      completions[ticket] = completion
    } catch { return completion(.failure(error)) }
    carryOut()
  }

  /// Sends what the queue has to send, and completes what has a result.
  private func carryOut() {
    if case .open(let channel) = phase {
      let bytes = queue.takeOutput()
      if !bytes.isEmpty { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }
    }
    for outcome in queue.takeOutcomes() { completions.removeValue(forKey: outcome.ticket)?(outcome.result) }
    setAlarm()
  }

  private func setAlarm() {
    guard let time = queue.nextDeadline else { return }
    if let alarm, alarm.time <= time { return }
    alarm?.task.cancel()
    let task = loop.assumeIsolated().scheduleTask(in: .microseconds(max(0, time - .now))) { self.expire() }
    alarm = (time, task)
  }

  private func expire() {
    alarm = nil
    if queue.expire(at: .now) { lose(.timedOut) }
    carryOut()
  }

  // MARK: Connection

  func connect() {
    if case .closed = phase { return }
    phase = .searching
    attempt &+= 1
    let attempt = attempt
    guard let search else {
      if case .direct(let endpoint) = url.server { open(endpoint, attempt) }
      return
    }
    search.find { result in
      guard attempt == self.attempt else { return }
      switch result {
      case .success(let endpoint): self.open(endpoint, attempt)
      case .failure(let fault): self.lose(fault)
      }
    }
  }

  private func open(_ endpoint: RedisURL.Endpoint, _ attempt: UInt64) {
    let bound = NIOLoopBound(self, eventLoop: loop)
    transport.connect(to: endpoint, within: settings.connectTime, on: loop) {
      RedisHandler(
        received: { bound.value.received($0, attempt) }, ended: { bound.value.ended($0, attempt) })
    }
    .assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel):
        guard attempt == self.attempt, case .searching = self.phase else { return channel.close(promise: nil) }
        let greeting = Greeting(self.url)
        self.phase = .greeting(channel, greeting, endpoint)
        channel.writeAndFlush(ByteBuffer(bytes: greeting.output), promise: nil)
        self.loop.assumeIsolated().scheduleTask(in: self.settings.connectTime) {
          if attempt == self.attempt, case .greeting = self.phase { self.lose(.timedOut) }
        }
      case .failure(let error): self.ended(.notReachable("\(error)"), attempt)
      }
    }
  }

  private func received(_ bytes: ByteBufferView, _ attempt: UInt64) {
    guard attempt == self.attempt else { return }
    do throws(RedisFault) {
      switch phase {
      case .greeting(let channel, var greeting, let endpoint):
        let process = try greeting.received(bytes)
        phase = .greeting(channel, greeting, endpoint)
        if let process { greeted(channel, RedisSession(number: attempt, process: process, server: endpoint)) }
      case .open:
        try queue.received(bytes)
        // The server serves this client: a loss from now on is a new one.
        wait = settings.shortestWait
      case .searching, .waiting, .closed: break
      }
    } catch { lose(error) }
    carryOut()
  }

  private func greeted(_ channel: any Channel, _ session: RedisSession) {
    phase = .open(channel)
    self.session = session
    queue.opened()
    changed(session, nil)
  }

  private func ended(_ fault: RedisFault, _ attempt: UInt64) {
    if attempt == self.attempt { lose(fault) }
    carryOut()
  }

  /// Ends the connection, and connects again after a wait that doubles with each failure.
  private func lose(_ fault: RedisFault) {
    let channel: (any Channel)?
    switch phase {
    case .greeting(let open, _, _):
      channel = open
      search?.distrust()
    case .open(let open):
      channel = open
      if case .moved = fault { search?.distrust() }
    case .searching:
      channel = nil
      search?.distrust()
    case .waiting, .closed: return
    }
    // Later callbacks of this connection are ignored, those of its end included.
    attempt &+= 1
    phase = .waiting
    channel?.close(promise: nil)
    queue.lost(fault)
    session = nil
    changed(nil, fault)
    loop.assumeIsolated().scheduleTask(in: wait) {
      if case .waiting = self.phase { self.connect() }
    }
    wait = min(settings.longestWait, wait * 2)
  }

  func close() {
    let last = phase
    phase = .closed
    attempt &+= 1
    switch last {
    case .greeting(let channel, _, _), .open(let channel): channel.close(promise: nil)
    case .searching, .waiting, .closed: break
    }
    session = nil
    queue.close()
    carryOut()
    alarm?.task.cancel()
  }
}
