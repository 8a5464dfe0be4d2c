import RoomRTP

/// The sending half of an association: fragments messages, keeps what is not acknowledged, repeats what is lost, and gives up
/// messages whose reliability is limited (RFC 9260 §6, §7; RFC 3758).
struct SentData {
  /// A message of which data is outstanding, or which is being sent.
  private struct Message {
    var message: SCTPMessage
    var sequence: UInt16
    /// The number of its first chunk, and how many it has so far.
    var firstChunk: Int
    var chunks = 0
    /// The number of its bytes that have been sent.
    var offset = 0
  }

  private struct Chunk {
    enum State: UInt8 { case inFlight, lost, acknowledged, abandoned }
    var state: State
    var flags: DataChunk.Flags
    var misses: UInt8 = 0
    var transmissions: UInt16 = 1
    var message: Int
    var offset: Int
    var length: Int
    /// Increases with each transmission of any chunk.
    var order: Int

    /// What it counts in flight: with its header, so that tiny messages do not exceed the windows.
    var size: Int { length + DataChunk.headerLength }
  }

  private static let missesOfALoss = 3

  var waiting = WaitingMessages()
  private var messages = Ring<Message>()
  /// The chunks after the acknowledged TSN. Chunk n has TSN `firstTSN` + n.
  private var chunks = Ring<Chunk>()
  private let firstTSN: TSN
  /// The message that is partly sent.
  private var current: Int?
  private var flight = 0
  private var lostCount = 0
  /// No chunk before this one is lost.
  private var lostCursor = 0
  /// The chunks before this one are acknowledged or abandoned: the advanced peer acknowledgement point (RFC 3758 §3.5).
  private var skipped = 0
  private var order = 0
  /// The gap blocks of the last SACK, whose chunks are known to be acknowledged.
  private var blocks: [ClosedRange<Int>] = []
  /// The chunk with whose acknowledgement the fast recovery ends.
  private var recoveryEnd: Int?
  /// The first packet of a fast recovery may exceed the congestion window (RFC 9260 §7.2.4).
  private var mayExceed = false
  /// The chunk whose round trip is measured, and when it was sent.
  private var measured: (chunk: Int, sent: Instant)?
  private var window: Int
  private var congestion: CongestionWindow
  private(set) var timeout: RetransmissionTimeout
  /// When outstanding data is regarded as lost (T3-rtx).
  private(set) var deadline: Instant?
  private var lastSent: Instant?
  /// Whether a FORWARD-TSN must be sent.
  private(set) var isForwardDue = false
  /// The cost of all messages that are stored.
  private(set) var stored = 0
  private let packet: Int
  private let supportsForwardTSN: Bool

  init(
    firstTSN: TSN, window: UInt32, supportsForwardTSN: Bool, timeout: RetransmissionTimeout, _ configuration: SCTPConfiguration
  ) {
    self.firstTSN = firstTSN
    self.window = Int(window)
    self.supportsForwardTSN = supportsForwardTSN
    self.timeout = timeout
    packet = configuration.maximumPacket - SCTPPacket.headerLength - DataChunk.headerLength
    congestion = CongestionWindow(packet: packet + DataChunk.headerLength, threshold: Int(window))
  }

  /// Whether everything has been sent and acknowledged.
  var isEmpty: Bool { chunks.isEmpty && current == nil && waiting.isEmpty }
  /// The TSN assigned last.
  var lastTSN: TSN { firstTSN.advanced(by: chunks.indices.upperBound - 1) }
  /// Whether a message of this stream is partly sent.
  func isSending(_ stream: UInt16) -> Bool { current.flatMap { messages[$0]?.message.stream } == stream }

  mutating func append(_ message: SCTPMessage) {
    stored += message.cost
    waiting.append(message)
  }

  // MARK: Sending

  /// Whether `write` would write data.
  func canSend(space: Int) -> Bool {
    guard space >= DataChunk.headerLength + 4 else { return false }
    if lostCount > 0 { return mayExceed || flight < congestion.value }
    guard current != nil || !waiting.isEmpty, flight < congestion.value else { return false }
    return window > 0 || chunks.isEmpty
  }

  /// Fills a packet with lost data and then with new data, as far as the windows allow.
  mutating func write(to writer: inout SCTPWriter, now: Instant) {
    if chunks.isEmpty, let lastSent, now - lastSent > timeout.value {
      congestion.idled()
      self.lastSent = now
    }
    repeatLost(&writer, now)
    while lostCount == 0, flight < congestion.value, sendNew(&writer, now) {}
  }

  private mutating func repeatLost(_ writer: inout SCTPWriter, _ now: Instant) {
    lostCursor = max(lostCursor, chunks.indices.lowerBound)
    let before = order
    defer { mayExceed = mayExceed && order == before }
    while lostCount > 0, mayExceed || flight < congestion.value, let chunk = chunks[lostCursor] {
      guard chunk.state == .lost else {
        lostCursor += 1
        continue
      }
      guard writer.space >= DataChunk.headerLength + chunk.length else { break }
      if isExpired(chunk, now) {
        abandon(chunk.message)
        continue
      }
      order += 1
      chunks[lostCursor]?.state = .inFlight
      chunks[lostCursor]?.transmissions = chunk.transmissions == .max ? .max : chunk.transmissions + 1
      chunks[lostCursor]?.order = order
      chunks[lostCursor]?.misses = 0
      lostCount -= 1
      flight += chunk.size
      window -= chunk.size
      repeated(lostCursor)
      put(chunk, lostCursor, &writer)
      // The earliest data gets a full timeout again (§7.2.4).
      if lostCursor == chunks.indices.lowerBound || deadline == nil { deadline = now.advanced(microseconds: timeout.value) }
      lastSent = now
    }
  }

  private func isExpired(_ chunk: Chunk, _ now: Instant) -> Bool {
    guard supportsForwardTSN else { return false }
    switch messages[chunk.message]?.message.reliability {
    case .retransmissions(let limit): return Int(chunk.transmissions) > limit
    case .until(let end): return end <= now
    case .reliable, nil: return false
    }
  }

  /// Sends a new chunk; returns false if there is none, or no space.
  private mutating func sendNew(_ writer: inout SCTPWriter, _ now: Instant) -> Bool {
    let space = writer.space - DataChunk.headerLength
    guard space > 0, let index = currentMessage(now), let message = messages[index] else { return false }
    let rest = message.message.payload.count - message.offset
    // A fragment fills a packet, unless a packet with other chunks has much space left.
    guard rest <= space || space >= packet / 2 else { return false }
    let length = min(rest, space)
    guard length + DataChunk.headerLength <= window || chunks.isEmpty else { return false }
    var flags: DataChunk.Flags = message.message.isUnordered ? .unordered : []
    if message.offset == 0 { flags.insert(.begin) }
    if length == rest { flags.insert(.end) }
    order += 1
    let chunk = Chunk(
      state: .inFlight, flags: flags, message: index, offset: message.offset, length: length, order: order)
    let number = chunks.append(chunk)
    if messages[index]?.chunks == 0 { messages[index]?.firstChunk = number }
    messages[index]?.chunks += 1
    messages[index]?.offset += length
    if length == rest { current = nil }
    flight += chunk.size
    window -= chunk.size
    waiting.sent(length, of: message.message.stream)
    if measured == nil { measured = (number, now) }
    if deadline == nil { deadline = now.advanced(microseconds: timeout.value) }
    lastSent = now
    put(chunk, number, &writer)
    return true
  }

  /// Returns the message that is being sent, after giving up one that has expired, or the next one.
  private mutating func currentMessage(_ now: Instant) -> Int? {
    if let current, let message = messages[current] {
      guard supportsForwardTSN, case .until(let end) = message.message.reliability, end <= now else { return current }
      abandon(current)
    }
    var expired = 0
    let next = waiting.next(now: now) { expired += $0.cost }
    stored -= expired
    guard let next else { return nil }
    current = messages.append(
      Message(message: next.message, sequence: next.sequence, firstChunk: chunks.indices.upperBound))
    return current
  }

  private func put(_ chunk: Chunk, _ number: Int, _ writer: inout SCTPWriter) {
    guard let message = messages[chunk.message] else { return }
    writer.chunk(.data, flags: chunk.flags.rawValue) { writer in
      writer.append(firstTSN.advanced(by: number).rawValue)
      writer.append(message.message.stream)
      writer.append(message.sequence)
      writer.append(message.message.protocolID)
      writer.append(contentsOf: message.message.payload[chunk.offset..<(chunk.offset + chunk.length)])
    }
  }

  // MARK: Acknowledgement

  /// Processes a SACK. Returns false if it acknowledges data that was never sent.
  mutating func receive(_ sack: SackChunk, now: Instant) -> Bool {
    let base = chunks.indices.lowerBound - 1
    let distance = sack.cumulative.distance(from: firstTSN.advanced(by: base))
    // An older SACK was overtaken.
    guard distance >= 0 else { return true }
    guard distance <= chunks.count else { return false }
    let cumulative = base + distance
    let wasFull = flight + packet + DataChunk.headerLength > congestion.value
    var progress = Progress()
    for _ in 0..<distance {
      guard let chunk = chunks.removeFirst() else { break }
      note(chunk, base + 1, &progress)
    }
    measure(upTo: cumulative, now)
    if distance > 0 { forgetMessages() }
    let highest = acknowledgeBlocks(of: sack, cumulative, &progress)
    if let end = recoveryEnd, end <= cumulative { recoveryEnd = nil }
    if distance > 0, wasFull, recoveryEnd == nil { congestion.grow(acknowledged: progress.bytes) }
    window = max(0, Int(sack.window) - flight)
    if progress.order > 0 { findLosses(until: highest, sentBefore: progress.order, now) }
    skipped = max(skipped, chunks.indices.lowerBound)
    advanceSkipped()
    if chunks.isEmpty {
      deadline = nil
    } else if distance > 0 || deadline == nil {
      deadline = now.advanced(microseconds: timeout.value)
    }
    return true
  }

  private struct Progress {
    /// Newly acknowledged bytes.
    var bytes = 0
    /// The order of the last transmission that is newly acknowledged.
    var order = 0
  }

  private mutating func note(_ chunk: Chunk, _ number: Int, _ progress: inout Progress) {
    switch chunk.state {
    case .inFlight: flight -= chunk.size
    case .lost: lostCount -= 1
    case .acknowledged, .abandoned: return
    }
    progress.bytes += chunk.size
    progress.order = max(progress.order, chunk.order)
  }

  private mutating func acknowledgeBlocks(of sack: SackChunk, _ cumulative: Int, _ progress: inout Progress) -> Int {
    let known = blocks
    var place = 0
    blocks.removeAll(keepingCapacity: true)
    var previous = cumulative
    for index in 0..<sack.count {
      let block = sack.block(index)
      let (first, last) = (cumulative + block.first, cumulative + block.last)
      // Blocks ascend and do not touch; whatever else does not describe our data.
      guard first > previous, first <= last, last < chunks.indices.upperBound else { break }
      var number = first
      while number <= last {
        while place < known.count, known[place].upperBound < number { place += 1 }
        if place < known.count, known[place].contains(number) {
          number = known[place].upperBound + 1
          continue
        }
        if let chunk = chunks[number] {
          note(chunk, number, &progress)
          if chunk.state != .abandoned { chunks[number]?.state = .acknowledged }
          repeated(number)
        }
        number += 1
      }
      blocks.append(first...last)
      previous = last
    }
    return blocks.last?.lowerBound ?? cumulative
  }

  /// Counts SACKs that acknowledge later transmissions than those of missing chunks; three of them mean a loss.
  ///
  /// RFC 9260 §7.2.4 compares TSNs, and lets a chunk be repeated this way once. The order of transmissions also tells whether a
  /// repetition was lost.
  private mutating func findLosses(until highest: Int, sentBefore order: Int, _ now: Instant) {
    var number = chunks.indices.lowerBound
    var place = 0
    while number < highest {
      if place < blocks.count, blocks[place].lowerBound <= number {
        number = blocks[place].upperBound + 1
        place += 1
        continue
      }
      defer { number += 1 }
      guard let chunk = chunks[number], chunk.state == .inFlight, chunk.order < order else { continue }
      chunks[number]?.misses += 1
      guard chunk.misses + 1 >= Self.missesOfALoss else { continue }
      lose(number, now)
      if recoveryEnd == nil {
        congestion.lost()
        recoveryEnd = chunks.indices.upperBound - 1
        mayExceed = true
      }
    }
  }

  private mutating func lose(_ number: Int, _ now: Instant) {
    guard let chunk = chunks[number], chunk.state == .inFlight else { return }
    if isExpired(chunk, now) { return abandon(chunk.message) }
    chunks[number]?.state = .lost
    flight -= chunk.size
    window += chunk.size
    lostCount += 1
    lostCursor = min(lostCursor, number)
    repeated(number)
  }

  /// Takes at most one measurement of the round trip at a time, of data that was sent once (§6.3.1 C4, C5).
  private mutating func measure(upTo cumulative: Int, _ now: Instant) {
    guard let (chunk, sent) = measured, chunk <= cumulative else { return }
    measured = nil
    timeout.measured(now - sent)
  }

  /// Ends the measurement of a chunk that does not tell the round trip.
  private mutating func repeated(_ number: Int) {
    if measured?.chunk == number { measured = nil }
  }

  /// Takes the round trip of a heartbeat.
  mutating func measured(_ roundTrip: Int64) { timeout.measured(roundTrip) }

  /// Frees the messages whose data is acknowledged.
  private mutating func forgetMessages() {
    let end = chunks.first?.message ?? current ?? messages.indices.upperBound
    while messages.indices.lowerBound < end, let message = messages.removeFirst() { stored -= message.message.cost }
  }

  // MARK: Timeout

  /// Regards all data in flight as lost if the timer has expired (§6.3.3). Returns whether it has.
  mutating func expire(now: Instant) -> Bool {
    guard let due = deadline, due <= now else { return false }
    timeout.expired()
    deadline = nil
    // A probe of a closed window says nothing about congestion.
    if window > 0 || chunks.count > 1 { congestion.timedOut() }
    recoveryEnd = nil
    mayExceed = false
    measured = nil
    blocks.removeAll(keepingCapacity: true)
    // If the first chunk was acknowledged, the other side has dropped what it had (§6.2).
    let isReneged = chunks.first?.state == .acknowledged
    for number in chunks.indices {
      guard let chunk = chunks[number] else { continue }
      if isReneged, chunk.state == .acknowledged {
        chunks[number]?.state = .lost
        lostCount += 1
        lostCursor = min(lostCursor, number)
      }
      lose(number, now)
    }
    advanceSkipped()
    if skipped > chunks.indices.lowerBound { isForwardDue = true }
    if !chunks.isEmpty { deadline = now.advanced(microseconds: timeout.value) }
    return true
  }

  // MARK: Giving up

  /// Gives up a message: its data counts as skipped, and the rest of it is not sent.
  private mutating func abandon(_ index: Int) {
    guard let message = messages[index] else { return }
    if index == current {
      current = nil
      waiting.sent(message.message.payload.count - message.offset, of: message.message.stream)
      // One more TSN without data: the other side may have acknowledged all that was sent, and skips a TSN only after that.
      chunks.append(Chunk(state: .abandoned, flags: [], message: index, offset: 0, length: 0, order: order))
    }
    for number in message.firstChunk..<(message.firstChunk + message.chunks) {
      guard let chunk = chunks[number] else { continue }
      switch chunk.state {
      case .inFlight:
        flight -= chunk.size
        window += chunk.size
      case .lost: lostCount -= 1
      case .acknowledged, .abandoned: break
      }
      chunks[number]?.state = .abandoned
      repeated(number)
    }
    advanceSkipped()
  }

  private mutating func advanceSkipped() {
    let before = skipped
    while let chunk = chunks[skipped], chunk.state == .abandoned { skipped += 1 }
    if skipped > before { isForwardDue = true }
  }

  mutating func writeForwardTSN(to writer: inout SCTPWriter, now: Instant) {
    isForwardDue = false
    guard skipped > chunks.indices.lowerBound else { return }
    var last: [UInt16: UInt16] = [:]
    let limit = (writer.space - 8) / 4
    var end = chunks.indices.lowerBound
    while end < skipped, let chunk = chunks[end] {
      if let message = messages[chunk.message], !message.message.isUnordered {
        guard last[message.message.stream] != nil || last.count < limit else { break }
        last[message.message.stream] = message.sequence
      }
      end += 1
    }
    writer.chunk(.forwardTSN) { writer in
      writer.append(firstTSN.advanced(by: end - 1).rawValue)
      for (stream, sequence) in last {
        writer.append(stream)
        writer.append(sequence)
      }
    }
    if deadline == nil { deadline = now.advanced(microseconds: timeout.value) }
  }
}
