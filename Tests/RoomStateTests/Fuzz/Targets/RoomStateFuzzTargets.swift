import Foundation
import RoomFuzzSupport
import RoomProtocol

@testable import RoomState

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let roomStateFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = ["pk": fuzzPK]

/// Passes messages of another server, one in each line, to a room that has invited two others to a PK, as its owner does. The room can be
/// stored afterwards, and continues.
@Sendable private func fuzzPK(_ bytes: UnsafeRawBufferPointer) {
  var rules = RoomRules()
  rules.pkRooms = 4
  var room = RoomState(name: "a", createdAt: 1_700_000_000_000, rules: rules)
  try? room.join("host", grants: [.admin, .publish, .subscribe])
  var params = PKInviteParams(room: "b")
  params.others = [PKInvitee(room: "c")]
  _ = try? room.invitePK(params, id: "battle", by: .user("host"))
  for line in bytes.split(separator: UInt8(ascii: "\n")).prefix(64) {
    guard let message = try? JSONDecoder().decode(PKMessage.self, from: Data(line)), message.isInRange else { continue }
    room.receive(message)
    room.advance(to: room.clock + 500)
  }
  _ = room.takeOutputs()
  _ = room.snapshot(for: nil)
  guard let stored = try? JSONEncoder().encode(room),
    var restored = try? JSONDecoder().decode(RoomState.self, from: stored)
  else { preconditionFailure("the room can't be stored") }
  precondition(restored == room)
  restored.advance(to: room.clock + 3_600_000)
}
