import RoomRTMP

/// What a live server has received on one URL, over all connections of its publishers.
struct PublishedStream: Sendable {
  private(set) var connections = 0
  private(set) var messages = 0
  /// The number of messages whose timestamp is not beyond that of the one before, of the same kind.
  private(set) var backward = 0
  /// The longest step of the sound's timestamps, or of the pictures'; ms.
  private(set) var longestStep: Int64 = 0
  /// The longest time between the arrivals of two pictures, or of two pieces of sound.
  private(set) var longestWait = Duration.zero
  private var last: [MediaMessage.Kind: (timestamp: UInt32, arrival: ContinuousClock.Instant)] = [:]

  mutating func began() { connections += 1 }

  /// Counts a message. Headers carry no media.
  mutating func received(_ message: MediaMessage, at now: ContinuousClock.Instant = .now) {
    let isHeader = message.payload.withUnsafeBytes { bytes in
      switch message.kind {
      case .audio: AudioTag(parsing: bytes)?.isSequenceHeader ?? true
      case .video: VideoTag(parsing: bytes)?.isSequenceHeader ?? true
      case .data: true
      }
    }
    guard !isHeader else { return }
    messages += 1
    if let last = last[message.kind] {
      // Modulo 2³².
      let step = Int64(Int32(bitPattern: message.timestamp &- last.timestamp))
      if step <= 0 { backward += 1 }
      longestStep = max(longestStep, step)
      longestWait = max(longestWait, now - last.arrival)
    }
    last[message.kind] = (message.timestamp, now)
  }
}
