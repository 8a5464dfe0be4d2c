/// The receiving side of transport-wide congestion control (draft-holmer-rmcat-transport-wide-cc-extensions-01): records the
/// arrival time of each packet and writes the feedback. A fixed ring, allocated once; no call allocates.
public struct TransportFeedbackRecorder: ~Copyable {
  /// The number of packets to remember, which is also the maximum in one feedback packet.
  public static let window = 2048
  /// The maximum distance for reporting again: packets that arrive after they were reported lost are reported again up to here.
  static let lookBack: Int64 = 256

  private let arrivals: UnsafeMutablePointer<Int64>
  private let symbols: UnsafeMutablePointer<UInt8>
  private var unwrapper = SequenceUnwrapper()
  private var next: Int64 = 0
  private var feedbackCount: UInt8 = 0

  /// The number of packets that arrived since the last feedback.
  public private(set) var pendingCount = 0

  private static let absent = Int64.min

  /// Creates an empty recorder and allocates its ring.
  public init() {
    arrivals = .allocate(capacity: Self.window)
    arrivals.initialize(repeating: Self.absent, count: Self.window)
    symbols = .allocate(capacity: Self.window)
    symbols.initialize(repeating: 0, count: Self.window)
  }

  deinit {
    arrivals.deallocate()
    symbols.deallocate()
  }

  private func slot(_ sequence: Int64) -> UnsafeMutablePointer<Int64> { arrivals + Int(sequence & Int64(Self.window - 1)) }

  /// Records a packet. Ignores packets older than the window.
  public mutating func record(_ sequenceNumber: UInt16, arrival: Instant) {
    let sequence = unwrapper.peek(sequenceNumber)
    if let highest = unwrapper.highest {
      if sequence > highest {
        if sequence - next >= Int64(Self.window) {
          // No sender sends so many packets between two reports, so the numbering restarted.
          arrivals.update(repeating: Self.absent, count: Self.window)
          next = sequence
          pendingCount = 0
        } else {
          var gap = highest + 1
          while gap < sequence {
            slot(gap).pointee = Self.absent
            gap += 1
          }
        }
      } else {
        guard sequence > highest - Int64(Self.window), slot(sequence).pointee == Self.absent else { return }
        if sequence < next {
          // Packets that are reported again must still be in the ring, and no entry may be from another lap.
          guard next - sequence <= Self.lookBack, highest - sequence < Int64(Self.window) / 2 else { return }
          next = sequence
        }
      }
    } else {
      next = sequence
    }
    _ = unwrapper.unwrap(sequenceNumber)
    slot(sequence).pointee = arrival.microseconds
    pendingCount += 1
  }

  /// Appends a feedback packet about all packets since the last one.
  /// - Returns: the number of packets reported; 0 if there is nothing to report or no room. If the time span or the room is too
  ///   small for all of them, the next call reports the rest.
  @discardableResult
  public mutating func writeFeedback(to writer: inout RTCPWriter, sender: SSRC, media: SSRC) -> Int {
    let result = build(into: writer.free, sender: sender, media: media)
    writer.commit(result.length)
    return result.count
  }

  private mutating func build(
    into buffer: UnsafeMutableRawBufferPointer, sender: SSRC, media: SSRC
  ) -> (length: Int, count: Int) {
    guard let highest = unwrapper.highest, next <= highest, let base = buffer.baseAddress, buffer.count >= 32 else {
      return (0, 0)
    }
    let first = next
    var earliest = first
    // The highest packet arrived, so the loop ends.
    while slot(earliest).pointee == Self.absent, earliest < highest { earliest += 1 }
    let tick = TransportFeedback.referenceTick
    let start = slot(earliest).pointee
    let referenceTime = (start - (start < 0 ? tick - 1 : 0)) / tick

    let count = chooseSymbols(from: first, to: highest, time: referenceTime * tick, room: buffer.count)
    guard count > 0 else { return (0, 0) }
    var position = writeChunks(count, to: base, at: 20)
    var time = referenceTime * tick
    for index in 0..<count where symbols[index] != 0 {
      let delta = (slot(first + Int64(index)).pointee - time) / TransportFeedback.deltaTick
      time += delta * TransportFeedback.deltaTick
      if symbols[index] == 1 {
        base.store8(UInt8(truncatingIfNeeded: delta), position)
        position += 1
      } else {
        base.store16(UInt16(truncatingIfNeeded: delta), position)
        position += 2
      }
    }
    let padding = -position & 3
    for index in 0..<padding { base.store8(index == padding - 1 ? UInt8(truncatingIfNeeded: padding) : 0, position + index) }
    position += padding

    base.store8(0x80 | (padding > 0 ? 0x20 : 0) | TransportFeedback.format, 0)
    base.store8(RTCPType.transportLayerFeedback, 1)
    base.store16(UInt16(truncatingIfNeeded: position / 4 - 1), 2)
    base.storeSSRC(sender, 4)
    base.storeSSRC(media, 8)
    base.store16(UInt16(truncatingIfNeeded: first), 12)
    base.store16(UInt16(truncatingIfNeeded: count), 14)
    base.store24(UInt32(truncatingIfNeeded: referenceTime), 16)
    base.store8(feedbackCount, 19)
    feedbackCount &+= 1
    next = first + Int64(count)
    if next > highest { pendingCount = 0 }
    return (position, count)
  }

  /// Sets the symbols from `first` on, limited by the range of the deltas and by `room`; returns their count.
  private func chooseSymbols(from first: Int64, to highest: Int64, time: Int64, room: Int) -> Int {
    var time = time
    var count = 0
    var deltas = 0
    while first + Int64(count) <= highest, count < Self.window {
      let arrival = slot(first + Int64(count)).pointee
      var symbol: UInt8 = 0
      if arrival != Self.absent {
        let delta = (arrival - time) / TransportFeedback.deltaTick
        guard delta >= Int64(Int16.min), delta <= Int64(Int16.max) else { break }
        symbol = (0...255).contains(delta) ? 1 : 2
        time += delta * TransportFeedback.deltaTick
      }
      // Every chunk except the last has at least seven symbols; padding may take three bytes.
      guard 20 + 2 * (count / 7 + 1) + deltas + Int(symbol) + 3 <= room else { break }
      deltas += Int(symbol)
      symbols[count] = symbol
      count += 1
    }
    return count
  }

  /// Writes the first `count` symbols as chunks and returns the offset after them.
  private func writeChunks(_ count: Int, to base: UnsafeMutableRawPointer, at offset: Int) -> Int {
    var position = offset
    var index = 0
    while index < count {
      let left = UnsafeBufferPointer(start: symbols + index, count: count - index)
      var run = 1
      while run < left.count, run < StatusChunk.longestRun, left[run] == left[0] { run += 1 }
      let oneBit = left.prefix(14).allSatisfy { $0 < 2 }
      let chunk: StatusChunk
      if run == left.count || run >= 14 || (run >= 7 && !oneBit) {
        chunk = StatusChunk(run: run, of: left[0])
      } else if oneBit {
        chunk = StatusChunk(oneBit: left)
      } else {
        chunk = StatusChunk(twoBit: left)
      }
      base.store16(chunk.rawValue, position)
      position += 2
      index += chunk.count
    }
    return position
  }
}
