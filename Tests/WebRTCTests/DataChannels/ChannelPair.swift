import RoomLinkModel
import RoomRTP

@testable import RoomWebRTC

/// The data channels of two peers over a link in virtual time.
final class ChannelPair {
  let client: DataChannels
  let server: DataChannels
  private(set) var events: [[DataChannelEvent]] = [[], []]
  private var ends: [DataChannels] { [client, server] }
  private var links: [LinkModel]
  private(set) var now = Instant(microseconds: 1_000_000)
  private var flights: [(arrival: Instant, to: Int, packet: [UInt8])] = []

  init(
    clientRemote: DataParameters = .init(), serverRemote: DataParameters = .init(), limits: DataChannels.Limits = .init(),
    loss: Double = 0
  ) {
    client = DataChannels(role: .client, remote: clientRemote)
    server = DataChannels(role: .server, remote: serverRemote, limits: limits)
    let conditions = LinkConditions(loss: loss, delay: 10_000, reorder: loss)
    links = [LinkModel(conditions, seed: 3), LinkModel(conditions, seed: 4)]
  }

  var clientEvents: [DataChannelEvent] { events[0] }
  var serverEvents: [DataChannelEvent] { events[1] }

  @discardableResult func run(_ limit: Duration = .seconds(30), until condition: () -> Bool = { false }) -> Bool {
    let end = now.advanced(microseconds: limit.microseconds)
    flush()
    while !condition() {
      let next = (ends.compactMap(\.deadline) + flights.map(\.arrival)).min()
      guard let next, next <= end else {
        now = end
        return condition()
      }
      now = max(now, next)
      let due = flights.filter { $0.arrival <= now }.sorted { $0.arrival < $1.arrival }
      flights.removeAll { $0.arrival <= now }
      for flight in due { flight.packet.withUnsafeBytes { ends[flight.to].receive($0, now: now) } }
      for end in ends { end.advance(to: now) }
      flush()
    }
    return true
  }

  private func flush() {
    for (side, end) in ends.enumerated() {
      while true {
        while let event = end.nextEvent() { events[side].append(event) }
        guard let packet = end.nextPacket(now: now) else { break }
        if case .arrives(let time) = links[side].send(bytes: packet.count, at: now) { flights.append((time, 1 - side, packet)) }
      }
    }
  }
}

extension [DataChannelEvent] {
  var opened: [DataChannelID] { compactMap { if case .opened(let id, _) = $0 { id } else { nil } } }
  func messages(on id: DataChannelID) -> [DataChannelMessage] {
    compactMap { if case .message(id, let message) = $0 { message } else { nil } }
  }
}
