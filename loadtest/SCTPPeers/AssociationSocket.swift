import Glibc
import RoomLinkModel
import RoomRTP
import RoomWebRTC

/// Data channels over raw SCTP packets on a UDP socket of 127.0.0.1, without DTLS, and optionally over a bad link.
final class AssociationSocket {
  struct Failure: Error {
    var step: String
    var code: CInt
  }

  let channels: DataChannels
  private let end: LoopbackEnd
  private var links: (out: LinkModel, back: LinkModel)?
  /// Packets that the links delay; false: for the other side.
  private var delayed: [(due: Instant, isIncoming: Bool, packet: [UInt8])] = []
  private var buffer = [UInt8](repeating: 0, count: 4096)
  private var descriptor: CInt { end.descriptor }

  /// - Parameter conditions: those of both directions; nil for a perfect link.
  init(local: UInt16, remote: UInt16, role: DTLSRole, conditions: LinkConditions? = nil, seed: UInt64 = 1) throws {
    channels = DataChannels(role: role, remote: DataParameters())
    links = conditions.map { (LinkModel($0, seed: seed), LinkModel($0, seed: seed &+ 1)) }
    end = try LoopbackEnd(local: local, remote: remote)
  }

  static var now: Instant {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Instant(microseconds: Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1000)
  }

  /// Waits for packets or time until `limit` at the latest, processes them, and passes on the events.
  func step(until limit: Instant, _ handle: (DataChannelEvent) -> Void) {
    drain(handle)
    let due = [channels.deadline, delayed.map(\.due).min()].lazy.compactMap { $0 }.min() ?? limit
    let wait = max(0, min(due, limit) - Self.now)
    var descriptors = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    if poll(&descriptors, 1, CInt((wait + 999) / 1000)) > 0 {
      for _ in 0..<256 {
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        if links == nil {
          buffer.withUnsafeBytes { channels.receive(UnsafeRawBufferPointer(rebasing: $0[..<count]), now: Self.now) }
          drain(handle)
        } else if let fate = links?.back.send(bytes: count, at: Self.now) {
          delay(Array(buffer[..<count]), isIncoming: true, fate)
        }
      }
    }
    let now = Self.now
    let ready = delayed.filter { $0.due <= now }.sorted { $0.due < $1.due }
    delayed.removeAll { $0.due <= now }
    for item in ready {
      if item.isIncoming {
        item.packet.withUnsafeBytes { channels.receive($0, now: now) }
        drain(handle)
      } else {
        _ = send(descriptor, item.packet, item.packet.count, 0)
      }
    }
    channels.advance(to: now)
    drain(handle)
  }

  private func drain(_ handle: (DataChannelEvent) -> Void) {
    let now = Self.now
    while true {
      while let event = channels.nextEvent() { handle(event) }
      guard let packet = channels.nextPacket(now: now) else { return }
      if let fate = links?.out.send(bytes: packet.count, at: now) {
        delay(packet, isIncoming: false, fate)
      } else {
        _ = send(descriptor, packet, packet.count, 0)
      }
    }
  }

  private func delay(_ packet: [UInt8], isIncoming: Bool, _ fate: LinkModel.Fate) {
    switch fate {
    case .arrives(let time): delayed.append((time, isIncoming, packet))
    case .arrivesTwice(let time, let again):
      delayed.append((time, isIncoming, packet))
      delayed.append((again, isIncoming, packet))
    case .lost, .overflowed: break
    }
  }
}
