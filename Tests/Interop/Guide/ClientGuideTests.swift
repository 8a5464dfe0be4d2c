import Foundation
import RoomRelay
import RoomClient
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import client_guide

@Suite("The code in the client's documentation")
struct ClientGuideTextTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized

  /// A page, the language of its code blocks, and the folder of the sources that contain them.
  struct Page: CustomTestStringConvertible {
    let name: String
    let language: String
    let folder: String
    var testDescription: String { "\(name), \(language)" }
  }

  @Test(
    "the code equals the compiled example",
    arguments: [
      Page(name: "client-guide.md", language: "swift", folder: "Sources/Examples/ClientGuide"),
      Page(name: "streaming.md", language: "swift", folder: "Sources/Examples/ClientGuide"),
      Page(name: "client-tasks.md", language: "swift", folder: "Sources/Examples/ClientGuide"),
      Page(name: "client-tasks.md", language: "c", folder: "Sources/ClientLibrary/examples"),
      Page(name: "client-tasks.md", language: "python", folder: "Sources/ClientLibrary/python/examples"),
    ])
  func isCompiled(page: Page) throws {
    let guide = try String(contentsOf: Self.root.appending(path: "docs/\(page.name)"), encoding: .utf8)
    let folder = Self.root.appending(path: page.folder)
    // A block leaves out the comment that says in the source what the function does.
    func code(_ text: String) -> String {
      let lines = text.components(separatedBy: "\n").filter { line in
        let start = line.drop { $0 == " " }
        return !start.hasPrefix("/// ") && !start.hasPrefix("\"\"\"")
      }
      return lines.joined(separator: "\n")
    }
    let sources = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { !$0.hasDirectoryPath }.map { code(try String(contentsOf: $0, encoding: .utf8)) }
    let blocks = guide.components(separatedBy: "```\(page.language)\n").dropFirst().map { $0.components(separatedBy: "```")[0] }
    #expect(blocks.count >= 5)
    for block in blocks { #expect(sources.contains { $0.contains(code(block)) }, "\(block)") }
  }
}

extension RealMedia {
  /// Runs the code that the guide shows.
  @Suite("The client guide")
  struct ClientGuideTests {
    private func settings(_ configuration: inout ServerConfiguration) throws {
      configuration.relay.broadcasts.targets = try RelayTargets(parsing: ["127.0.0.1"])
      configuration.relay.mixCores = 8
      configuration.rooms.audience = .separate
    }

    @Test("solo live, a PK, a PK in the other room, and back", .timeLimit(.minutes(2))) func livesAndBattles() async throws {
      try await withServer(adjust: settings) { server in
        let all: Grants = [.publish, .subscribe, .admin, .relay]
        var anchors: [Anchor] = []
        for name in ["red", "blue"] {
          let token = try await server.token(user: UserID(name), room: RoomName(name), grants: all)
          anchors.append(try await goLive(server.url, token: token, to: try server.rtmp("live/\(name)"), preset: .low1))
        }
        let (red, blue) = (anchors[0].room, anchors[1].room)
        let answering = Task { try await answerInvitations(blue) }
        try await eventually("both are on air") { try await server.metric("roomserver_origin_streams") == 2 }

        async let first = battle(red, against: "blue")
        try await eventually("the PK has started") { red.pk.current != nil && blue.pk.current != nil }
        try await blue.messages.sendGift("rose", count: 3)
        try await red.messages.sendGift("rocket", count: 5)
        try await eventually("the gift counts") { blue.pk.current?.peerScore == 5 }
        try await blue.pk.quit()
        #expect(try await first.state == .connected)

        async let second = battleAway(red, against: "blue")
        try await eventually("red is in blue's room, and its broadcast comes from there") {
          red.state == .closed(.left) && blue.jobs.all.contains { $0.kind == .merge && $0.onAir == true && $0.by == "red" }
        }
        try await blue.pk.quit()
        let home = try await second
        #expect(home.name == "red")
        #expect(home.seats.host == "red")
        #expect(home.jobs.all.map(\.jobId) == ["live"])
        try await eventually("its broadcast is its own again") {
          home.jobs.all.first?.onAir == true && home.jobs.all.first?.kind == .forward
        }
        try await eventually("nobody is left in blue's room") { blue.participants.isEmpty }
        await home.leave()
        await blue.leave()
        try await answering.value
      }
    }

    @Test("a voice room: request, seat, audio, kick, and no free seat", .timeLimit(.minutes(2))) func talks() async throws {
      try await withServer(adjust: { $0.rooms.audience = .voice }) { server in
        let boss = try await Participant.join(server, as: "hal", grants: [.publish, .subscribe, .admin])
        let hosting = Task { try await client_guide.host(boss.room, title: "Friday evening") }
        try await eventually("the room is set up") { boss.room.attributes["title"] == "Friday evening" }
        let listener = try await Participant.join(server, as: "lis", grants: [.subscribe])
        let ann = try await Participant.join(server, as: "ann", grants: [.subscribe])
        let hers = ann.room.events()
        let speaking = Task { try await speak(in: ann.room, for: .seconds(60)) }
        try await eventually("she is heard") { listener.sound(of: "@mix").hears(300) }
        try await eventually("her host sees her on a seat") { boss.room.seats["ann"] != nil }
        try await eventually("she greets") { boss.room.messages.history.contains { $0.text == "hello from seat 1" } }
        try await listener.room.messages.send("!quiet")
        try await eventually("all seats but the host's are mute") { boss.room.seats.all.count { $0.muted } == 8 }
        try await boss.room.seats.kick("ann")
        #expect(try await speaking.value)
        // No seat is left.
        for index in 1..<9 { try await boss.room.seats.set(index, locked: true) }
        #expect(try await speak(in: ann.room, for: .seconds(1)) == false)
        for await event in hers {
          guard case .message(let message) = event, message.to == "ann" else { continue }
          #expect(message.text == "All seats are taken. Ask again later.")
          break
        }
        for person in [ann, listener, boss] { await person.leave() }
        try await hosting.value
      }
    }
  }
}
