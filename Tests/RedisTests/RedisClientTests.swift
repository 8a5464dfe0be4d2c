import Foundation
import NIOCore
import RoomPeers
import RoomTestSupport
import Testing

@testable import RoomRedis

@Suite("Client of Redis", .serialized, .enabled(if: RedisServer.isInstalled))
struct RedisClientTests {
  private func client(_ text: String) throws -> RedisClient { try RedisClient(RedisURL(text)) }

  @Test("replies belong to the commands of many callers; an error reply is the error of its caller alone")
  func callers() async throws {
    let server = try await RedisServer()
    let client = try client("redis://127.0.0.1:\(server.port)/2")
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for number in 0..<500 {
        group.addTask {
          if number % 50 == 0 {
            await #expect(throws: RedisError.self) { try await client.send(["NONSENSE"]) }
            return true
          }
          let replies = try await client.pipeline([["SET", "key\(number)", "\(number)"], ["GET", "key\(number)"]])
          return replies == [.status("OK"), .bytes(Array("\(number)".utf8))]
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
    #expect(try await client.send(["DBSIZE"]).number == 490)
    await client.close()
    await #expect(throws: RedisError.closed) { try await client.send(["PING"]) }
  }

  @Test("a script runs by its digest, and again after the server has lost it")
  func scripts() async throws {
    let server = try await RedisServer()
    let client = try client("redis://127.0.0.1:\(server.port)")
    let script = RedisScript("return {KEYS[1], ARGV[1], redis.call('INCR', KEYS[1])}")
    for turn in 1...3 {
      if turn == 3 { _ = try await client.send(["SCRIPT", "FLUSH"]) }
      let reply = try await client.run(script, keys: ["n"], [Array("x".utf8)])
      #expect(reply == .array([.bytes(Array("n".utf8)), .bytes(Array("x".utf8)), .integer(Int64(turn))]))
    }
    await #expect(throws: RedisError.notReplicated(acknowledged: 0)) {
      try await client.run(script, keys: ["n"], [[]], replicas: 1)
    }
    await client.close()
  }

  @Test("after the server's restart the client connects again, and names the new process")
  func restart() async throws {
    let server = try await RedisServer()
    let client = try client("redis://127.0.0.1:\(server.port)")
    _ = try await client.send(["PING"])
    let first = try #require(client.session)
    server.kill()
    await #expect(throws: RedisError.self) { try await client.send(["PING"], within: .milliseconds(300)) }
    #expect(client.session == nil && client.fault != nil)
    try await server.start()
    // Waits for the connection, within the time of a command.
    #expect(try await client.send(["PING"]).text == "PONG")
    let second = try #require(client.session)
    #expect(first.process != second.process && second.number > first.number)
    await #expect(throws: RedisError.notSent(nil)) { try await client.send(["PING"], in: first) }
    await client.close()
  }

  @Test("a server that stands still fails commands at their deadline")
  func silence() async throws {
    let server = try await RedisServer()
    let client = try client("redis://127.0.0.1:\(server.port)")
    _ = try await client.send(["PING"])
    server.signal(SIGSTOP)
    let begin = ContinuousClock.now
    await #expect(throws: RedisError.unanswered(.timedOut)) { try await client.send(["PING"], within: .milliseconds(200)) }
    #expect(ContinuousClock.now - begin < .seconds(2))
    server.signal(SIGCONT)
    try await eventually("the client is back") { (try? await client.send(["PING"])) != nil }
    await client.close()
  }

  @Test("TLS, a user and a password; without the authority or with another password there is no connection")
  func security() async throws {
    let files = try CertificateFiles()
    let port = try TCPPort.free()
    let server = try await RedisServer(
      [
        "port": "0", "tls-port": "\(port)", "tls-cert-file": files.certificate, "tls-key-file": files.key,
        "tls-ca-cert-file": files.certificate, "tls-auth-clients": "no", "user": "ann on >secret ~* +@all",
      ], port: port)
    let client = try client("rediss://ann:secret@localhost:\(server.port)/1?ca=\(files.certificate)")
    #expect(try await client.send(["ACL", "WHOAMI"]).text == "ann")
    await client.close()
    for (text, reason) in [
      ("rediss://ann:wrong@localhost:\(server.port)?ca=\(files.certificate)", "WRONGPASS"),
      ("rediss://ann:secret@localhost:\(server.port)", "not trusted"),
      ("redis://ann:secret@localhost:\(server.port)", ""),
    ] {
      let client = try self.client(text)
      await #expect(throws: RedisError.self) { try await client.send(["PING"], within: .milliseconds(400)) }
      let fault = "\(try #require(client.fault))"
      #expect(reason.isEmpty || fault.contains(reason), "\(text): \(fault)")
      await client.close()
    }
    #expect(throws: RedisFault.self) { try self.client("rediss://h?ca=/no/such/file") }
  }

  @Test("Sentinels name the master; after a failover the client is connected to the new one")
  func sentinel() async throws {
    let master = try await RedisServer()
    let replica = try await RedisServer(["replicaof": "127.0.0.1 \(master.port)", "repl-diskless-sync-delay": "0"])
    try await eventually("the replica follows") { try await master.replicas() == 1 }
    let sentinel = try await RedisServer.sentinel(of: master, name: "rooms")
    let none = try TCPPort.free()
    let client = try client("redis+sentinel://127.0.0.1:\(none),127.0.0.1:\(sentinel.port)/rooms")
    let script = RedisScript("return redis.call('INCR', KEYS[1])")
    try await eventually("the replica acknowledges writes") {
      (try? await client.run(script, keys: ["n"], replicas: 1)) != nil
    }
    #expect(client.session?.server.port == Int(master.port))
    let control = try self.client("redis://127.0.0.1:\(replica.port)")
    try await eventually("a replica is no master") { control.fault == .replica }
    await control.close()
    let written = try #require(try await client.send(["GET", "n"]).number)
    master.kill()
    try await eventually("the replica is the master", within: .seconds(20)) {
      client.session?.server.port == Int(replica.port)
    }
    #expect(try await client.send(["GET", "n"]).number == written)
    await client.close()
  }

  @Test("a Redis Cluster's master of the keys is found, and followed to the next one without a command lost or repeated")
  func cluster() async throws {
    let cluster = try await RedisCluster()
    var settings = RedisClient.Settings()
    (settings.tag, settings.commandTime) = ("roomserver", .seconds(20))
    let client = try RedisClient(RedisURL("redis+cluster://\(cluster.hosts)"), settings: settings)
    let script = RedisScript("return redis.call('INCR', KEYS[1])")
    try await eventually("both replicas acknowledge writes") {
      (try? await client.run(script, keys: ["{roomserver}:n"], replicas: 2)) != nil
    }
    let before = try #require(try await client.send(["GET", "{roomserver}:n"]).number)
    let first = try #require(client.session)
    #expect(first.server.port == Int(cluster.master.port))
    // An orderly change: the old master names the new one to those that ask it.
    let next = try #require(cluster.replicas.first)
    #expect(try await next.ask("CLUSTER", "FAILOVER") == "OK")
    var written: [Int64] = []
    try await eventually("the replica is the master", within: .seconds(20)) {
      try await withThrowingTaskGroup(of: Int64?.self) { group in
        for _ in 0..<10 { group.addTask { try await client.run(script, keys: ["{roomserver}:n"]).number } }
        for try await number in group { written.append(number ?? 0) }
      }
      return client.session?.server.port == Int(next.port)
    }
    let last = before + Int64(written.count)
    #expect(written.sorted() == Array(before + 1...last))
    await #expect(throws: RedisError.notSent(nil)) { try await client.send(["GET", "{roomserver}:n"], in: first) }
    // A crash.
    next.kill()
    try await eventually("another server is the master", within: .seconds(20)) {
      client.session.map { $0.server.port != Int(next.port) } ?? false
    }
    #expect(try await client.send(["GET", "{roomserver}:n"]).number == last)
    await client.close()
  }

  @Test("a thousand commands in flight cost one connection")
  func pipelining() async throws {
    let server = try await RedisServer()
    let client = try client("redis://127.0.0.1:\(server.port)")
    let replies = try await client.pipeline((0..<1000).map { _ in ["INCR", "n"] })
    #expect(replies.map(\.number) == (1...1000).map { $0 })
    #expect(client.connections == 1)
    await client.close()
  }
}
