import RoomRTP
import Testing
import RoomWebRTC

@testable import RoomSFU

/// One video track with packets of these lengths in its ring and in the pending list.
private final class Waiting {
  var pending = PendingPackets()
  var tracks = SlotTable<TrackSlot>(capacity: 2)
  let ring: PacketRing
  let reception = ReceptionState(clockRate: 90_000, isVideo: true)
  let slot: UnsafeMutablePointer<TrackSlot>

  init() throws {
    let ring = try #require(PacketRing(capacity: 64))
    self.ring = ring
    let index = tracks.insert(
      TrackSlot(
        id: MediaTrackID(1), room: 0, transport: 0, isVideo: true, clockRate: 90_000, ring: ring,
        reception: Unmanaged.passUnretained(reception)))
    slot = tracks[try #require(index)]
  }

  deinit { ring.free() }

  private var sequence: Int64 = 100

  func add(_ length: Int, marker: Bool = false, at milliseconds: Double = 0) {
    sequence += 1
    ring.place(sequence).pointee = StoredPacket(
      sequence: sequence, timestamp: 0, length: UInt16(length), codec: 0, flags: marker ? .marker : [], audioLevel: 0)
    let payload = PacketRing.payload(ring.place(sequence))
    for index in 0..<length { payload.storeBytes(of: 0xAB, toByteOffset: index, as: UInt8.self) }
    let now = Instant(microseconds: Int64(milliseconds * 1000))
    pending.append(sequence, track: 0, slot, endsFrame: marker, now: now)
  }

  /// Returns whether the track's packets are ready at this time, and removes them if so.
  func isReady(at milliseconds: Double, all: Bool = false) -> Bool {
    pending.takeReady(Instant(microseconds: Int64(milliseconds * 1000)), all: all, of: tracks)
    guard pending.readyCount == 1 else { return false }
    slot.pointee.firstPending = -1
    pending.removeReady()
    return true
  }

  /// Returns the padding of each packet.
  func paddings() -> [Int] {
    pending.equalise(slot.pointee.firstPending, in: ring)
    var result: [Int] = []
    var entry = slot.pointee.firstPending
    while entry >= 0 {
      result.append(pending.padding(entry))
      entry = pending.next(entry)
    }
    return result
  }
}

@Suite("pending packets")
struct PendingPacketsTests {
  @Test("a frame's packets wait for its last, but no longer than a millisecond")
  func waiting() throws {
    let waiting = try Waiting()
    waiting.add(100, at: 0)
    #expect(!waiting.isReady(at: 0.2))
    #expect(waiting.pending.deadline == Instant(microseconds: 1000))
    waiting.add(100, at: 0.3)
    #expect(!waiting.isReady(at: 0.9))
    waiting.add(100, marker: true, at: 0.95)
    #expect(waiting.isReady(at: 0.95))
    #expect(waiting.pending.deadline == nil)

    waiting.add(100, at: 5)
    waiting.add(100, at: 5.9)
    #expect(!waiting.isReady(at: 5.99))
    #expect(waiting.isReady(at: 6), "counted from the first of them")
    waiting.add(100, at: 7)
    #expect(waiting.isReady(at: 7, all: true))
  }

  @Test("packets that fill a message do not wait for the frame's end")
  func fullMessage() throws {
    let waiting = try Waiting()
    for _ in 0..<7 { waiting.add(100) }
    #expect(!waiting.isReady(at: 0))
    waiting.add(100)
    #expect(waiting.isReady(at: 0))
  }

  @Test(
    "padding makes neighbours equally long if they differ by a few bytes, and only then",
    arguments: [
      // The last packet of a message may be shorter.
      ([900, 900, 900], [0, 0, 0]), ([900, 900, 400], [0, 0, 0]), ([899, 900, 900], [1, 0, 0]), ([880, 900, 895], [20, 0, 0]),
      ([868, 900], [32, 0]), ([867, 900], [0, 0]), ([900, 870, 890, 300], [0, 30, 10, 0]),
      // A short packet in the middle ends a message; the next message begins after it.
      ([900, 400, 899, 900], [0, 0, 1, 0]),
      // Nine packets form a message of eight and one of one.
      ([890, 900, 900, 900, 900, 900, 900, 895, 893], [10, 0, 0, 0, 0, 0, 0, 0, 0]),
      ([900, 0], [0, 0]), ([0, 20, 5], [20, 0, 0]),
    ])
  func padding(lengths: [Int], expected: [Int]) throws {
    let waiting = try Waiting()
    for length in lengths { waiting.add(length) }
    #expect(waiting.paddings() == expected)
  }

  @Test("padding does not cross the end of a frame")
  func frames() throws {
    let waiting = try Waiting()
    for (length, marker) in [(890, false), (880, true), (900, false), (899, false), (890, true)] {
      waiting.add(length, marker: marker)
    }
    #expect(waiting.paddings() == [0, 0, 0, 1, 0])
  }

  @Test("padding follows the payload, counts itself, and leaves payload and length unchanged")
  func bytes() throws {
    let waiting = try Waiting()
    let longest = PacketRing.payloadLimit
    waiting.add(longest - 32)
    waiting.add(longest)
    #expect(waiting.paddings() == [32, 0])
    let first = try #require(waiting.ring[101])
    #expect(Int(first.pointee.length) == longest - 32)
    let payload = UnsafeRawBufferPointer(start: PacketRing.payload(first), count: longest)
    #expect(payload[..<(longest - 32)].allSatisfy { $0 == 0xAB })
    #expect(payload[(longest - 32)..<(longest - 1)].allSatisfy { $0 == 0 })
    #expect(payload.last == 32)
    let second = try #require(waiting.ring[102])
    #expect(second.pointee.sequence == 102, "the next slot is unchanged")
  }

  @Test("a packet that was overwritten in the ring is skipped")
  func gone() throws {
    let waiting = try Waiting()
    waiting.add(880)
    waiting.add(10)
    waiting.add(900)
    waiting.ring.place(102).pointee.sequence = 166
    #expect(waiting.paddings() == [20, 0, 0])
  }
}
