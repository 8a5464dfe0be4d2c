import RoomCLinux
import RoomTestSupport
import Testing
import RoomWebRTC
import RoomProtocol

@Suite("No leaks", .serialized)
struct LeakTests {
  @Test("counts and descriptors return to their values after 200 joins and leaves, some killed")
  func joinsAndLeaves() async throws {
    try await TestServer.with({
      $0.rooms.graceTime = .milliseconds(50)
      $0.rooms.autoCreatedEmptyTime = .milliseconds(10)
      $0.limits.joinBurst = 10_000
    }) { server in
      func settle() async throws {
        try await eventually("all is as before", within: .seconds(30)) {
          for gauge in ["rooms", "participants", "signalling_sockets", "transports", "tracks", "subscriptions"] {
            guard try await server.metric("roomserver_\(gauge)") == 0 else { return false }
          }
          return true
        }
      }
      func round(_ count: Int) async throws {
        for number in 0..<count {
          let room: RoomName = "room\(number % 7)"
          let watcher = try await server.join("watcher", room: room)
          let client = try await server.join("user\(number)", room: room)
          try await client.publish(.opus, .vp8)
          _ = try await watcher.offer()
          if number.isMultiple(of: 3) { client.kill() } else { _ = try await client.call(.leave) }
          _ = try await watcher.call(.leave)
          try await watcher.closed()
          client.kill()
        }
        try await settle()
      }
      // The first rounds allocate what is kept permanently: threads, pools, caches.
      try await round(20)
      let before = try await server.metric("process_open_fds")
      try await round(100)
      // Other tests of this process open and close a few descriptors.
      try await eventually("the descriptors are back", within: .seconds(20)) {
        try await server.metric("process_open_fds") <= before + 10
      }
    }
  }

  @Test("a stopped server closes its descriptors")
  func stop() async throws {
    func run(times: Int) async throws {
      for _ in 0..<times {
        let server = try await TestServer.start()
        let alice = try await server.join("alice")
        await server.server.stop()
        try await alice.closed()
      }
    }
    try await run(times: 2)
    let before = linux_open_descriptors()
    try await run(times: 10)
    try await eventually("the descriptors are back", within: .seconds(20)) { linux_open_descriptors() <= before + 15 }
  }
}
