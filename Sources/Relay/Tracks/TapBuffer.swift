import RoomRTP

/// Puts the packets of a tap in order, and assembles them to frames. Begins anew when the format changes, or the publisher restarts.
struct TapBuffer {
  /// Sequence numbers that jump by more indicate a restarted publisher.
  private static let leap: Int64 = 3000

  private let configuration: JitterBuffer.Configuration?
  private var buffer: JitterBuffer?
  private var newest: Int64?

  /// - Parameter configuration: How long to wait for missing packets; nil for the default of the kind.
  init(configuration: JitterBuffer.Configuration? = nil) { self.configuration = configuration }

  /// The format of the frames; nil before the first packet.
  var format: PayloadFormat? { buffer?.format }

  /// Whether a packet continues the frames before. Otherwise take what is left by ``next(now:)``, and call ``begin(_:)``.
  func isContinued(by sequence: Int64, _ format: PayloadFormat) -> Bool {
    buffer?.format == format && newest.map { abs(sequence - $0) <= Self.leap } != false
  }

  mutating func begin(_ format: PayloadFormat) { buffer = JitterBuffer(format: format, configuration: configuration) }

  mutating func insert(
    _ payload: UnsafeRawBufferPointer, sequence: Int64, timestamp: UInt32, marker: Bool, arrival: Instant
  ) {
    newest = max(newest ?? sequence, sequence)
    var header = RTPHeader()
    header.sequenceNumber = UInt16(truncatingIfNeeded: sequence)
    header.timestamp = timestamp
    header.marker = marker
    header.payloadLength = payload.count
    buffer?.insert(header, payload: payload, now: arrival)
  }

  mutating func next(now: Instant) -> JitterBuffer.Output? { buffer?.next(now: now) }
}
