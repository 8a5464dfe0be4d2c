import RoomProtocol

/// The participants of a room as JSON.
///
/// Successive joins are answered with nearly the same list: the unchanged start and end of the last list are copied.
struct WrittenParticipants: Sendable {
  private var participants: [ParticipantInfo] = []
  /// The elements, each followed by a comma.
  private var bytes: [UInt8] = []
  /// The end offset of each element, with its comma, in `bytes`.
  private var ends: [Int] = []

  /// Writes a list. The output does not depend on what is cached.
  mutating func write(_ list: [ParticipantInfo], to output: inout JSONOutput) {
    renew(list)
    output.raw("[")
    output.raw(bytes.dropLast())
    output.raw("]")
  }

  private mutating func renew(_ list: [ParticipantInfo]) {
    let most = min(participants.count, list.count)
    let first = zip(participants, list).prefix { $0 == $1 }.count
    let last = zip(participants.reversed(), list.reversed()).prefix(most - first).prefix { $0 == $1 }.count
    var middle = JSONOutput(JSON.encoder())
    var middleEnds: [Int] = []
    let begin = first > 0 ? ends[first - 1] : 0
    for participant in list[first..<(list.count - last)] {
      participant.write(to: &middle)
      middle.raw(",")
      middleEnds.append(begin + middle.bytes.count)
    }
    let oldEnd = participants.count - last
    let end = oldEnd > 0 ? ends[oldEnd - 1] : 0
    let shift = begin + middle.bytes.count - end
    bytes.replaceSubrange(begin..<end, with: middle.bytes)
    if shift != 0 { for index in oldEnd..<ends.count { ends[index] += shift } }
    ends.replaceSubrange(first..<oldEnd, with: middleEnds)
    participants = list
  }
}
