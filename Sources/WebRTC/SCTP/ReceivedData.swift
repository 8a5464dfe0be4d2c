/// The receiving half of an association: which TSNs have arrived, messages in the order of their streams, and the window.
///
/// Data is assembled in the order of TSNs: fragments of a message have consecutive ones. A whole message in one chunk does not
/// wait for lost ones before it, unless its stream requires it.
struct ReceivedData {
  enum Reception { case accepted, duplicate, dropped, violation(SCTPViolation) }

  /// A fragment that waits for those before it.
  private struct Fragment {
    var flags: DataChunk.Flags
    var stream: UInt16
    var sequence: UInt16
    var protocolID: UInt32
    var payload: [UInt8]
  }

  /// The message whose fragments arrive.
  private struct Assembly {
    var message: SCTPMessage
    var sequence: UInt16
  }

  /// Ranges of TSNs that arrived after a missing one. All fit into one SACK.
  static let maximumGaps = 256
  private static let maximumDuplicates = 16
  /// Offsets of gap blocks have 16 bits.
  private static let maximumDistance = 0xFFFF

  private(set) var cumulative: TSN
  private var gaps: [ClosedRange<Int>] = []
  /// Counts TSNs up to `cumulative` without overflow; `gaps` and `fragments` use this numbering.
  private var position = 0
  private var fragments: [Int: Fragment] = [:]
  private var assembly: Assembly?
  private var nextSequence: [UInt16: UInt16] = [:]
  private var waiting: [UInt16: [UInt16: SCTPMessage]] = [:]
  /// Messages and resets that the owner has not taken.
  private var ready = Ring<SCTPEvent>()
  private var duplicates: [UInt32] = []
  /// The cost of all that is stored.
  private(set) var used = 0
  private var announced: Int

  private let streams: Int
  private let limit: Int
  private let maximumMessage: Int

  init(first: TSN, streams: Int, window: Int, maximumMessage: Int) {
    cumulative = first.advanced(by: -1)
    self.streams = streams
    limit = window
    announced = window
    self.maximumMessage = maximumMessage
  }

  var hasGaps: Bool { !gaps.isEmpty }
  var window: Int { max(0, limit - used) }
  /// Whether the other side should learn that the window is open again.
  var hasReopened: Bool { announced < limit / 4 && window >= limit / 2 }

  // MARK: Arrival

  mutating func receive(_ chunk: DataChunk) -> Reception {
    guard !chunk.payload.isEmpty else { return .violation(.emptyData) }
    let distance = chunk.tsn.distance(from: cumulative)
    let number = position + distance
    guard distance > 0, !hasArrived(number) else {
      if duplicates.count < Self.maximumDuplicates { duplicates.append(chunk.tsn.rawValue) }
      return .duplicate
    }
    guard distance <= Self.maximumDistance else { return .dropped }
    // Missing data is accepted beyond the window: the data behind it uses the window.
    guard used < (number > (gaps.last?.upperBound ?? position) ? limit : 2 * limit) else { return .dropped }
    guard distance > 1 else {
      if let violation = take(chunk) { return .violation(violation) }
      move(to: number)
      return continueInOrder()
    }
    guard insert(number) else { return .dropped }
    guard Int(chunk.stream) < streams else { return .accepted }
    if chunk.flags.isSuperset(of: [.begin, .end]) {
      complete(Self.message(of: chunk), sequence: chunk.sequence)
    } else {
      fragments[number] = Fragment(
        flags: chunk.flags, stream: chunk.stream, sequence: chunk.sequence, protocolID: chunk.protocolID,
        payload: Array(chunk.payload))
      used += chunk.payload.count + SCTPMessage.overhead
    }
    return .accepted
  }

  /// Skips data that the other side has given up (RFC 3758 §3.6).
  mutating func skip(_ chunk: ForwardTSNChunk) -> Reception {
    let distance = chunk.cumulative.distance(from: cumulative)
    guard distance > 0 else { return .duplicate }
    let target = position + distance
    while let gap = gaps.first, gap.lowerBound <= target {
      discardAssembly()
      for number in gap.lowerBound...min(gap.upperBound, target) {
        if let violation = takeFragment(number) { return .violation(violation) }
      }
      if gap.upperBound > target {
        gaps[0] = (target + 1)...gap.upperBound
      } else {
        gaps.removeFirst()
      }
    }
    discardAssembly()
    move(to: target)
    let reception = continueInOrder()
    for index in 0..<chunk.count {
      let (stream, sequence) = chunk.skipped(index)
      guard Int(stream) < streams else { continue }
      let next = nextSequence[stream] ?? 0
      guard sequence.serialDistance(from: next) >= 0 else { continue }
      let passed = waiting[stream]?.keys.filter { $0.serialDistance(from: sequence) <= 0 } ?? []
      for passed in passed.sorted(by: { $0.serialDistance(from: $1) < 0 }) {
        if let message = waiting[stream]?.removeValue(forKey: passed) { ready.append(.message(message)) }
      }
      nextSequence[stream] = sequence &+ 1
      deliverWaiting(stream)
    }
    return reception
  }

  /// Begins streams anew after a reset by the other side; all if the list is empty. Messages that wait for others are lost.
  mutating func reset(_ streams: [UInt16]) {
    ready.append(.remoteReset(streams))
    used += SCTPMessage.overhead
    for stream in streams.isEmpty ? Array(nextSequence.keys) + Array(waiting.keys) : streams {
      nextSequence[stream] = nil
      for message in (waiting.removeValue(forKey: stream) ?? [:]).values { used -= message.cost }
    }
  }

  /// Returns the next message or reset, in order, and frees its part of the window.
  mutating func nextEvent() -> SCTPEvent? {
    guard let event = ready.removeFirst() else { return nil }
    if case .message(let message) = event { used -= message.cost } else { used -= SCTPMessage.overhead }
    return event
  }

  // MARK: Order

  private mutating func move(to number: Int) {
    cumulative = cumulative.advanced(by: number - position)
    position = number
  }

  /// Takes the data after `cumulative` that has already arrived.
  private mutating func continueInOrder() -> Reception {
    guard let gap = gaps.first, gap.lowerBound == position + 1 else { return .accepted }
    gaps.removeFirst()
    for number in gap {
      if let violation = takeFragment(number) { return .violation(violation) }
    }
    move(to: gap.upperBound)
    return .accepted
  }

  private mutating func takeFragment(_ number: Int) -> SCTPViolation? {
    // Nothing is stored of a message that was in one chunk.
    guard let fragment = fragments.removeValue(forKey: number) else {
      discardAssembly()
      return nil
    }
    used -= fragment.payload.count + SCTPMessage.overhead
    return fragment.payload.withUnsafeBytes {
      assemble(
        fragment.flags, fragment.stream, fragment.sequence, fragment.protocolID, $0)
    }
  }

  private mutating func take(_ chunk: DataChunk) -> SCTPViolation? {
    guard Int(chunk.stream) < streams else {
      discardAssembly()
      return nil
    }
    return assemble(chunk.flags, chunk.stream, chunk.sequence, chunk.protocolID, chunk.payload)
  }

  private mutating func assemble(
    _ flags: DataChunk.Flags, _ stream: UInt16, _ sequence: UInt16, _ protocolID: UInt32, _ payload: UnsafeRawBufferPointer
  ) -> SCTPViolation? {
    if flags.contains(.begin) {
      discardAssembly()
      let message = SCTPMessage(
        stream: stream, protocolID: protocolID, payload: Array(payload), isUnordered: flags.contains(.unordered))
      if flags.contains(.end) {
        complete(message, sequence: sequence)
      } else {
        assembly = Assembly(message: message, sequence: sequence)
        used += message.cost
      }
      return nil
    }
    // A fragment without its beginning belongs to a message that was given up.
    guard assembly?.message.stream == stream, assembly?.sequence == sequence, let length = assembly?.message.payload.count
    else {
      discardAssembly()
      return nil
    }
    guard length + payload.count <= maximumMessage else { return .messageTooLong }
    assembly?.message.payload.append(contentsOf: payload)
    used += payload.count
    if flags.contains(.end), let done = assembly {
      assembly = nil
      used -= done.message.cost
      complete(done.message, sequence: done.sequence)
    }
    return nil
  }

  private mutating func discardAssembly() {
    guard let lost = assembly else { return }
    used -= lost.message.cost
    assembly = nil
  }

  private static func message(of chunk: DataChunk) -> SCTPMessage {
    SCTPMessage(
      stream: chunk.stream, protocolID: chunk.protocolID, payload: Array(chunk.payload),
      isUnordered: chunk.flags.contains(.unordered))
  }

  /// Delivers a whole message, or keeps it until those before it on its stream are there.
  private mutating func complete(_ message: SCTPMessage, sequence: UInt16) {
    used += message.cost
    guard !message.isUnordered else {
      ready.append(.message(message))
      return
    }
    let next = nextSequence[message.stream] ?? 0
    let distance = sequence.serialDistance(from: next)
    if distance == 0 {
      ready.append(.message(message))
      nextSequence[message.stream] = next &+ 1
      deliverWaiting(message.stream)
    } else if distance > 0, waiting[message.stream]?[sequence] == nil {
      waiting[message.stream, default: [:]][sequence] = message
    } else {
      used -= message.cost
    }
  }

  private mutating func deliverWaiting(_ stream: UInt16) {
    guard waiting[stream] != nil, var next = nextSequence[stream] else { return }
    while let message = waiting[stream]?.removeValue(forKey: next) {
      ready.append(.message(message))
      next &+= 1
    }
    nextSequence[stream] = next
    if waiting[stream]?.isEmpty == true { waiting[stream] = nil }
  }

  // MARK: Gaps

  /// Returns the index of the first gap that ends at a number or after it.
  private func gapIndex(_ number: Int) -> Int {
    // Most data continues the last gap.
    if let last = gaps.last, last.upperBound < number { return gaps.count }
    var (low, high) = (0, gaps.count)
    while low < high {
      let middle = (low + high) / 2
      if gaps[middle].upperBound < number { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func hasArrived(_ number: Int) -> Bool {
    let index = gapIndex(number)
    return index < gaps.count && gaps[index].contains(number)
  }

  /// Returns false if there are too many gaps.
  private mutating func insert(_ number: Int) -> Bool {
    let index = gapIndex(number)
    let continues = index > 0 && gaps[index - 1].upperBound + 1 == number
    let precedes = index < gaps.count && gaps[index].lowerBound == number + 1
    switch (continues, precedes) {
    case (true, true):
      gaps[index - 1] = gaps[index - 1].lowerBound...gaps[index].upperBound
      gaps.remove(at: index)
    case (true, false): gaps[index - 1] = gaps[index - 1].lowerBound...number
    case (false, true): gaps[index] = number...gaps[index].upperBound
    case (false, false):
      guard gaps.count < Self.maximumGaps else { return false }
      gaps.insert(number...number, at: index)
    }
    return true
  }

  // MARK: Acknowledgement

  /// The size of the SACK that is due.
  var sackSize: Int { 16 + gaps.count * 4 + duplicates.count * 4 }

  mutating func writeSack(to writer: inout SCTPWriter) {
    announced = window
    writer.chunk(.sack) { writer in
      writer.append(cumulative.rawValue)
      writer.append(UInt32(clamping: announced))
      writer.append(UInt16(gaps.count))
      writer.append(UInt16(duplicates.count))
      for gap in gaps {
        writer.append(UInt16(truncatingIfNeeded: gap.lowerBound - position))
        writer.append(UInt16(truncatingIfNeeded: gap.upperBound - position))
      }
      for duplicate in duplicates { writer.append(duplicate) }
    }
    duplicates.removeAll(keepingCapacity: true)
  }
}
