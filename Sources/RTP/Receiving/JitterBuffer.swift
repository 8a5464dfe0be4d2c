/// Reorders the packets of one stream and returns its frames in decode order as soon as they are complete. The buffer waits for
/// a missing packet as long as repairs (NACK, RTX) have typically taken. After that, audio continues and reports a loss, and
/// video continues with the next key frame.
///
/// After each `insert`, and at `deadline`, call `next` until it returns nil.
public struct JitterBuffer: Sendable {
  /// The output of the buffer.
  public enum Output: Hashable, Sendable {
    case frame(EncodedFrame)
    /// Video cannot continue: request a key frame from the sender. Repeated until a key frame arrives.
    case keyFrameNeeded
  }

  /// The limits of a buffer; times in microseconds.
  public struct Configuration: Sendable {
    /// The maximum number of buffered packets; rounded up to a power of two, 16 … 8192.
    public var capacity: Int
    /// The wait for a missing packet before any repair has been measured.
    public var initialWait: Int64
    /// The range within which the wait adapts.
    public var wait: ClosedRange<Int64>
    /// The minimum time between two `keyFrameNeeded` outputs.
    public var keyFrameInterval: Int64

    /// Creates the limits of one buffer; times in microseconds.
    public init(capacity: Int, initialWait: Int64, wait: ClosedRange<Int64>, keyFrameInterval: Int64 = 300_000) {
      self.capacity = capacity
      self.initialWait = initialWait
      self.wait = wait
      self.keyFrameInterval = keyFrameInterval
    }

    /// The limits for video. Waiting only delays the frames after a gap, and a key frame costs more than that.
    public static let video = Configuration(capacity: 1024, initialWait: 500_000, wait: 200_000...700_000)
    /// The limits for audio. A longer interruption sounds worse than a gap.
    public static let audio = Configuration(capacity: 256, initialWait: 200_000, wait: 60_000...400_000)
  }

  /// The counters of a buffer since its creation.
  public struct Counters: Hashable, Sendable {
    /// Frames returned.
    public var frames: UInt64 = 0
    /// Key frames among them.
    public var keyFrames: UInt64 = 0
    /// Video interruptions that only a key frame ended.
    public var breaks: UInt64 = 0
    /// Packets that were given up.
    public var lostPackets: UInt64 = 0
    /// Packets that arrived after they were given up.
    public var latePackets: UInt64 = 0
    /// Packets that had already arrived.
    public var duplicates: UInt64 = 0
  }

  /// The payload format of the stream.
  public let format: PayloadFormat
  /// The current counters.
  public private(set) var counters = Counters()
  /// The time at which to call `next` even if no packet arrives; set by `next`.
  public private(set) var deadline: Instant?

  private let configuration: Configuration
  private let capacity: Int
  private var unwrapper = SequenceUnwrapper()
  private var window: PacketWindow?
  private var assembler: FrameAssembler?
  private var wait: RepairWait
  private var pendingLoss = 0
  /// The ranges that were given up last, to distinguish a late packet from a duplicate.
  private var abandoned: [Range<Int64>] = []
  private var lateInARow = 0
  private var hasGivenFrame = false
  private var lastRequest: Instant?
  private var receivedSinceRequest = false

  /// Creates an empty buffer. A nil configuration selects the default of the format.
  public init(format: PayloadFormat, configuration: Configuration? = nil) {
    assembler = FrameAssembler(format: format)
    self.format = format
    let chosen = configuration ?? (format.isVideo ? .video : .audio)
    self.configuration = chosen
    var size = 16
    while size < min(chosen.capacity, 8192) { size *= 2 }
    capacity = size
    wait = RepairWait(initial: chosen.initialWait, range: chosen.wait)
  }

  /// The current wait for a missing packet, in microseconds.
  public var currentWait: Int64 { wait.microseconds }

  /// Inserts a received or repaired packet. Returns false if it is late or a duplicate.
  @discardableResult
  public mutating func insert(_ header: RTPHeader, payload: UnsafeRawBufferPointer, now: Instant) -> Bool {
    let sequence = unwrapper.unwrap(header.sequenceNumber)
    var window = self.window ?? PacketWindow(capacity: capacity, first: sequence)
    self.window = nil
    defer { self.window = window }

    if sequence < window.next, !takesBack(sequence, header.timestamp, &window) {
      lateInARow += 1
      if abandoned.contains(where: { $0.contains(sequence) }) {
        counters.latePackets += 1
        wait.arrivedLate()
      } else {
        counters.duplicates += 1
      }
      guard lateInARow > 64 else { return false }
      // So many packets cannot all be late: the sender restarted.
      restart(at: header.sequenceNumber, &window)
      return insert(header, payload, at: window.next, now, &window)
    }
    lateInARow = 0
    if !window.holds(sequence) { makeRoom(for: sequence, &window) }
    return insert(header, payload, at: sequence, now, &window)
  }

  private mutating func insert(
    _ header: RTPHeader, _ payload: UnsafeRawBufferPointer, at sequence: Int64, _ now: Instant, _ window: inout PacketWindow
  ) -> Bool {
    let noticed = sequence < window.highest ? window.noticed(missing: sequence) : nil
    let packet = WaitingPacket(
      timestamp: header.timestamp, marker: header.marker, payload: Array(payload), arrival: now)
    guard window.insert(packet, at: sequence) else {
      counters.duplicates += 1
      return false
    }
    if let noticed { wait.repaired(after: now - noticed) }
    assembler?.inserted(sequence, payload)
    receivedSinceRequest = true
    return true
  }

  /// Returns whether a packet before the window is still useful; the window then starts with it.
  private mutating func takesBack(_ sequence: Int64, _ timestamp: UInt32, _ window: inout PacketWindow) -> Bool {
    let isBeginning = !hasGivenFrame && counters.breaks == 0 && assembler?.isSeeking ?? false
    let isKeyFrame = assembler?.extendsKeyFrame(sequence, timestamp: timestamp, in: window) ?? false
    guard isBeginning || isKeyFrame, window.extend(backTo: sequence) else { return false }
    assembler?.rescan()
    return true
  }

  private mutating func restart(at sequenceNumber: UInt16, _ window: inout PacketWindow) {
    unwrapper.reset()
    let first = unwrapper.unwrap(sequenceNumber)
    window = PacketWindow(capacity: capacity, first: first)
    assembler?.seek(from: first, in: &window)
    abandoned.removeAll()
    lateInARow = 0
  }

  /// Moves the window forward for a packet beyond its end: the buffer was not drained, or the sender jumped.
  private mutating func makeRoom(for sequence: Int64, _ window: inout PacketWindow) {
    let start = sequence - Int64(capacity) * 3 / 4
    if var assembler {
      if !assembler.isSeeking { counters.breaks += 1 }
      assembler.seek(from: start, in: &window)
      self.assembler = assembler
    } else {
      let lost = window.advance(to: start)
      countLoss(lost)
    }
  }

  private mutating func abandon(_ sequence: Int64, upTo end: Int64) {
    guard sequence < end else { return }
    if abandoned.count >= 16 { abandoned.removeFirst() }
    abandoned.append(sequence..<end)
  }

  private mutating func countLoss(_ count: Int64) {
    counters.lostPackets += UInt64(max(0, count))
    // A gap larger than the ring is a restart, not a loss to conceal.
    pendingLoss = min(pendingLoss + Int(max(0, count)), capacity)
  }

  /// Returns the next frame or request that is due; nil if there is none before `deadline` or the next packet.
  public mutating func next(now: Instant) -> Output? {
    deadline = nil
    guard var window else { return nil }
    self.window = nil
    defer { self.window = window }
    return assembler == nil ? nextAudio(&window, now) : nextVideo(&window, now)
  }

  private mutating func nextAudio(_ window: inout PacketWindow, _ now: Instant) -> Output? {
    while window.next <= window.highest {
      if let packet = window[window.next] {
        window.advance(to: window.next + 1)
        if packet.payload.isEmpty { continue }
        counters.frames += 1
        counters.keyFrames += 1
        hasGivenFrame = true
        defer { pendingLoss = 0 }
        return .frame(
          EncodedFrame(
            data: packet.payload, timestamp: packet.timestamp, isKeyFrame: true, lostBefore: pendingLoss,
            completedAt: packet.arrival))
      }
      guard givesUp(window.next, window, now) else { return nil }
      let resume = window.firstPresent(from: window.next) ?? window.highest + 1
      abandon(window.next, upTo: resume)
      countLoss(window.advance(to: resume))
    }
    return nil
  }

  private mutating func nextVideo(_ window: inout PacketWindow, _ now: Instant) -> Output? {
    while var assembler {
      let step = assembler.step(&window)
      self.assembler = assembler
      switch step {
      case .frame(let frame):
        counters.frames += 1
        if frame.isKeyFrame { counters.keyFrames += 1 }
        hasGivenFrame = true
        return .frame(frame)
      case .broken:
        counters.breaks += 1
      case .blocked(let sequence):
        guard givesUp(sequence, window, now) else { return nil }
        counters.breaks += 1
        let resume = window.firstPresent(from: sequence) ?? window.highest + 1
        abandon(sequence, upTo: resume)
        counters.lostPackets += UInt64(max(0, resume - sequence))
        assembler.seek(from: resume, in: &window)
        self.assembler = assembler
      case .seeking:
        return requestKeyFrame(now)
      case .idle:
        return nil
      }
    }
    return nil
  }

  /// Returns whether the wait for a packet is over; if not, sets `deadline`.
  private mutating func givesUp(_ sequence: Int64, _ window: PacketWindow, _ now: Instant) -> Bool {
    guard let noticed = window.noticed(missing: sequence) else { return false }
    let end = noticed.advanced(microseconds: wait.microseconds)
    guard now >= end else {
      deadline = end
      return false
    }
    wait.abandoned()
    return true
  }

  private mutating func requestKeyFrame(_ now: Instant) -> Output? {
    if let lastRequest {
      let due = lastRequest.advanced(microseconds: configuration.keyFrameInterval)
      guard now >= due else {
        deadline = due
        return nil
      }
      // If the stream has stopped, a request would reach no sender.
      guard receivedSinceRequest else { return nil }
    }
    lastRequest = now
    receivedSinceRequest = false
    return .keyFrameNeeded
  }
}
