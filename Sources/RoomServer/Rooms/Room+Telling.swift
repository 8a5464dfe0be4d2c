import NIOCore
import RoomProtocol

// What a room tells: its participants of what happens, REST of who is there.

extension Room {
  func send(_ event: SignalEvent, to participant: Participant) {
    if let outlet = participant.outlet { send(event, on: outlet) }
  }

  func send(_ event: SignalEvent, on outlet: any SignalOutlet) {
    if let message = written(event) { outlet.send(message) }
  }

  /// Nil, and logged, for an event that can't be written: nobody gets it.
  private func written(_ event: SignalEvent) -> ByteBuffer? {
    do throws(SignalWriter.Unwritable) { return try SignalWriter.event(event) } catch {
      surroundings.counters.count { $0.messagesUnwritable += 1 }
      log.error("an event can't be written", metadata: ["event": "\(event.name)", "reason": "\(error)"])
      return nil
    }
  }

  /// Answers a request. An answer that can't be written is logged, and becomes an error: the client waits for one.
  func answer(_ id: Int, _ result: some Codable & Sendable, on outlet: any SignalOutlet) {
    do throws(SignalWriter.Unwritable) { outlet.send(try SignalWriter.result(result, id: id)) } catch {
      surroundings.counters.count { $0.messagesUnwritable += 1 }
      log.error("an answer can't be written", metadata: ["reason": "\(error)"])
      let told = RoomError(.unknownMessage, "the call is carried out, but its answer can't be written")
      outlet.send(SignalWriter.error(told, id: id))
    }
  }

  /// Tells everybody but one; the event is written once.
  func tell(_ event: SignalEvent, besides one: Participant?, where wanted: (Participant) -> Bool = { _ in true }) {
    var message: ByteBuffer?
    for participant in participants.values where participant !== one && wanted(participant) {
      guard let outlet = participant.outlet else { continue }
      guard let bytes = message ?? written(event) else { return }
      message = bytes
      outlet.send(bytes)
    }
  }

  func tellConnection(of participant: Participant) {
    guard !participant.isHidden else { return }
    tell(
      .connectionChanged(ConnectionData(userId: participant.userId, connected: participant.outlet != nil)), besides: participant
    )
  }

  /// What REST tells of the room.
  var counts: (participants: Int, tracks: Int, viewers: Int) {
    (participants.count, participants.values.reduce(0) { $0 + $1.tracks.count }, viewers.count)
  }

  /// Who came in and is not lost.
  var people: (participants: Int, viewers: Int) {
    (participants.values.count { !$0.isOurs && $0.outlet != nil }, viewers.count)
  }

  /// All participants, hidden ones too, in the order of their joining.
  var roster: [ParticipantInfo] { participants.values.sorted { $0.joinedAt < $1.joinedAt }.map(\.info) }
}
