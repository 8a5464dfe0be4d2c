import RoomRTP
import Testing

@testable import RoomWebRTC

@Suite("Data channels")
struct DataChannelTests {
  @Test("channels of both sides open with their properties, and carry text, bytes and nothing")
  func open() throws {
    let pair = ChannelPair()
    let chat = DataChannel(label: "聊天", subprotocol: "json")
    let lossy = DataChannel(label: "_lossy", isOrdered: false, reliability: .retransmissions(0))
    let timed = DataChannel(label: "", reliability: .lifetime(milliseconds: 500))
    #expect(try pair.client.open(chat) == DataChannelID(0))
    #expect(try pair.client.open(timed) == DataChannelID(2))
    #expect(try pair.server.open(lossy) == DataChannelID(1))
    pair.client.start(now: pair.now)
    #expect(pair.run { pair.clientEvents.opened.count == 3 && pair.serverEvents.opened.count == 3 })
    for events in pair.events {
      #expect(events.contains(.opened(DataChannelID(0), chat)))
      #expect(events.contains(.opened(DataChannelID(1), lossy)))
      #expect(events.contains(.opened(DataChannelID(2), timed)))
    }
    let messages = [
      DataChannelMessage("hello"), DataChannelMessage(""), DataChannelMessage([1, 2, 3]), DataChannelMessage([UInt8]()),
      DataChannelMessage([UInt8](repeating: 7, count: 100_000)),
    ]
    for message in messages {
      try pair.client.send(message, on: DataChannelID(0), now: pair.now)
      try pair.server.send(message, on: DataChannelID(0), now: pair.now)
    }
    #expect(
      pair.run {
        pair.clientEvents.messages(on: DataChannelID(0)) == messages
          && pair.serverEvents.messages(on: DataChannelID(0)) == messages
      })
  }

  @Test("a message sent right after the opening arrives behind it, also on an unordered channel")
  func early() throws {
    for loss in [0, 0.3] {
      let pair = ChannelPair(loss: loss)
      pair.client.start(now: pair.now)
      pair.run { pair.client.isConnected && pair.server.isConnected }
      let id = try pair.client.open(DataChannel(label: "a", isOrdered: false))
      for number in 0..<20 as Range<UInt8> { try pair.client.send(DataChannelMessage([number]), on: id, now: pair.now) }
      #expect(pair.run { pair.serverEvents.messages(on: id).count == 20 })
      #expect(pair.serverEvents.opened == [id])
    }
  }

  @Test("a channel closes after its messages, on both sides, and its number opens again")
  func close() throws {
    let pair = ChannelPair(loss: 0.1)
    pair.client.start(now: pair.now)
    for round in 1...3 {
      let id = try pair.client.open(DataChannel(label: "round \(round)"))
      #expect(id == DataChannelID(0))
      pair.run { pair.clientEvents.opened.count == round }
      try pair.client.send(DataChannelMessage([UInt8](repeating: 1, count: 30_000)), on: id, now: pair.now)
      if round == 2 {
        pair.run { pair.serverEvents.messages(on: id).count == round }
        pair.server.close(id)
      } else {
        pair.client.close(id)
        #expect(throws: DataChannelError.notOpen) { try pair.client.send(DataChannelMessage("late"), on: id, now: pair.now) }
      }
      #expect(pair.run { pair.events.allSatisfy { $0.filter { $0 == .closed(id) }.count == round } })
      #expect(pair.serverEvents.messages(on: id).count == round, "the message came first")
    }
  }

  @Test("both sides may agree on a channel without opening it")
  func negotiated() throws {
    let pair = ChannelPair()
    let channel = DataChannel(label: "agreed")
    #expect(try pair.client.open(channel, negotiated: DataChannelID(7)) == DataChannelID(7))
    #expect(try pair.server.open(channel, negotiated: DataChannelID(7)) == DataChannelID(7))
    #expect(throws: DataChannelError.number) { try pair.server.open(channel, negotiated: DataChannelID(7)) }
    pair.client.start(now: pair.now)
    #expect(pair.run { pair.clientEvents.opened == [DataChannelID(7)] && pair.serverEvents.opened == [DataChannelID(7)] })
    try pair.server.send(DataChannelMessage("x"), on: DataChannelID(7), now: pair.now)
    #expect(pair.run { pair.clientEvents.messages(on: DataChannelID(7)) == [DataChannelMessage("x")] })
    #expect(throws: DataChannelError.number) { try pair.server.open(channel, negotiated: DataChannelID(1024)) }
  }

  @Test("labels, messages and the number of channels are limited; what is too many is closed")
  func limits() throws {
    var limits = DataChannels.Limits()
    limits.channels = 2
    let pair = ChannelPair(clientRemote: DataParameters(maximumMessage: 1000), limits: limits)
    pair.client.start(now: pair.now)
    let long = String(repeating: "x", count: 1025)
    #expect(throws: DataChannelError.labelTooLong(limit: 1024)) { try pair.client.open(DataChannel(label: long)) }
    for label in ["a", "b", "c"] { _ = try pair.client.open(DataChannel(label: label)) }
    #expect(pair.run { pair.clientEvents.contains(.closed(DataChannelID(4))) })
    #expect(pair.serverEvents.opened == [DataChannelID(0), DataChannelID(2)])
    #expect(throws: DataChannelError.tooManyChannels) { try pair.server.open(DataChannel(label: "d")) }
    #expect(throws: DataChannelError.messageTooLong(limit: 1000)) {
      try pair.client.send(DataChannelMessage([UInt8](repeating: 0, count: 1001)), on: DataChannelID(0), now: pair.now)
    }
    #expect(throws: DataChannelError.notOpen) {
      try pair.client.send(DataChannelMessage("x"), on: DataChannelID(8), now: pair.now)
    }
  }

  @Test("the end of the association ends all channels")
  func ended() throws {
    let pair = ChannelPair()
    pair.client.start(now: pair.now)
    let id = try pair.client.open(DataChannel(label: "a"))
    pair.run { pair.serverEvents.opened == [id] }
    pair.client.shutdown(now: pair.now)
    #expect(pair.run { pair.clientEvents.last == .ended(.shutdown) && pair.serverEvents.last == .ended(.shutdown) })
    #expect(throws: DataChannelError.unavailable) { try pair.client.open(DataChannel(label: "b")) }
  }

  @Test("a malformed opening closes its stream")
  func malformed() {
    #expect(ChannelProtocol.parse([]) == nil)
    #expect(ChannelProtocol.parse([2]) == .acknowledge)
    let bytes = ChannelProtocol.bytes(of: .open(DataChannel(label: "ab", subprotocol: "c")))
    #expect(ChannelProtocol.parse(bytes) == .open(DataChannel(label: "ab", subprotocol: "c")))
    for length in 0..<bytes.count { #expect(ChannelProtocol.parse(Array(bytes[..<length])) == nil) }
    var unknown = bytes
    unknown[1] = 3
    #expect(ChannelProtocol.parse(unknown) == nil)
  }
}
