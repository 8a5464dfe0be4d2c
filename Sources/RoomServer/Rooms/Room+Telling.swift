import NIOCore
import RoomProtocol

// What a room tells: its participants of what happens, REST of who is there.

extension Room {
  func send(_ event: SignalEvent, to participant: Participant) { participant.outlet?.send(SignalWriter.event(event)) }

  /// Tells everybody but one; the event is written once.
  func tell(_ event: SignalEvent, besides one: Participant?, where wanted: (Participant) -> Bool = { _ in true }) {
    var message: ByteBuffer?
    for participant in participants.values where participant !== one && wanted(participant) {
      guard let outlet = participant.outlet else { continue }
      let bytes = message ?? SignalWriter.event(event)
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
