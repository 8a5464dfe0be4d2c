import RoomPeers
import RoomProtocol
import RoomTestSupport
import Testing
import RoomWebRTC

@Suite("Publishing and subscribing")
struct PublishingTests {
  private func accepting(_ names: Set<String> = ["opus", "vp8", "h264"]) -> SubscribeAnswer {
    SubscribeAnswer(local: Descriptions.transport()) { names.contains($0.name) }
  }

  @Test("published tracks are announced to the others and offered to them, in one offer")
  func publish() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      let tracks = try await alice.publish(.opus, .vp8, tag: "screen")
      #expect(tracks.map(\.kind) == [.audio, .video])
      #expect(tracks.map(\.codec) == [.opus, .vp8])
      #expect(tracks.allSatisfy { $0.tag == "screen" && $0.master && !$0.muted })
      let published = try await bob.event("published") { if case .published(let data) = $0 { data } else { nil } }
      #expect(published == PublishedData(userId: "alice", tracks: tracks))

      let offer = try await bob.offer()
      #expect(offer.offer == 1)
      #expect(!offer.restart)
      #expect(offer.tracks.map(\.trackId) == tracks.map(\.trackId))
      #expect(offer.tracks.allSatisfy { $0.userId == "alice" })
      var answering = accepting()
      let answer = try answering.answer(offer.sdp)
      #expect(answer.media.count == 2)
      _ = try await bob.call(.answer(AnswerParams(offer: 1, sdp: answer.sdp)))
      try await eventually("the subscriptions run") { try await server.metric("roomserver_subscriptions") == 2 }
    }
  }

  @Test("changes while an offer is in flight go into the next one")
  func oneOfferAtATime() async throws {
    try await TestServer.with { server in
      let bob = try await server.join("bob")
      let alice = try await server.join("alice")
      let carol = try await server.join("carol")
      let first = try await alice.publish(.opus)
      let offer = try await bob.offer()
      #expect(offer.tracks.map(\.trackId) == first.map(\.trackId))
      let second = try await carol.publish(.vp8)
      #expect(!bob.events.contains { $0.name == "offer" })
      var answering = accepting()
      _ = try await bob.call(.answer(AnswerParams(offer: 1, sdp: try answering.answer(offer.sdp).sdp)))
      let next = try await bob.offer()
      #expect(next.offer == 2)
      #expect(Set(next.tracks.map(\.trackId)) == Set((first + second).map(\.trackId)))
    }
  }

  @Test("a track that the client can't decode in any codec is reported with 80202, and the others are sent")
  func rejected() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      let tracks = try await alice.publish(.opus, .vp8)
      let offer = try await bob.offer()
      var answering = accepting(["opus"])
      _ = try await bob.call(.answer(AnswerParams(offer: offer.offer, sdp: try answering.answer(offer.sdp).sdp)))
      let second = try await bob.offer()
      #expect(second.tracks.compactMap(\.rendition) == [.h264])
      _ = try await bob.call(.answer(AnswerParams(offer: second.offer, sdp: try answering.answer(second.sdp).sdp)))
      let failed = try await bob.event("subscribeFailed") { if case .subscribeFailed(let data) = $0 { data } else { nil } }
      #expect(failed.trackIds == [tracks[1].trackId])
      #expect(failed.error.code == .subscribeFailed)
      try await eventually("the audio runs") { try await server.metric("roomserver_subscriptions") == 1 }
    }
  }

  @Test("without auto-subscribe nothing is offered until requested, by track or by user")
  func chosen() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob", autoSubscribe: false)
      let tracks = try await alice.publish(.opus, .vp8)
      _ = try await bob.event("published") { if case .published = $0 { true } else { nil } }
      #expect(!bob.events.contains { $0.name == "offer" })
      _ = try await bob.call(.subscribe(TrackSelection(trackIds: [tracks[1].trackId])))
      let offer = try await bob.offer()
      #expect(offer.tracks.map(\.trackId) == [tracks[1].trackId])
      var answering = accepting()
      _ = try await bob.call(.answer(AnswerParams(offer: offer.offer, sdp: try answering.answer(offer.sdp).sdp)))
      _ = try await bob.call(.subscribe(TrackSelection(userIds: ["alice"])))
      let both = try await bob.offer()
      #expect(both.tracks.count == 2)
      _ = try await bob.call(.answer(AnswerParams(offer: both.offer, sdp: try answering.answer(both.sdp).sdp)))
      _ = try await bob.call(.unsubscribe(TrackSelection(trackIds: [tracks[1].trackId])))
      #expect(try await bob.offer().tracks.map(\.trackId) == [tracks[0].trackId])
      try await eventually("one is left") { try await server.metric("roomserver_subscriptions") == 1 }
    }
  }

  @Test("an unpublished track is announced, and removed from the next offer")
  func unpublish() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      let tracks = try await alice.publish(.opus, .vp8)
      let offer = try await bob.offer()
      var answering = accepting()
      _ = try await bob.call(.answer(AnswerParams(offer: offer.offer, sdp: try answering.answer(offer.sdp).sdp)))
      _ = try await alice.call(.unpublish(TrackSelection(trackIds: [tracks[0].trackId])))
      let data = try await bob.event("unpublished") { if case .unpublished(let data) = $0 { data } else { nil } }
      #expect(data == UnpublishedData(userId: "alice", trackIds: [tracks[0].trackId]))
      #expect(try await bob.offer().tracks.map(\.trackId) == [tracks[1].trackId])
      #expect(try await alice.error(of: .unpublish(TrackSelection(trackIds: ["gone"])))?.code == .publishFailed)
      try await eventually("one track is left") { try await server.metric("roomserver_tracks") == 1 }
    }
  }

  @Test("an m-line that stops sending in a later offer is an unpublished track")
  func stoppedMedia() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob", autoSubscribe: false)
      var publisher = TestPublisher()
      let first = try await alice.call(.publish(try publisher.publish([.opus, .vp8])), PublishResult.self)
      try publisher.accept(first)
      publisher.remove(mid: first.tracks[0].mid)
      let second = try await alice.call(.publish(try publisher.publish([])), PublishResult.self)
      #expect(second.tracks.isEmpty)
      let data = try await bob.event("unpublished") { if case .unpublished(let data) = $0 { data } else { nil } }
      #expect(data.trackIds == [first.tracks[0].track.trackId])
    }
  }

  @Test("a new publish connection continues a track under its id; the others get it in a new offer")
  func restart() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      let track = try #require(try await alice.publish(.vp8).first)
      let offer = try await bob.offer()
      var answering = accepting()
      _ = try await bob.call(.answer(AnswerParams(offer: offer.offer, sdp: try answering.answer(offer.sdp).sdp)))

      var publisher = TestPublisher()
      var params = try publisher.publish([.vp8])
      params.restart = true
      params.tracks[0].trackId = track.trackId
      let result = try await alice.call(.publish(params), PublishResult.self)
      #expect(result.tracks.map(\.track) == [track])
      #expect(try await bob.offer().tracks.map(\.trackId) == [track.trackId])
      #expect(!bob.events.contains { $0.name == "unpublished" })
      try await eventually("one track and two transports") {
        let tracks = try await server.metric("roomserver_tracks")
        let transports = try await server.metric("roomserver_transports")
        return tracks == 1 && transports == 2
      }
    }
  }

  @Test("resubscribe starts a new transport with a new offer")
  func resubscribe() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      try await alice.publish(.opus)
      let first = try await bob.offer()
      _ = try await bob.call(.resubscribe)
      let second = try await bob.offer()
      #expect(second.offer == 2)
      #expect(second.restart)
      #expect(second.tracks.map(\.trackId) == first.tracks.map(\.trackId))
      #expect(try await bob.error(of: .answer(AnswerParams(offer: 1, sdp: "")))?.code == .subscribeFailed)
    }
  }

  @Test("a missing grant is 10003")
  func grants() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let track = try #require(try await alice.publish(.opus).first)
      let mute = try await server.join("mute", grants: [])
      var publisher = TestPublisher()
      #expect(try await mute.error(of: .publish(try publisher.publish([.opus])))?.code == .noPermission)
      for call: SignalCall in [
        .subscribe(TrackSelection(trackIds: [track.trackId])), .unsubscribe(TrackSelection()), .resubscribe,
        .mute(MuteParams(trackId: track.trackId, muted: true)), .kick(UserParams(userId: "alice")),
      ] {
        #expect(try await mute.error(of: call)?.code == .noPermission, "\(call.method)")
      }
      #expect(!mute.events.contains { $0.name == "offer" })
    }
  }

  @Test("invalid offers get 80201 and change nothing")
  func badOffers() async throws {
    try await TestServer.with({ $0.limits.tracksPerParticipant = 2 }) { server in
      let alice = try await server.join("alice")
      var publisher = TestPublisher()
      let good = try publisher.publish([.opus])
      var unknownMid = good
      unknownMid.tracks[0].mid = "9"
      var wrongKind = good
      wrongKind.tracks[0].kind = .video
      var twice = good
      twice.tracks += good.tracks
      for params in [PublishParams(sdp: "v=0", tracks: []), unknownMid, wrongKind, twice] {
        #expect(try await alice.error(of: .publish(params))?.code == .publishFailed)
      }
      try publisher.accept(try await alice.call(.publish(good), PublishResult.self))
      let many = try publisher.publish([.vp8, .vp8])
      #expect(try await alice.error(of: .publish(many))?.code == .publishFailed)
      #expect(try await server.metric(#"roomserver_limits_hit_total{limit="tracks"}"#) == 1)
      #expect(try await server.metric("roomserver_published_tracks") == 1)
    }
  }

  @Test("mute is announced to the others with its author; muting others' tracks requires the admin grant")
  func mute() async throws {
    try await TestServer.with { server in
      let alice = try await server.join("alice")
      let bob = try await server.join("bob")
      let admin = try await server.join("admin", grants: [.admin])
      let track = try #require(try await alice.publish(.opus).first)
      _ = try await alice.call(.mute(MuteParams(trackId: track.trackId, muted: true)))
      func muteChanged(_ client: SignalClient) async throws -> MuteData {
        try await client.event("muteChanged") { if case .muteChanged(let data) = $0 { data } else { nil } }
      }
      let byOwner = try await muteChanged(bob)
      #expect(byOwner == MuteData(userId: "alice", trackId: track.trackId, muted: true, by: "alice"))
      #expect(try await bob.error(of: .mute(MuteParams(trackId: track.trackId, muted: false)))?.code == .noPermission)
      _ = try await admin.call(.mute(MuteParams(trackId: track.trackId, muted: false)))
      #expect(try await muteChanged(alice).by == "admin")
      #expect(try await admin.error(of: .mute(MuteParams(trackId: "none", muted: true)))?.code == .subscribeFailed)
    }
  }
}
