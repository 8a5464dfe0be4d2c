import RoomRTP
import RoomTestSupport
import Testing
import RoomWebRTC

@testable import RoomSFU

@Suite("tables")
struct TableTests {
  @Test("a probing table agrees with a dictionary over many changes", arguments: 1...10 as ClosedRange<UInt64>)
  func probing(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    var table = ProbingTable<StreamKey>(limit: 40)
    var model: [SSRC: Int] = [:]
    for _ in 0..<5000 {
      let ssrc = SSRC(.random(in: 0..<60, using: &generator))
      let key = StreamKey(transport: 3, ssrc: ssrc)
      if Bool.random(using: &generator) {
        let value = Int.random(in: 0..<1000, using: &generator)
        let fits = model[ssrc] != nil || model.count < 40
        let taken = table.set(key, value)
        #expect(taken == fits)
        if fits { model[ssrc] = value }
      } else {
        table.remove(key)
        model[ssrc] = nil
      }
      let count = table.count
      #expect(count == model.count)
      let found = (0..<60 as Range<UInt32>).map { table[StreamKey(transport: 3, ssrc: SSRC($0))] }
      #expect(found == (0..<60 as Range<UInt32>).map { model[SSRC($0)] ?? -1 })
      let foreign = table[StreamKey(transport: 4, ssrc: ssrc)]
      #expect(foreign == -1)
    }
  }

  @Test("a slot table refuses slots beyond its capacity and reuses freed slots")
  func slots() {
    var table = SlotTable<Int>(capacity: 3)
    let inserted = [10, 20, 30, 40].map { table.insert($0) }
    #expect(inserted == [0, 1, 2, nil])
    let second = table[1].pointee
    #expect(second == 20)
    table.remove(0)
    table.remove(0)
    let wasLive = table.isLive(0)
    #expect(!wasLive)
    let count = table.count
    #expect(count == 2)
    let again = table.insert(50)
    #expect(again == 0)
    let first = table[0].pointee
    #expect(first == 50)
  }

  @Test("a ring keeps the last packets and drops older ones")
  func ring() throws {
    let ring = try #require(PacketRing(capacity: 4))
    defer { ring.free() }
    #expect(ring[0] == nil || ring[0]?.pointee.length == 0)
    for sequence in 100..<110 as Range<Int64> {
      ring.place(sequence).pointee = StoredPacket(
        sequence: sequence, timestamp: 0, length: 1, codec: 0, flags: [], audioLevel: 0)
    }
    #expect(ring[105] == nil)
    #expect(ring[106]?.pointee.sequence == 106)
    #expect(ring[109]?.pointee.sequence == 109)
    #expect(ring[110] == nil)
    #expect(MemoryLayout<StoredPacket>.size + 2 <= PacketRing.payloadOffset, "two bytes are reserved before the payload")
  }

  @Test("the oldest of too many transport addresses is removed")
  func addresses() throws {
    let certificate = try Certificate()
    let peer = try Peer(.init(ice: .lite, role: .server, certificate: certificate, credentials: .random()))
    var slot = TransportSlot(id: TransportID(1), room: 0, peer: peer, localSSRC: 1, now: .init(microseconds: 0))
    let keys = (1...5).map { AddressKey(TransportAddress(ipv4: 1, port: $0)) }
    for key in keys[..<4] { #expect(slot.add(key) == nil) }
    #expect(slot.add(keys[4]) == keys[0])
    slot.forget(keys[2])
    var left: [AddressKey] = []
    while let key = slot.popAddress() { left.append(key) }
    #expect(left == [keys[4], keys[3], keys[1]])
  }
}
