import RoomLinkModel
import RoomLossyLink

/// The networks of one measurement: this process and the server are near, those behind the link are far.
struct NetworkBed: Sendable {
  let far: NetworkNamespace
  let link: TunLink

  /// The server's address.
  static let address = TunLink.nearText

  /// The process must be in a network of its own.
  init(_ schedule: LinkSchedule, seed: UInt64) throws {
    far = try NetworkNamespace()
    link = try TunLink(schedule, seed: seed, near: .begin(), far: far)
  }
}
