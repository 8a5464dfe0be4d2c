import RoomProtocol
import Testing

@testable import RoomClient

@Suite("The event streams of a room")
struct EventStreamTests {
  private static let job = JobInfo(jobId: "live", kind: .forward, state: .connected)
  private static let message = RoomMessage(seq: 1, userId: "bob", kind: .text, text: "hi", at: 1)
  private static let attributes = AttributesChangedData(set: ["title": "quiz"], removed: [], by: "bob")
  private static let seat = SeatChangedData(seat: SeatInfo(index: 1, userId: "bob"), cause: .taken, userId: "bob", by: "bob")

  private static func room(backlog: Int = 16) throws -> (Room, RoomStateStore) {
    let options = RoomOptions(eventBacklog: backlog)
    let session = try RoomSession(JoinRequest(url: "ws://localhost/v1/signal", token: "t", options: options))
    return (Room(session: session), session.store)
  }

  private static func all<Event>(_ stream: AsyncStream<Event>) async -> [Event] {
    var events: [Event] = []
    for await event in stream { events.append(event) }
    return events
  }

  @Test("each part has its own events only, from the join on at the first call") func parts() async throws {
    let (room, store) = try Self.room()
    let sent: [RoomEvent] = [
      .joined(ParticipantInfo(userId: "bob", grants: [], joinedAt: 1)), .seatChanged(Self.seat), .message(Self.message),
      .attributesChanged(Self.attributes), .jobChanged(Self.job),
      .pkEnded(PKEndedData(pkId: "pk", reason: .quit, room: "b", by: "bob", score: 0, peerScore: 0)),
      .jobEnded(jobId: "live", reason: .stopped, failure: nil),
    ]
    for event in sent { store.say(event) }
    let (seats, pk, messages) = (room.seats.events(), room.pk.events(), room.messages.events())
    let (attributes, jobs, everything) = (room.attributes.events(), room.jobs.events(), room.events())
    store.finish()
    #expect(await Self.all(everything).count == sent.count)
    let seatEvents = await Self.all(seats)
    guard case .changed(let seat)? = seatEvents.first, seatEvents.count == 1 else { throw Unexpected("\(seatEvents)") }
    #expect(seat.seat.userId == "bob")
    let pkEvents = await Self.all(pk)
    guard case .ended(let end)? = pkEvents.first, pkEvents.count == 1 else { throw Unexpected("\(pkEvents)") }
    #expect(end.pkId == "pk")
    #expect(await Self.all(messages).map(\.text) == ["hi"])
    let attributeEvents = await Self.all(attributes)
    guard case .changed(let change)? = attributeEvents.first else { throw Unexpected("\(attributeEvents)") }
    #expect(change.set == ["title": "quiz"])
    let jobEvents = await Self.all(jobs)
    guard case .changed(let job)? = jobEvents.first, case .ended("live", .stopped, nil)? = jobEvents.last else {
      throw Unexpected("\(jobEvents)")
    }
    #expect(job == Self.job && jobEvents.count == 2)
  }

  @Test("a second call has the events from then on") func secondCall() async throws {
    let (room, store) = try Self.room()
    store.say(.jobChanged(Self.job))
    let (first, second) = (room.jobs.events(), room.jobs.events())
    store.say(.jobEnded(jobId: "live", reason: .stopped, failure: nil))
    store.finish()
    #expect(await Self.all(first).count == 2)
    #expect(await Self.all(second).count == 1)
  }

  @Test("other events do not displace those of a part") func ownBacklog() async throws {
    let (room, store) = try Self.room(backlog: 4)
    store.say(.attributesChanged(Self.attributes))
    for _ in 0..<100 { store.say(.message(Self.message)) }
    store.finish()
    #expect(await Self.all(room.attributes.events()).count == 1)
    #expect(await Self.all(room.messages.events()).count == 4)
    #expect(await Self.all(room.events()).count == 4)
  }

  @Test("a part reports that the current state must be read again") func refreshes() async throws {
    let (room, store) = try Self.room()
    store.say(.stateChanged(.reconnecting(attempt: 1)))
    store.say(.stateChanged(.connected))
    store.say(.refreshed(RoomSnapshot(name: "hall", createdAt: 1, seq: 3, seats: [])))
    store.finish()
    #expect(await Self.all(room.seats.events()).count == 1)
    #expect(await Self.all(room.pk.events()).count == 1)
    #expect(await Self.all(room.attributes.events()).count == 1)
    #expect(await Self.all(room.jobs.events()).count == 1)
  }

  private struct Unexpected: Error {
    let what: String
    init(_ what: String) { self.what = what }
  }
}
