import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("Data channels through a forwarder")
struct DataTests {
  private static let room = VirtualNetwork.room
  private static let reliable = DataChannel(label: "r")
  private static let lossy = DataChannel(label: "l", isOrdered: false, reliability: .retransmissions(0))

  /// Clients with data channels: those that they open, and those that the forwarder opens.
  private func clients(_ count: UInt32, limits: MediaLimits = MediaLimits()) throws -> (VirtualNetwork, [VirtualClient]) {
    let network = try VirtualNetwork(limits: limits)
    let clients = try network.connectedClients(count)
    for client in clients { try enable(client, on: network) }
    network.run(milliseconds: 300)
    for client in clients { #expect(client.channelEvents.count { if case .opened = $0 { true } else { false } } == 3) }
    return (network, clients)
  }

  private func enable(_ client: VirtualClient, on network: VirtualNetwork) throws {
    client.peer.enableChannels(DataParameters(), now: network.now)
    let id = try client.peer.openChannel(Self.reliable, now: network.now)
    #expect(id == Self.own)
    network.order(
      .enableData(client.id, DataParameters(), sendingOn: OutgoingChannels([Self.reliable, Self.lossy])))
  }

  /// The channel that a client opens first: its DTLS role is client.
  private static let own = DataChannelID(0)

  private func message(_ bytes: Int, isReliable: Bool = true) -> DataMessage {
    DataMessage(isReliable: isReliable, payload: [UInt8](repeating: 7, count: bytes))
  }

  private func arrived(_ client: VirtualClient) -> [DataChannelMessage] {
    client.channelEvents.compactMap { if case .message(_, let message) = $0 { message } else { nil } }
  }

  private func reported(_ network: VirtualNetwork) -> [DataMessage] {
    network.events.compactMap { if case .messageReceived(_, let message) = $0.event { message } else { nil } }
  }

  @Test("a client's message is an event, and one for clients reaches those that have channels") func passes() throws {
    let (network, people) = try clients(2)
    try people[0].peer.send(DataChannelMessage("hello"), on: Self.own, now: network.now)
    network.run(milliseconds: 50)
    let received = try #require(reported(network).first)
    #expect(received.label == "r" && received.isReliable && received.isText && received.payload == Array("hello".utf8))
    let other = try network.client(3)
    network.run(milliseconds: 300)
    for isReliable in [true, false] {
      var message = received
      message.isReliable = isReliable
      network.order(.sendData(Self.room, message, to: [people[1].id, other.id, TransportID(9)]))
    }
    network.run(milliseconds: 50)
    #expect(arrived(people[1]) == [DataChannelMessage("hello"), DataChannelMessage("hello")])
    #expect(arrived(people[0]).isEmpty && other.channelEvents.isEmpty)
    #expect(network.counters.dataReceived == 1 && network.counters.dataSent == 2 && network.counters.dataDropped == 0)
  }

  @Test("a client that opens all channels receives on its own, by their labels") func ownChannels() throws {
    let network = try VirtualNetwork()
    let person = try #require(try network.connectedClients(1).first)
    person.peer.enableChannels(DataParameters(), now: network.now)
    var ids: [DataChannelID] = []
    for channel in [DataChannel(label: "other"), Self.lossy, Self.reliable] {
      ids.append(try person.peer.openChannel(channel, now: network.now))
    }
    let channels = OutgoingChannels([Self.reliable, Self.lossy], areOpenedByClient: true)
    network.order(.enableData(person.id, DataParameters(), sendingOn: channels))
    // Before they are open, reliable messages wait.
    network.order(.sendData(Self.room, message(1), to: [person.id]))
    network.run(milliseconds: 300)
    network.order(.sendData(Self.room, message(2, isReliable: false), to: [person.id]))
    network.run(milliseconds: 50)
    let arrived = person.channelEvents.compactMap { event -> String? in
      if case .message(let id, let message) = event {
        "\(message.payload.count) on \(ids.firstIndex(of: id) ?? -1)"
      } else {
        nil
      }
    }
    #expect(arrived == ["1 on 2", "2 on 1"])
    #expect(person.channelEvents.count { if case .opened = $0 { true } else { false } } == 3, "the forwarder opens none")
  }

  @Test("a sender whose messages nobody has taken is held back, and all arrive once they are") func allowance() throws {
    var limits = MediaLimits()
    limits.dataInTransit = 200_000
    let (network, people) = try clients(1, limits: limits)
    let count = 30
    for _ in 0..<count {
      try people[0].peer.send(DataChannelMessage([UInt8](repeating: 1, count: 60_000)), on: Self.own, now: network.now)
    }
    network.run(milliseconds: 3000)
    #expect(reported(network).count == 4 && network.counters.dataHeld == 1)
    // The window is closed: no more is stored.
    #expect(people[0].peer.bufferedAmount(of: Self.own) > 400_000)
    var all = 4
    while all < count {
      network.forgetEvents()
      network.run(milliseconds: 3000)
      let more = reported(network).count
      try #require(more > 0)
      all += more
    }
    #expect(all == count)
  }

  @Test("a sender is slowed down to its rate, which counts all receivers") func rate() throws {
    var limits = MediaLimits()
    limits.dataBytesPerSecond = 100_000
    let (network, people) = try clients(3, limits: limits)
    for _ in 0..<40 {
      try people[0].peer.send(DataChannelMessage([UInt8](repeating: 1, count: 904)), on: Self.own, now: network.now)
    }
    func passOn(milliseconds: Int) {
      for _ in 0..<milliseconds / 10 {
        network.run(milliseconds: 10)
        let messages = reported(network)
        network.forgetEvents()
        for message in messages {
          network.order(.sendData(Self.room, message, to: [people[1].id, people[2].id]))
        }
      }
    }
    // Each counts 5000 bytes three times: six at once, and as many each second.
    passOn(milliseconds: 500)
    let first = arrived(people[1]).count
    #expect(first < 25)
    passOn(milliseconds: 6000)
    #expect(arrived(people[1]).count == 40 && arrived(people[2]).count == 40)
    #expect(network.counters.dataHeld > 2)
  }

  @Test("a client that receives nothing loses lossy messages, then fails; others get all") func slow() throws {
    var limits = MediaLimits()
    limits.dataPatience = 3_000_000
    let (network, people) = try clients(2, limits: limits)
    network.loses = { client, _ in client === people[1] }
    for _ in 0..<60 { network.order(.sendData(Self.room, message(10_000), to: people.map(\.id))) }
    for _ in 0..<60 { network.order(.sendData(Self.room, message(5000, isReliable: false), to: people.map(\.id))) }
    network.run(milliseconds: 2000)
    #expect(arrived(people[0]).count { $0.payload.count == 10_000 } == 60)
    #expect(network.counters.dataDropped > 20)
    #expect(!network.happened(.transportFailed(people[1].id, .slow)))
    network.run(milliseconds: 2000)
    #expect(network.happened(.transportFailed(people[1].id, .slow)) && network.counters.dataSlow == 1)
    network.order(.sendData(Self.room, message(10), to: people.map(\.id)))
    network.run(milliseconds: 1000)
    #expect(arrived(people[0]).last?.payload.count == 10 && network.counters.dataSlow == 1)
  }

  @Test("too much that waits for a client fails it at once") func full() throws {
    var limits = MediaLimits()
    limits.dataWaiting = 100_000
    let (network, people) = try clients(1, limits: limits)
    network.loses = { _, _ in true }
    for _ in 0..<60 { network.order(.sendData(Self.room, message(10_000), to: [people[0].id])) }
    #expect(network.happened(.transportFailed(people[0].id, .slow)))
  }

  @Test("reliable messages wait until the channel is open, and hold back nobody meanwhile") func early() throws {
    var limits = MediaLimits()
    limits.dataBeforeOpen = 131_072
    let network = try VirtualNetwork(limits: limits)
    let person = try network.client(1)
    network.order(
      .enableData(person.id, DataParameters(), sendingOn: OutgoingChannels([Self.reliable, Self.lossy])))
    network.order(.sendData(Self.room, message(3), to: [person.id]))
    network.order(.sendData(Self.room, message(4, isReliable: false), to: [person.id]))
    for _ in 0..<40 { network.order(.sendData(Self.room, message(1), to: [person.id])) }
    network.run(milliseconds: 300)
    person.peer.enableChannels(DataParameters(), now: network.now)
    _ = try person.peer.openChannel(Self.reliable, now: network.now)
    network.run(milliseconds: 500)
    #expect(arrived(person).first?.payload.count == 3 && arrived(person).count < 40)
    #expect(network.counters.dataDropped > 1 && network.counters.dataSlow == 0)
  }

  @Test("a share is given back with the last copy of a message") func share() {
    let allowance = DataAllowance()
    var messages = [DataMessage(isReliable: true, payload: [1], share: DataShare(of: allowance, bytes: 10))]
    messages.append(messages[0])
    #expect(allowance.inUse == 10)
    messages.removeFirst()
    #expect(allowance.inUse == 10)
    messages = []
    #expect(allowance.inUse == 0)
  }
}
