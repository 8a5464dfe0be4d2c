/// Makes video frames out of the packets in a window, in decode order: whole frames without a gap between them. After a loss it
/// looks for the next key frame.
struct FrameAssembler: Sendable {
  /// What can be done with the window as it is.
  enum Step {
    case frame(EncodedFrame)
    /// A frame was lost: its packets make none.
    case broken
    /// This packet is missing, and later ones are there.
    case blocked(Int64)
    /// No key frame has begun.
    case seeking
    /// Nothing more has come.
    case idle
  }

  private let format: PayloadFormat
  private let empty: FrameDepacketizer
  /// Whether only a key frame can be next.
  private(set) var isSeeking = true
  /// Where the first key frame begins that has come since seeking began.
  private var keyStart: Int64?
  /// Whether no frame has been made since a key frame's start was found.
  private var isAtKeyStart = false
  private var hasParameters = false
  /// Everything of the present frame before this has been looked at.
  private var scanned: Int64 = .min

  /// Nil for audio.
  init?(format: PayloadFormat) {
    guard let empty = FrameDepacketizer(format) else { return nil }
    self.format = format
    self.empty = empty
  }

  private func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    switch format {
    // An IDR slice is of use only to a decoder that has had parameter sets.
    case .h264 where !hasParameters: H264.hasSequenceParameters(payload)
    // Some senders say of no picture that it is predicted, so the frame itself is asked.
    case .vp9:
      VP9.startsKeyFrame(payload)
        && VP9Descriptor(parsing: payload).map { VP9.isKeyFrame(payload.part(from: $0.length)) } == true
    default: format.startsKeyFrame(payload)
    }
  }

  /// A packet has been put into the window.
  mutating func inserted(_ sequence: Int64, _ payload: UnsafeRawBufferPointer) {
    guard isSeeking, startsKeyFrame(payload) else { return }
    keyStart = min(keyStart ?? sequence, sequence)
  }

  /// Whether the packet, which is older than the window, belongs to the key frame that is waited for: it began earlier than was
  /// thought.
  func extendsKeyFrame(_ sequence: Int64, timestamp: UInt32, in window: PacketWindow) -> Bool {
    guard isAtKeyStart, window.next - sequence <= 8, let first = window[window.next] else { return false }
    return first.timestamp == timestamp
  }

  /// The window was made to begin earlier.
  mutating func rescan() { scanned = .min }

  /// Drops the frame at the window's start and looks for a key frame from `sequence` on.
  mutating func seek(from sequence: Int64, in window: inout PacketWindow) {
    isSeeking = true
    isAtKeyStart = false
    scanned = .min
    window.advance(to: sequence)
    keyStart = nil
    var current = window.next
    while current <= window.highest, keyStart == nil {
      if let packet = window[current], packet.payload.withUnsafeBytes({ startsKeyFrame($0) }) { keyStart = current }
      current += 1
    }
  }

  /// Takes the next frame out of the window, if it is whole.
  mutating func step(_ window: inout PacketWindow) -> Step {
    if isSeeking {
      guard let start = keyStart else { return .seeking }
      window.advance(to: start)
      isSeeking = false
      isAtKeyStart = true
      keyStart = nil
    }
    // Padding between frames.
    while let packet = window[window.next], packet.payload.isEmpty { window.advance(to: window.next + 1) }
    guard window.next <= window.highest else { return .idle }
    guard let first = window[window.next] else { return .blocked(window.next) }
    var current = max(window.next, scanned)
    while current <= window.highest {
      guard let packet = window[current] else {
        scanned = current
        return .blocked(current)
      }
      // A new timestamp ends a frame whose sender sets no marker.
      if packet.timestamp != first.timestamp, !packet.payload.isEmpty { return assemble(first, upTo: current, &window) }
      current += 1
      if packet.marker, packet.timestamp == first.timestamp { return assemble(first, upTo: current, &window) }
    }
    scanned = current
    return .idle
  }

  private mutating func assemble(_ first: WaitingPacket, upTo end: Int64, _ window: inout PacketWindow) -> Step {
    var depacketizer = empty
    var completed = first.arrival
    var isWhole = true
    var hasParameters = self.hasParameters
    for sequence in window.next..<end {
      guard let packet = window[sequence], !packet.payload.isEmpty else { continue }
      completed = max(completed, packet.arrival)
      if format == .h264, !hasParameters { hasParameters = packet.payload.withUnsafeBytes { H264.hasSequenceParameters($0) } }
      isWhole = isWhole && depacketizer.append(packet.payload)
    }
    guard isWhole, let frame = depacketizer.take() else {
      seek(from: end, in: &window)
      return .broken
    }
    self.hasParameters = hasParameters
    window.advance(to: end)
    scanned = .min
    isAtKeyStart = false
    return .frame(
      EncodedFrame(data: frame.data, timestamp: first.timestamp, isKeyFrame: frame.isKeyFrame, completedAt: completed))
  }
}
