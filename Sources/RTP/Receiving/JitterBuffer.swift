/// Puts the packets of one stream in order and gives its frames in decode order, as soon as they are whole. A missing packet is
/// waited for as long as repairs (NACK, RTX) have been seen to take; then audio goes on with a loss reported, and video with the
/// next key frame.
///
/// After each `insert`, and at `deadline`, call `next` until it gives nil.
public struct JitterBuffer: Sendable {
  /// What comes out.
  public enum Output: Hashable, Sendable {
    case frame(EncodedFrame)
    /// Video cannot go on: the sender has to be asked for a key frame. Said again while none comes.
    case keyFrameNeeded
  }

  /// Limits; times in microseconds.
  public struct Configuration: Sendable {
    /// Packets held at most; rounded up to a power of two, 16 … 8192.
    public var capacity: Int
    /// How long a missing packet is waited for before anything has been learnt.
    public var initialWait: Int64
    /// Between these the wait adapts.
    public var wait: ClosedRange<Int64>
    /// The least time between two `keyFrameNeeded`.
    public var keyFrameInterval: Int64

    /// Limits of one buffer; times in microseconds.
    public init(capacity: Int, initialWait: Int64, wait: ClosedRange<Int64>, keyFrameInterval: Int64 = 300_000) {
      self.capacity = capacity
      self.initialWait = initialWait
      self.wait = wait
      self.keyFrameInterval = keyFrameInterval
    }

    /// Waiting delays only frames after a gap, and a key frame costs more than it.
    public static let video = Configuration(capacity: 1024, initialWait: 500_000, wait: 200_000...700_000)
    /// Sound that stands still for longer is worse than a gap.
    public static let audio = Configuration(capacity: 256, initialWait: 200_000, wait: 60_000...400_000)
  }

  /// Counts since the start.
  public struct Counters: Hashable, Sendable {
    /// Frames given out.
    public var frames: UInt64 = 0
    /// Of those, key frames.
    public var keyFrames: UInt64 = 0
    /// Video: interruptions that only a key frame ended.
    public var breaks: UInt64 = 0
    /// Packets given up.
    public var lostPackets: UInt64 = 0
    /// Packets that came after that.
    public var latePackets: UInt64 = 0
    /// Packets that were there already, or had been.
    public var duplicates: UInt64 = 0
  }

  /// The payload format of the stream.
  public let format: PayloadFormat
  /// What has happened so far.
  public private(set) var counters = Counters()
  /// When `next` wants to be called even if nothing comes; set by `next`.
  public private(set) var deadline: Instant?

  private let configuration: Configuration
  private let capacity: Int
  private var unwrapper = SequenceUnwrapper()
  private var window: PacketWindow?
  private var assembler: FrameAssembler?
  private var wait: RepairWait
  private var pendingLoss = 0
  /// What was given up last, to tell a late packet from a repeated one.
  private var abandoned: [Range<Int64>] = []
  private var lateInARow = 0
  private var hasGivenFrame = false
  private var lastRequest: Instant?
  private var cameSinceRequest = false

  /// An empty buffer; nil takes the limits that suit the format.
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

  /// How long a missing packet is waited for now, in microseconds.
  public var currentWait: Int64 { wait.microseconds }

  /// Takes a packet, repaired ones too. False where it is late or a duplicate.
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
        wait.cameTooLate()
      } else {
        counters.duplicates += 1
      }
      guard lateInARow > 64 else { return false }
      // So many cannot be late: the sender began anew.
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
    cameSinceRequest = true
    return true
  }

  /// Whether a packet before the window is still of use, so that the window was made to begin with it.
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

  /// Moves the window on, for a packet beyond its end: nobody drained it, or the sender jumped.
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
    // More than the ring holds is a new beginning, not a gap to be filled in.
    pendingLoss = min(pendingLoss + Int(max(0, count)), capacity)
  }

  /// The next frame or request that is due; nil where there is none before `deadline` or the next packet.
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

  /// Whether the wait for a packet is over; else `deadline` says when.
  private mutating func givesUp(_ sequence: Int64, _ window: PacketWindow, _ now: Instant) -> Bool {
    guard let noticed = window.noticed(missing: sequence) else { return false }
    let end = noticed.advanced(microseconds: wait.microseconds)
    guard now >= end else {
      deadline = end
      return false
    }
    wait.gaveUp()
    return true
  }

  private mutating func requestKeyFrame(_ now: Instant) -> Output? {
    if let lastRequest {
      let due = lastRequest.advanced(microseconds: configuration.keyFrameInterval)
      guard now >= due else {
        deadline = due
        return nil
      }
      // A stream that has stopped has nobody to ask.
      guard cameSinceRequest else { return nil }
    }
    lastRequest = now
    cameSinceRequest = false
    return .keyFrameNeeded
  }
}
