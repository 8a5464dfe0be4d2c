import Glibc
import RoomLinkModel
import RoomRTP

/// A bad link between two peers on 127.0.0.1: a process of its own, so that its CPU is not that of a peer.
struct PacketLink {
  private struct Packet {
    var due: Instant
    var to: Int
    var bytes: [UInt8]
  }

  /// Packets on the link; later ones are dropped.
  private static let limit = 65_536

  private let sockets: [LoopbackEnd]
  private var models: [LinkModel]
  /// In the order of arrival.
  private var packets: [Packet] = []
  private var first = 0

  /// - Parameter ends: the port at which each peer reaches the link, and the peer's own.
  init(_ ends: [(local: UInt16, remote: UInt16)], _ conditions: LinkConditions) throws {
    sockets = try ends.map { try LoopbackEnd(local: $0.local, remote: $0.remote) }
    models = ends.indices.map { LinkModel(conditions, seed: UInt64($0) + 1) }
  }

  /// Runs until the process ends.
  mutating func run() -> Never {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let wait = first < packets.count ? max(0, packets[first].due - AssociationSocket.now) : 1_000_000
      var descriptors = sockets.map { pollfd(fd: $0.descriptor, events: Int16(POLLIN), revents: 0) }
      // A microsecond is less than poll measures.
      if wait > 0 { poll(&descriptors, nfds_t(descriptors.count), CInt((wait + 999) / 1000)) }
      for (side, socket) in sockets.enumerated() {
        for _ in 0..<64 {
          let count = recv(socket.descriptor, &buffer, buffer.count, 0)
          guard count > 0 else { break }
          enter(Array(buffer[..<count]), from: side)
        }
      }
      sendArrived()
    }
  }

  private mutating func enter(_ bytes: [UInt8], from side: Int) {
    let arrivals: [Instant]
    switch models[side].send(bytes: bytes.count, at: AssociationSocket.now) {
    case .arrives(let time): arrivals = [time]
    case .arrivesTwice(let time, let again): arrivals = [time, again]
    case .lost, .overflowed: arrivals = []
    }
    for due in arrivals where packets.count - first < Self.limit {
      var index = packets.count
      while index > first, packets[index - 1].due > due { index -= 1 }
      packets.insert(Packet(due: due, to: 1 - side, bytes: bytes), at: index)
    }
  }

  private mutating func sendArrived() {
    let now = AssociationSocket.now
    while first < packets.count, packets[first].due <= now {
      _ = send(sockets[packets[first].to].descriptor, packets[first].bytes, packets[first].bytes.count, 0)
      first += 1
    }
    guard first > 1024, first > packets.count / 2 else { return }
    packets.removeFirst(first)
    first = 0
  }
}
