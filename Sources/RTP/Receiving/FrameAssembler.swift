/// Assembles video frames from the packets in a window, in decode order: whole frames without a gap between them. After a loss
/// it waits for the next key frame.
struct FrameAssembler: Sendable {
  /// The result of one attempt to assemble a frame.
  enum Step {
    case frame(EncodedFrame)
    /// A frame is lost: its packets do not form a valid frame.
    case broken
    /// This packet is missing, and later ones have arrived.
    case blocked(Int64)
    /// No key frame has started.
    case seeking
    /// No further packet has arrived.
    case idle
  }

  private let format: PayloadFormat
  private let empty: FrameDepacketizer
  /// Whether the next frame must be a key frame.
  private(set) var isSeeking = true
  /// The start of the first key frame that arrived since seeking began.
  private var keyStart: Int64?
  /// Whether no frame was assembled since the start of a key frame was found.
  private var isAtKeyStart = false
  private var hasParameters = false
  /// Whether the sender sets marker bits.
  private var setsMarkers = false
  /// The sequence number up to which the current frame was examined.
  private var scanned: Int64 = .min

  /// Creates an assembler. Returns nil for audio formats.
  init?(format: PayloadFormat) {
    guard let empty = FrameDepacketizer(format) else { return nil }
    self.format = format
    self.empty = empty
  }

  private func startsKeyFrame(_ payload: UnsafeRawBufferPointer) -> Bool {
    switch format {
    // An IDR slice is only useful to a decoder that has the parameter sets.
    case .h264 where !hasParameters: H264.hasSequenceParameters(payload)
    // Some senders never set the predicted flag, so the frame itself is examined.
    case .vp9:
      VP9.startsKeyFrame(payload)
        && VP9Descriptor(parsing: payload).map { VP9.isKeyFrame(payload.part(from: $0.length)) } == true
    default: format.startsKeyFrame(payload)
    }
  }

  /// Updates the state after a packet was inserted into the window.
  mutating func inserted(_ sequence: Int64, _ payload: UnsafeRawBufferPointer) {
    guard isSeeking, startsKeyFrame(payload) else { return }
    keyStart = min(keyStart ?? sequence, sequence)
  }

  /// Returns whether the packet, which is older than the window, belongs to the awaited key frame: that frame started earlier
  /// than assumed.
  func extendsKeyFrame(_ sequence: Int64, timestamp: UInt32, in window: PacketWindow) -> Bool {
    guard isAtKeyStart, window.next - sequence <= 8, let first = window[window.next] else { return false }
    return first.timestamp == timestamp
  }

  /// Examines the current frame again, after the window was extended backwards.
  mutating func rescan() { scanned = .min }

  /// Drops the frame at the start of the window and looks for a key frame from `sequence` on.
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

  /// Takes the next frame out of the window if it is complete.
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
      // A new timestamp ends the frame if the sender sets no marker bit.
      if packet.timestamp != first.timestamp, !packet.payload.isEmpty {
        guard !isCutOff else {
          seek(from: current, in: &window)
          return .broken
        }
        return assemble(first, upTo: current, &window)
      }
      current += 1
      if packet.marker, packet.timestamp == first.timestamp {
        setsMarkers = true
        return assemble(first, upTo: current, &window)
      }
    }
    scanned = current
    return .idle
  }

  /// Whether a frame without a marker lacks its end: a simulcast layer that is left within a frame continues with the next layer's
  /// key frame, without a gap in the numbers. VP9 and AV1 mark the end in their payloads.
  private var isCutOff: Bool { setsMarkers && (format == .vp8 || format == .h264) }

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
