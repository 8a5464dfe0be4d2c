#if compiler(>=6.3)
  import Foundation
  import RoomPeers
  import RoomProtocol
  import RoomRelay
  import RoomTestSupport
  import Testing

  extension RealMedia {
    /// `libroomclient.so` as programs in other languages use it.
    @Suite("The client library in C, C++ and Python")
    struct ClientLibraryTests {
      private let all: Grants = [.publish, .subscribe, .admin]

      @Test("calls with wrong arguments return errors")
      func wrongArguments() async throws {
        let misuse = try await InstalledClient.compile(InstalledClient.tests.appending(path: "misuse.c"))
        let program = try InstalledClient.start(misuse, [])
        let status = try await program.finish()
        #expect(status == 0, "\(program.text)")
        #expect(program.text.contains("every call returned an error"))
      }

      @Test("two programs in C hold a PK, without an error or a leak", .timeLimit(.minutes(5)))
      func pk() async throws {
        let speakers = try await InstalledClient.compile(InstalledClient.examples.appending(path: "speakers.c"))
        try await withServer { server in
          let bob = try InstalledClient.start(
            speakers, ["--accept", server.url, try await server.token(user: "bob", room: "b", grants: all)])
          try await eventually("bob has published") { bob.text.contains("published") }
          let alice = try InstalledClient.start(
            speakers, ["--invite", "b", server.url, try await server.token(user: "alice", room: "a", grants: all)])
          for (program, peer) in [(alice, "bob"), (bob, "alice")] {
            let status = try await program.finish(within: .seconds(120))
            #expect(status == 0, "\(program.text)")
            #expect(program.text.contains("alice of room a invited"), "\(program.text)")
            #expect(program.text.contains("PK with \(peer)"))
            #expect(program.text.contains("PK ended: {\"by\":\"alice\",\"peerScore\":3,"), "\(program.text)")
          }
          #expect(alice.text.contains("first picture: 160x120"), "\(alice.text)")
          #expect(alice.text.contains("speaking: "), "\(alice.text)")
          try await eventually("nothing is left") { try await server.isEmpty() }
        }
      }

      @Test("a program in C++ writes pictures", .timeLimit(.minutes(5)))
      func pictures() async throws {
        let speakers = try await InstalledClient.compile(InstalledClient.examples.appending(path: "speakers.c"))
        let viewer = try await InstalledClient.compile(InstalledClient.examples.appending(path: "viewer.cpp"))
        try await withServer { server in
          let anchor = try InstalledClient.start(speakers, [server.url, try await server.token(user: "anchor", grants: all)])
          try await eventually("the anchor has published") { anchor.text.contains("published") }
          let file = viewer.appendingPathExtension("y4m")
          let token = try await server.token(user: "viewer", grants: [.subscribe])
          let command =
            "env -u LD_PRELOAD \(InstalledClient.sanitizerOptions) '\(viewer.path)' \(server.url) \(token) 10 > '\(file.path)'"
          let watching = try Program("bash", ["-c", command])
          let status = try await watching.finish(within: .seconds(90))
          #expect(status == 0, "\(watching.text)")
          let bytes = try Data(contentsOf: file)
          let header = Data("YUV4MPEG2 W160 H120 F24:1 Ip A1:1 C420jpeg\n".utf8)
          #expect(bytes.starts(with: header))
          #expect(bytes.count == header.count + 10 * ("FRAME\n".utf8.count + 160 * 120 * 3 / 2))
        }
      }

      /// Compiles a test program under AddressSanitizer, runs it, and expects that nothing is left of it.
      private func run(_ name: String, _ arguments: [String], within limit: Duration = .seconds(90)) async throws {
        let program = try InstalledClient.start(
          try await InstalledClient.compile(InstalledClient.tests.appending(path: name)), arguments)
        let status = try await program.finish(within: limit)
        #expect(status == 0, "\(program.text)")
        #expect(program.text.contains("handles=0"), "\(program.text)")
      }

      @Test("a viewer sees what the picture studio changes", .timeLimit(.minutes(3))) func pictureStudio() async throws {
        try await withServer { server in
          let viewer = try await server.token(user: "viewer", grants: [.subscribe])
          try await run("pictures.c", [server.url, try await server.token(user: "anchor", grants: all), viewer])
        }
      }

      @Test("a listener hears what the sound studio changes", .timeLimit(.minutes(3))) func soundStudio() async throws {
        try await withServer { server in
          let listener = try await server.token(user: "listener", grants: [.subscribe])
          let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).wav").path
          defer { try? FileManager.default.removeItem(atPath: file) }
          try await run("sounds.c", [server.url, try await server.token(user: "anchor", grants: all), listener, file])
        }
      }

      @Test("a push with both studios, a room beside it, a player, a restart and an end", .timeLimit(.minutes(3)))
      func push() async throws {
        try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
          try await run(
            "push.c",
            [
              try server.rtmp("live/one").replacing("127.0.0.1", with: "live.example"), try server.rtmp("live/two"),
              server.http("/live/one.flv"), server.url,
              try await server.token(user: "anchor", grants: all), try await server.token(user: "viewer", grants: [.subscribe]),
            ])
        }
      }

      @Test("the tasks of the documentation, in C and in Python", .timeLimit(.minutes(5))) func tasks() async throws {
        let program = try await InstalledClient.compile(InstalledClient.examples.appending(path: "tasks.c"))
        let site = try await InstalledClient.installWheel()
        try await withServer(adjust: { $0.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"]) }) { server in
          let url = try server.rtmp("live/demo")
          let grants = all.union(.relay)
          let inC = try InstalledClient.start(program, [server.url, try await server.token(user: "c", grants: grants), url])
          #expect(try await inC.finish(within: .seconds(60)) == 0, "\(inC.text)")
          let inPython = try Program(
            "env",
            [
              "PYTHONPATH=\(site)", InstalledClient.interpreter, "\(InstalledClient.python.path)/examples/tasks.py",
              server.url, try await server.token(user: "python", grants: grants), url,
            ])
          #expect(try await inPython.finish(within: .seconds(60)) == 0, "\(inPython.text)")
          #expect(inPython.text.contains("on seat 0"), "\(inPython.text)")
        }
      }

      @Test("the tasks with pictures, sound and live streams, in C and in Python", .timeLimit(.minutes(5)))
      func mediaTasks() async throws {
        let program = try await InstalledClient.compile(InstalledClient.examples.appending(path: "media_tasks.c"))
        let site = try await InstalledClient.installWheel()
        let music = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).wav").path
        defer { try? FileManager.default.removeItem(atPath: music) }
        try await InstalledClient.shell(
          "ffmpeg -nostdin -v error -f lavfi -i sine=frequency=440:duration=1 -ar 48000 '\(music)'")
        try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
          let inC = try InstalledClient.start(program, [try server.rtmp("live/c"), server.http("/live/c.flv"), music])
          #expect(try await inC.finish(within: .seconds(60)) == 0, "\(inC.text)")
          let inPython = try Program(
            "env",
            [
              "PYTHONPATH=\(site)", InstalledClient.interpreter, "\(InstalledClient.python.path)/examples/media_tasks.py",
              try server.rtmp("live/python"), server.http("/live/python.flv"), music,
            ])
          #expect(try await inPython.finish(within: .seconds(60)) == 0, "\(inPython.text)")
          #expect(inPython.text.contains("the stream was played"), "\(inPython.text)")
        }
      }

      @Test("1,000 joins and leaves of one process leave nothing behind", .timeLimit(.minutes(10)))
      func joinsAndLeaves() async throws {
        // Without the sanitizer, which keeps freed memory.
        let joins = try await InstalledClient.compile(InstalledClient.tests.appending(path: "joins.c"), sanitized: false)
        try await withServer { server in
          let token = try await server.token(user: "guest")
          let program = try InstalledClient.start(joins, ["1000", server.url, token])
          let status = try await program.finish(within: .seconds(400))
          #expect(status == 0, "\(program.text)")
          let growth = try #require(
            program.text.firstMatch(of: /memory_kib=(-?\d+) descriptors=(-?\d+) handles=(-?\d+)/)?.output, "\(program.text)")
          // A room's own memory is larger than 20 KiB: eight hundred rooms would not fit.
          #expect(try #require(Int(growth.1)) < 16 << 10)
          #expect(try #require(Int(growth.2)) <= 4)
          #expect(growth.3 == "0")
          try await eventually("nothing is left") { try await server.isEmpty() }
        }
      }

      @Test("a program that exits while it is connected does not crash", .timeLimit(.minutes(3))) func exits() async throws {
        let exits = try await InstalledClient.compile(InstalledClient.tests.appending(path: "exits.c"), sanitized: false)
        try await withServer { server in
          for number in 0..<6 {
            let token = try await server.token(user: UserID("guest\(number)"), room: RoomName("room\(number)"))
            let program = try InstalledClient.start(exits, [server.url, token])
            #expect(try await program.finish(within: .seconds(30)) == 0, "\(program.text)")
          }
        }
      }

      @Test("the Python package: its types, its tests, and its example", .timeLimit(.minutes(10)))
      func python() async throws {
        let site = try await InstalledClient.installWheel()
        let package = InstalledClient.python.path
        try await InstalledClient.shell(
          """
          cd '\(package)'
          '\(InstalledClient.interpreter)' -m mypy --strict --cache-dir '\(site)/../mypy' --config-file pyproject.toml src examples tests
          """)
        try await InstalledClient.checkTypes(of: try Page("docs/client-c-python.md", language: "python"))
        try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
          var tokens: [String: String] = [:]
          for room in "abcdefghijklmnop" {
            for user in ["ann", "ben"] {
              tokens["\(user)@\(room)"] = try await server.token(user: UserID(user), room: RoomName("\(room)"), grants: all)
            }
          }
          let json = String(decoding: try JSONEncoder().encode(tokens), as: UTF8.self)
          let environment = ["PYTHONPATH=\(site)", "PYTHONUNBUFFERED=1", "ROOMCLIENT_URL=\(server.url)"]
          let tests = try Program(
            "env",
            environment + [
              "ROOMCLIENT_TOKENS=\(json)", "ROOMCLIENT_RTMP=\(try server.rtmp("").dropLast())",
              "ROOMCLIENT_FLV=\(server.http(""))", InstalledClient.interpreter, "-m", "unittest", "discover", "-v", "-s",
              "\(package)/tests",
            ])
          let status = try await tests.finish(within: .seconds(300))
          #expect(status == 0, "\(tests.text)")
          #expect(tests.text.contains("Ran 24 tests"), "\(tests.text)")

          let example = { (user: UserID) in
            let token = try await server.token(user: user, room: "example")
            return try Program(
              "env",
              environment + [InstalledClient.interpreter, "\(package)/examples/publish_numpy.py", server.url, token, "60"])
          }
          let (ann, ben) = (try await example("ann"), try await example("ben"))
          for (program, other) in [(ann, "ben"), (ben, "ann")] {
            try await eventually("the example shows pictures and sound of \(other): \(program.text)", within: .seconds(60)) {
              program.text.contains("\(other): 320x180, mean colour [") && program.text.contains("\(other): peak 0.")
            }
          }
        }
      }
    }
  }
#endif
