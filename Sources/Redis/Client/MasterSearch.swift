import NIOCore

/// Asks the servers of a question for the address of the master, one after another.
final class MasterSearch {
  private let question: MasterQuestion
  private let transport: RedisTransport
  private let loop: any EventLoop
  private let time: TimeAmount
  /// The server that answered last is asked first.
  private var first = 0

  init(_ question: MasterQuestion, transport: RedisTransport, time: TimeAmount, on loop: any EventLoop) {
    self.question = question
    self.transport = transport
    self.loop = loop
    self.time = time
  }

  /// Finds the master. Calls `done` once, on the loop.
  func find(_ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void) {
    ask(0, .noMaster("there is nobody to ask"), done)
  }

  /// The master that was found is not one, or is not there: the next search begins with another server.
  func distrust() { first = (first + 1) % max(1, question.servers.count) }

  private func ask(
    _ attempt: Int, _ fault: RedisFault, _ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void
  ) {
    guard attempt < question.servers.count else { return done(.failure(fault)) }
    let index = (first + attempt) % question.servers.count
    let server = question.servers[index]
    ask(server) { result in
      switch result {
      case .success(let endpoint):
        self.first = index
        done(.success(endpoint))
      case .failure(let fault): self.ask(attempt + 1, .noMaster("\(server): \(fault)"), done)
      }
    }
  }

  /// Asks one server on a connection of its own.
  private func ask(_ server: RedisURL.Endpoint, _ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void) {
    let call = Call(question, to: server, done)
    let bound = NIOLoopBound(call, eventLoop: loop)
    let timer = loop.assumeIsolated().scheduleTask(in: time) { call.end(.failure(.timedOut)) }
    call.timer = timer
    transport.connect(to: server, within: time, on: loop) {
      RedisHandler(received: { bound.value.received($0) }, ended: { bound.value.end(.failure($0)) })
    }
    .assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel): call.opened(channel)
      case .failure(let error): call.end(.failure(.notReachable("\(error)")))
      }
    }
  }

  /// A question to one server.
  private final class Call {
    var timer: Scheduled<Void>?
    private let question: MasterQuestion
    private let server: RedisURL.Endpoint
    private var done: ((Result<RedisURL.Endpoint, RedisFault>) -> Void)?
    private var channel: (any Channel)?
    private var reader = ReplyReader(.init(bytes: 4 << 20, elements: 1 << 16))
    private var replies = 0

    init(
      _ question: MasterQuestion, to server: RedisURL.Endpoint,
      _ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void
    ) {
      self.question = question
      self.server = server
      self.done = done
    }

    func opened(_ channel: any Channel) {
      guard done != nil else { return channel.close(promise: nil) }
      self.channel = channel
      var bytes: [UInt8] = []
      for command in question.commands { command.write(to: &bytes) }
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    func received(_ bytes: ByteBufferView) {
      reader.append(bytes)
      do throws(RedisFault) {
        while let reply = try next() {
          replies += 1
          if case .error(let text) = reply { throw .refused(text) }
          if replies == question.commands.count { return end(.success(try question.master(in: reply, of: server))) }
        }
      } catch { end(.failure(error)) }
    }

    private func next() throws(RedisFault) -> RedisValue? {
      do { return try reader.next() } catch { throw .malformed("\(error)") }
    }

    func end(_ result: Result<RedisURL.Endpoint, RedisFault>) {
      guard let done else { return }
      self.done = nil
      timer?.cancel()
      channel?.close(promise: nil)
      done(result)
    }
  }
}
