import RoomPeers
import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("PK, with a real server", .serialized, .timeLimit(.minutes(3)))
struct PKTests {
  /// Two rooms, each with its host on seat 0.
  private struct Pair {
    let ada: Room
    let bob: Room
    let hers: AsyncStream<RoomEvent>
    let his: AsyncStream<RoomEvent>

    init(_ stage: Stage) async throws {
      ada = try await stage.host("ada", room: "a")
      bob = try await stage.host("bob", room: "b")
      hers = ada.events()
      his = bob.events()
    }

    func leave() async {
      await ada.leave()
      await bob.leave()
    }
  }

  private func invitation(_ room: Room, _ events: AsyncStream<RoomEvent>) async throws -> PKInvitation {
    try await room.first("pkInvited", in: events) { event in
      if case .pkInvited(let invitation) = event { invitation } else { nil }
    }
  }

  private func ended(_ room: Room, _ events: AsyncStream<RoomEvent>) async throws -> PKInvitationEndedData {
    try await room.first("pkInvitationEnded", in: events) { event in
      if case .pkInvitationEnded(let data) = event { data } else { nil }
    }
  }

  private func began(_ room: Room, _ events: AsyncStream<RoomEvent>) async throws -> PKInfo {
    try await room.first("pkBegan", in: events) { event in
      if case .pkBegan(let info) = event { info } else { nil }
    }
  }

  private func changed(
    _ room: Room, _ events: AsyncStream<RoomEvent>, _ what: String, _ holds: @escaping @Sendable (PKInfo) -> Bool
  ) async throws {
    try await room.first("pkChanged: \(what)", in: events) { event in
      if case .pkChanged(let info) = event, holds(info) { () } else { nil }
    }
  }

  private func over(_ room: Room, _ events: AsyncStream<RoomEvent>) async throws -> PKEndedData {
    try await room.first("pkEnded", in: events) { event in
      if case .pkEnded(let data) = event { data } else { nil }
    }
  }

  @Test("invitation, acceptance, score, mute and end reach both rooms and their audiences") func battles() async throws {
    try await onStage { stage in
      let pair = try await Pair(stage)
      let (ada, bob) = (pair.ada, pair.bob)
      let listener = try await stage.join("lis", room: "b", grants: [.subscribe])
      let heard = listener.events()
      let invited = try await ada.pk.invite("bob", in: "b")
      let sent = try await invitation(ada, pair.hers)
      #expect((sent.from, sent.to.room, sent.by) == (PKSide(room: ada.name, userId: "ada"), bob.name, "ada"))
      let invitation = try await invitation(bob, pair.his)
      #expect(invitation.pkId == invited.pkId)
      #expect((invitation.from, invitation.to) == (PKSide(room: "a", userId: "ada"), PKSide(room: "b", userId: "bob")))
      #expect(invitation.by == "ada")
      #expect(bob.pk.invitations == [invitation])
      #expect(listener.pk.invitations.isEmpty)
      try await bob.pk.accept(invitation.pkId)
      #expect(try await ended(ada, pair.hers).outcome == .accepted)
      let hers = try await began(ada, pair.hers)
      #expect((hers.room, hers.userId, hers.host, hers.inviter, hers.mode) == ("b", "bob", "ada", true, .bridge))
      #expect(ada.pk.current == hers)
      let his = try await began(bob, pair.his)
      #expect((his.room, his.userId, his.host, his.inviter) == ("a", "ada", "bob", false))
      #expect(his.startedAt == hers.startedAt)
      #expect(try await began(listener, heard) == his)
      #expect(!ada.pk.isAway)

      try await ada.pk.setScore(7)
      try await changed(bob, pair.his, "her score") { $0.peerScore == 7 && $0.score == 0 }
      try await bob.pk.mutePeer(true)
      try await changed(ada, pair.hers, "muted by him") { $0.mutedByPeer && $0.score == 7 }
      #expect(bob.pk.current?.peerMuted == true)
      try await bob.pk.quit()
      let end = try await over(ada, pair.hers)
      #expect((end.reason, end.room, end.by, end.score, end.peerScore) == (.quit, "b", "bob", 7, 0))
      #expect(ada.pk.current == nil)
      #expect(try await over(listener, heard).peerScore == 7)
      await listener.leave()
      await pair.leave()
    }
  }

  @Test("rejection, cancellation, timeout and an unknown room are reported to the inviter")
  func endsInvitations() async throws {
    try await onStage({ $0.rooms.rules.pkInvitationTime = 1500 }) { stage in
      let pair = try await Pair(stage)
      let (ada, bob) = (pair.ada, pair.bob)
      try await ada.pk.invite(in: "b")
      try await bob.pk.reject(try await invitation(bob, pair.his).pkId, reason: "later")
      let rejected = try await ended(ada, pair.hers)
      #expect((rejected.outcome, rejected.reason) == (.rejected, "later"))
      _ = try await ended(bob, pair.his)
      let again = try await ada.pk.invite(in: "b")
      _ = try await invitation(bob, pair.his)
      try await ada.pk.cancel(again.pkId)
      #expect(try await ended(bob, pair.his).outcome == .cancelled)
      _ = try await ended(ada, pair.hers)
      try await ada.pk.invite(in: "b")
      _ = try await invitation(bob, pair.his)
      #expect(try await ended(ada, pair.hers).outcome == .timedOut)
      #expect(try await ended(bob, pair.his).outcome == .timedOut)
      try await ada.pk.invite(in: "nowhere")
      let failed = try await ended(ada, pair.hers)
      #expect((failed.outcome, failed.error?.code) == (.failed, .noSuchRoom))
      await pair.leave()
    }
  }

  @Test("an anchor whose connection is cut reconnects by itself, and the PK continues") func survives() async throws {
    try await onStage { stage in
      let relay = try await TCPRelay.start(to: Int(stage.server.port))
      let quick = ReconnectPolicy(
        tries: 20, waits: [.milliseconds(50) ... .milliseconds(100), .milliseconds(200) ... .milliseconds(300)])
      let ada = try await stage.host("ada", room: "a", options: RoomOptions(reconnect: quick), over: relay.port)
      let bob = try await stage.host("bob", room: "b")
      let (hers, his) = (ada.events(), bob.events())
      try await ada.pk.invite(in: "b")
      try await bob.pk.accept(try await invitation(bob, his).pkId)
      _ = try await began(ada, hers)
      relay.cut(refusing: true)
      try await changed(bob, his, "she is gone") { !$0.peerConnected }
      relay.accept()
      try await changed(bob, his, "she is back") { $0.peerConnected }
      try await eventually("she has the state") { ada.state == .connected && ada.pk.current?.connected == true }
      try await ada.pk.quit()
      #expect(try await over(bob, his).reason == .quit)
      await ada.leave()
      await bob.leave()
      relay.stop()
    }
  }

  @Test("an anchor whose session ended is in the PK again after its new join") func resumes() async throws {
    try await onStage({ $0.rooms.graceTime = .milliseconds(200) }) { stage in
      let relay = try await TCPRelay.start(to: Int(stage.server.port))
      let quick = ReconnectPolicy(tries: 50, waits: [.milliseconds(200) ... .milliseconds(300)])
      let ada = try await stage.host("ada", room: "a", options: RoomOptions(reconnect: quick), over: relay.port)
      let listener = try await stage.join("lis", room: "a", grants: [.subscribe])
      let bob = try await stage.host("bob", room: "b")
      let his = bob.events()
      let (heard, microphone) = (listener.events(), LocalAudioTrack())
      try await ada.publish([microphone])
      try await ada.pk.invite(in: "b")
      try await bob.pk.accept(try await invitation(bob, his).pkId)
      _ = try await began(listener, heard)
      let track = microphone.trackId
      relay.cut(refusing: true)
      try await listener.first("she left", in: heard) { event in
        if case .left("ada", .timedOut) = event { () } else { nil }
      }
      relay.accept()
      try await changed(listener, heard, "she is back") { $0.connected }
      try await eventually("she publishes again") { microphone.trackId != nil && microphone.trackId != track }
      #expect(ada.seats.mine?.index == 0)
      #expect(bob.pk.current != nil)
      for room in [ada, listener, bob] { await room.leave() }
      relay.stop()
    }
  }

  @Test("the other anchor's audio level is reported in this room too") func tellsLevels() async throws {
    try await onStage { stage in
      let ada = try await stage.host("ada", room: "a")
      let bob = try await stage.host("bob", room: "b", options: RoomOptions(audioLevels: true))
      let his = bob.events()
      let microphone = LocalAudioTrack()
      try await ada.publish([microphone])
      let feeder = Feeder(microphone, level: -20)
      defer { feeder.stop() }
      try await ada.pk.invite(in: "b")
      try await bob.pk.accept(try await invitation(bob, his).pkId)
      let level = try await bob.first("her level", in: his) { event in
        if case .audioLevels(let levels) = event { levels.first { $0.userId == "ada@a" && $0.level > -127 } } else { nil }
      }
      #expect(level.level == -20)
      try await bob.first("that she speaks", in: his) { if case .activeSpeakers(["ada@a"]) = $0 { () } else { nil } }
      await ada.leave()
      await bob.leave()
    }
  }

  @Test("with way move the inviting anchor moves and returns by one call each; the other room sees it join and leave")
  func moves() async throws {
    try await onStage { stage in
      let pair = try await Pair(stage)
      let (ada, bob) = (pair.ada, pair.bob)
      let listener = try await stage.join("lis", room: "a", grants: [.subscribe])
      let heard = listener.events()
      let microphone = LocalAudioTrack()
      try await ada.publish([microphone])
      let feeder = Feeder(microphone)
      defer { feeder.stop() }
      try await ada.pk.invite(in: "b", mode: .move)
      try await bob.pk.accept(try await invitation(bob, pair.his).pkId)
      _ = try await began(ada, pair.hers)
      await #expect(throws: RoomClientError.self) { _ = try await bob.pk.move() }

      let away = try await ada.pk.move()
      #expect((away.name, away.me?.userId, away.pk.isAway) == ("b", "ada", true))
      #expect(ada.state == .closed(.left))
      // The track in the other room.
      let there = try await subscribed(bob, pair.his)
      #expect((there.userId, there.trackId) == ("ada", microphone.trackId))
      try await receive(5, from: there.frames, "her sound")
      // She was never absent for either room.
      try await eventually("both rooms know that she is away") {
        listener.pk.current?.connected == true && bob.pk.current?.peerConnected == true
      }
      #expect(listener.seats.host == nil)
      #expect(try await code { _ = try await away.seats.take(1) } == .connectMicFailed)
      try await away.pk.mutePeer(true)
      // The guest may control its own room's jobs, but not this room's.
      try await bob.jobs.start(ForwardParams(jobId: "his", publishUrl: "rtmp://origin/live/b", kinds: [.audio]))
      let taken = ForwardParams(jobId: "taken", publishUrl: "rtmp://origin/live/b?serialnum=9", kinds: [.audio])
      #expect(try await code { try await away.jobs.start(taken) } == .noPermission)
      #expect(try await code { try await away.jobs.stop("his") } == .noPermission)
      try await away.jobs.start(ForwardParams(jobId: "hers", publishUrl: "rtmp://origin/live/a", kinds: [.audio]))
      try await away.jobs.stop("hers")
      try await bob.jobs.stop("his")

      try await bob.pk.quit()
      #expect(try await over(away, away.events()).by == "bob")
      let home = try await away.pk.returnHome()
      #expect((home.name, home.pk.isAway, home.seats.mine?.index) == ("a", false, 0))
      #expect(away.state == .closed(.left))
      let back = try await subscribed(listener, heard)
      let again = try await back.trackId == microphone.trackId ? back : subscribed(listener, heard)
      #expect(again.trackId == microphone.trackId)
      try await receive(5, from: again.frames, "her sound at home")
      // A second move, with a return before the end, which ends the PK.
      let events = home.events()
      try await home.pk.invite(in: "b", mode: .move)
      try await bob.pk.accept(try await invitation(bob, pair.his).pkId)
      _ = try await began(home, events)
      let second = try await home.pk.move()
      let third = try await second.pk.returnHome()
      #expect(try await over(bob, pair.his).reason == .quit)
      #expect(third.seats.mine?.index == 0)
      for room in [third, bob, listener] { await room.leave() }
    }
  }

  @Test("an anchor that could not move stays in its room") func staysHome() async throws {
    try await onStage { stage in
      let pair = try await Pair(stage)
      let (ada, bob) = (pair.ada, pair.bob)
      let microphone = LocalAudioTrack()
      try await ada.publish([microphone])
      let track = microphone.trackId
      try await ada.pk.invite(in: "b", mode: .move)
      try await bob.pk.accept(try await invitation(bob, pair.his).pkId)
      _ = try await began(ada, pair.hers)
      try await eventually("the token arrived") { try await ada.pk.hasToken }
      // The PK ends before she moves.
      try await bob.pk.quit()
      _ = try await over(ada, pair.hers)
      await #expect(throws: RoomClientError.self) { _ = try await ada.pk.move() }
      #expect(ada.state == .connected)
      #expect(microphone.trackId == track)
      #expect(ada.seats.mine?.index == 0)
      await pair.leave()
    }
  }

  @Test("a room whose anchor has moved stays open even if it is empty") func keepsRoom() async throws {
    try await onStage({ $0.rooms.autoCreatedEmptyTime = .milliseconds(100) }) { stage in
      let pair = try await Pair(stage)
      let bob = pair.bob
      try await pair.ada.pk.invite(in: "b", mode: .move)
      try await bob.pk.accept(try await invitation(bob, pair.his).pkId)
      _ = try await began(pair.ada, pair.hers)
      let away = try await pair.ada.pk.move()
      let created = pair.ada.snapshot?.createdAt
      // Real time: three times as long as an empty room stays open.
      try await Task.sleep(for: .milliseconds(300))
      #expect(bob.pk.current?.peerConnected == true)
      let home = try await away.pk.returnHome()
      #expect(home.snapshot?.createdAt == created)
      await home.leave()
      await bob.leave()
    }
  }
}

extension RoomPK {
  fileprivate var hasToken: Bool { get async throws { session.store.value.pkToken != nil } }
}
