import RoomProtocol
import RoomServer
import RoomTestSupport
import Testing

@testable import RoomClient

@Suite("Seats, with a real server", .serialized, .timeLimit(.minutes(3)))
struct SeatTests {
  private func seat(_ room: Room, _ events: AsyncStream<RoomEvent>, _ cause: SeatCause) async throws -> SeatChangedData {
    try await room.first("seatChanged \(cause)", in: events) { event in
      if case .seatChanged(let data) = event, data.cause == cause { data } else { nil }
    }
  }

  private func ended(_ room: Room, _ events: AsyncStream<RoomEvent>, _ outcome: SeatOutcome) async throws -> UserID {
    try await room.first("the end \(outcome)", in: events) { event in
      switch event {
      case .seatRequestEnded(let data) where data.outcome == outcome: data.userId
      case .seatInvitationEnded(let data) where data.outcome == outcome: data.userId
      default: nil
      }
    }
  }

  @Test("taking a seat, its switches and a kick reach all participants, and the tracks can be published again")
  func sits() async throws {
    try await onStage { stage in
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada")
      let (his, hers) = (host.events(), ada.events())
      #expect(host.seats.mine?.index == 0)
      #expect(ada.seats.host == "hal")
      try await host.seats.setLayout(.gridFour)
      let microphone = LocalAudioTrack()
      #expect(try await ada.seats.take(2, publishing: [microphone]) == 2)
      let taken = try await seat(host, his, .taken)
      #expect((taken.seat.index, taken.seat.userId, taken.by) == (2, "ada", "ada"))
      #expect(host.seats["ada"]?.index == 2)
      let published = try await host.first("published", in: his) { event in
        if case .published("ada", let tracks) = event { tracks.map(\.trackId) } else { nil }
      }
      #expect(published == [microphone.trackId])

      // The track that the seat mutes is also muted for its publisher.
      try await host.seats.set(2, locked: true, muted: true)
      let switched = try await seat(ada, hers, .switched)
      #expect(switched.seat.locked && switched.seat.muted)
      try await ada.first("muteChanged", in: hers) { event in
        if case .muteChanged("ada", _, true, _) = event { () } else { nil }
      }
      #expect(microphone.isMuted)
      try await host.seats.set(2, muted: false)
      try await ada.first("muteChanged", in: hers) { event in
        if case .muteChanged("ada", _, false, _) = event { () } else { nil }
      }
      #expect(!microphone.isMuted)
      try await ada.seats.set(2, video: false)
      #expect(ada.seats.mine?.video == false)

      try await host.seats.kick("ada")
      let kicked = try await seat(ada, hers, .kicked)
      #expect((kicked.seat.userId, kicked.userId, kicked.by) == (nil, "ada", "hal"))
      try await ada.first("unpublished", in: hers) { event in
        if case .unpublished("ada", let ids) = event { ids == published ? () : nil } else { nil }
      }
      #expect(microphone.trackId == nil)
      #expect(ada.me?.tracks.isEmpty == true)
      // The lock stayed with the seat, and the track can be published again.
      #expect(try await code { _ = try await ada.seats.take(2) } == .seatLocked)
      #expect(try await ada.seats.take(publishing: [microphone]) == 1)
      #expect(microphone.trackId != nil)
      try await ada.seats.leave()
      _ = try await seat(host, his, .left)
      try await eventually("her tracks ended") { microphone.trackId == nil }
      await ada.leave()
      await host.leave()
    }
  }

  @Test("a layout change removes all but the host from the seats, and carries each seat's frame") func changesLayout()
    async throws
  {
    try await onStage { stage in
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada")
      let hers = ada.events()
      let microphone = LocalAudioTrack()
      try await ada.seats.take(1, publishing: [microphone])
      try await host.seats.setLayout(.gridNine)
      let changed = try await ada.first("layoutChanged", in: hers) { event in
        if case .layoutChanged(let data) = event { data } else { nil }
      }
      #expect(changed.off == ["ada"])
      #expect(changed.layout.frames.count == 9)
      #expect(ada.seats.layout.type == .gridNine)
      #expect(ada.seats.all.map(\.userId) == ["hal"] + Array(repeating: nil, count: 8))
      try await eventually("her tracks ended") { microphone.trackId == nil }
      #expect(try await code { try await host.seats.setLayout(.gridNine) } == .sameLayout)
      try await host.seats.setLayout(
        .custom, canvas: CanvasSize(width: 640, height: 360),
        frames: [SeatFrame(x: 0, y: 0, width: 1, height: 1), SeatFrame(x: 0.7, y: 0.7, width: 0.3, height: 0.3, zIndex: 1)])
      #expect(host.seats.layout.canvas.width == 640)
      try await ada.seats.take(1, publishing: [microphone])
      await ada.leave()
      try await eventually("the seat is free") { host.seats["ada"] == nil }
      await host.leave()
    }
  }

  @Test("a listener requests a seat, publishes on it, and may no longer publish after leaving it") func asks() async throws {
    try await onStage { stage in
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada", grants: [.subscribe])
      let (his, hers) = (host.events(), ada.events())
      let microphone = LocalAudioTrack()
      #expect(try await code { try await ada.publish([microphone]) } == .noPermission)
      #expect(microphone.trackId == nil)
      try await ada.seats.request(1)
      let request = try await host.first("seatRequested", in: his) { event in
        if case .seatRequested(let request) = event { request } else { nil }
      }
      #expect((request.userId, request.index) == ("ada", 1))
      #expect(host.seats.requests.map(\.userId) == ["ada"])
      #expect(try await host.seats.listRequests() == host.seats.requests)
      #expect(try await host.seats.accept("ada") == 1)
      #expect(try await ended(ada, hers, .accepted) == "ada")
      #expect(try await seat(ada, hers, .requested).seat.userId == "ada")
      #expect(ada.seats.requests.isEmpty)
      try await ada.publish([microphone])
      try await ada.seats.leave()
      try await eventually("her tracks ended") { microphone.trackId == nil }
      #expect(try await code { try await ada.publish([microphone]) } == .noPermission)
      // A rejected and a cancelled request.
      try await ada.seats.request()
      try await host.first("seatRequested", in: his) { if case .seatRequested = $0 { () } else { nil } }
      try await host.seats.reject("ada")
      #expect(try await ended(ada, hers, .rejected) == "ada")
      try await ada.seats.request()
      try await ada.seats.cancelRequest()
      #expect(try await ended(ada, hers, .cancelled) == "ada")
      await ada.leave()
      await host.leave()
    }
  }

  @Test("a host invites a listener to a seat, who accepts, rejects or does not answer") func invites() async throws {
    try await onStage({ $0.rooms.rules.invitationTime = 1500 }) { stage in
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada", grants: [.subscribe])
      let hers = ada.events()
      func invited() async throws -> SeatInvitation {
        try await ada.first("seatInvited", in: hers) { event in
          if case .seatInvited(let invitation) = event { invitation } else { nil }
        }
      }
      try await host.seats.invite("ada", to: 1)
      let invitation = try await invited()
      #expect((invitation.userId, invitation.index, invitation.by) == ("ada", 1, "hal"))
      #expect(ada.seats.invitations == [invitation])
      let microphone = LocalAudioTrack()
      #expect(try await ada.seats.acceptInvitation(publishing: [microphone]) == 1)
      #expect(try await seat(ada, hers, .invited).by == "hal")
      #expect(microphone.trackId != nil)
      try await ada.seats.leave()
      try await host.seats.invite("ada")
      _ = try await invited()
      try await ada.seats.rejectInvitation()
      #expect(try await ended(ada, hers, .rejected) == "ada")
      try await host.seats.invite("ada")
      _ = try await invited()
      try await host.seats.cancelInvitation(of: "ada")
      #expect(try await ended(ada, hers, .cancelled) == "ada")
      try await host.seats.invite("ada")
      _ = try await invited()
      #expect(try await ended(ada, hers, .timedOut) == "ada")
      #expect(try await code { _ = try await ada.seats.acceptInvitation() } == .acceptFailed)
      await ada.leave()
      await host.leave()
    }
  }

  @Test("a user who can't publish on its new seat loses it") func leavesSeat() async throws {
    try await onStage { stage in
      let host = try await stage.host("hal")
      let ada = try await stage.join("ada")
      let microphone = LocalAudioTrack()
      try await ada.publish([microphone])
      await #expect(throws: RoomClientError.trackInUse) { _ = try await ada.seats.take(1, publishing: [microphone]) }
      try await eventually("the seat is free") { host.seats["ada"] == nil && ada.seats.mine == nil }
      await ada.leave()
      await host.leave()
    }
  }
}
