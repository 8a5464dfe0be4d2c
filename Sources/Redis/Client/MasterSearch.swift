import NIOCore

/// Asks the Sentinels for the address of the master, one after another.
final class MasterSearch {
  private let sentinels: [RedisURL.Endpoint]
  private let commands: [RedisCommand]
  private let transport: RedisTransport
  private let loop: any EventLoop
  private let time: TimeAmount
  /// The Sentinel that answered last is asked first.
  private var first = 0

  init(
    _ sentinels: [RedisURL.Endpoint], master: String, password: String?, transport: RedisTransport, time: TimeAmount,
    on loop: any EventLoop
  ) {
    self.sentinels = sentinels
    commands = (password.map { [["AUTH", $0]] } ?? []) + [["SENTINEL", "GET-MASTER-ADDR-BY-NAME", master]]
    self.transport = transport
    self.loop = loop
    self.time = time
  }

  /// Finds the master. Calls `done` once, on the loop.
  func find(_ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void) {
    ask(0, .noMaster("there is no Sentinel"), done)
  }

  private func ask(
    _ attempt: Int, _ fault: RedisFault, _ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void
  ) {
    guard attempt < sentinels.count else { return done(.failure(fault)) }
    let index = (first + attempt) % sentinels.count
    question(to: sentinels[index]) { result in
      switch result {
      case .success(let endpoint):
        self.first = index
        done(.success(endpoint))
      case .failure(let fault): self.ask(attempt + 1, .noMaster("\(self.sentinels[index]): \(fault)"), done)
      }
    }
  }

  /// Asks one Sentinel on a connection of its own.
  private func question(to sentinel: RedisURL.Endpoint, _ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void) {
    let question = Question(commands, done)
    let bound = NIOLoopBound(question, eventLoop: loop)
    let timer = loop.assumeIsolated().scheduleTask(in: time) { question.end(.failure(.timedOut)) }
    question.timer = timer
    transport.connect(to: sentinel, within: time, on: loop) {
      RedisHandler(received: { bound.value.received($0) }, ended: { bound.value.end(.failure($0)) })
    }
    .assumeIsolated().whenComplete { result in
      switch result {
      case .success(let channel): question.opened(channel)
      case .failure(let error): question.end(.failure(.notReachable("\(error)")))
      }
    }
  }

  /// A question to one Sentinel.
  private final class Question {
    var timer: Scheduled<Void>?
    private let commands: [RedisCommand]
    private var done: ((Result<RedisURL.Endpoint, RedisFault>) -> Void)?
    private var channel: (any Channel)?
    private var reader = ReplyReader(.init(bytes: 64 << 10, elements: 64))
    private var replies = 0

    init(_ commands: [RedisCommand], _ done: @escaping (Result<RedisURL.Endpoint, RedisFault>) -> Void) {
      self.commands = commands
      self.done = done
    }

    func opened(_ channel: any Channel) {
      guard done != nil else { return channel.close(promise: nil) }
      self.channel = channel
      var bytes: [UInt8] = []
      for command in commands { command.write(to: &bytes) }
      channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    func received(_ bytes: ByteBufferView) {
      reader.append(bytes)
      do {
        while let reply = try reader.next() {
          replies += 1
          if case .error(let text) = reply { return end(.failure(.refused(text))) }
          guard replies == commands.count else { continue }
          guard let parts = reply.elements, parts.count == 2, let host = parts[0].text, !host.isEmpty,
            let port = parts[1].number, (1...65_535).contains(port)
          else { return end(.failure(.noMaster("it knows no master of that name"))) }
          return end(.success(RedisURL.Endpoint(host: host, port: Int(port))))
        }
      } catch { end(.failure(.malformed("\(error)"))) }
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
