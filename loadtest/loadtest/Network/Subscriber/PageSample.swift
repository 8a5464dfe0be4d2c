/// What the page's `getStats` said at one time. Counters are those since the start of the stream; nil before it.
struct PageSample: Codable, Sendable, Equatable {
  struct Stream: Codable, Sendable, Equatable {
    var packetsReceived: Double?
    var packetsLost: Double?
    var bytesReceived: Double?
    var retransmittedPacketsReceived: Double?
    var nackCount: Double?
    var jitterBufferDelay: Double?
    var jitterBufferEmittedCount: Double?
    /// The sender's time of what is played now, in milliseconds of its NTP clock.
    var estimatedPlayoutTimestamp: Double?
    // Video.
    var framesDecoded: Double?
    var framesDropped: Double?
    var freezeCount: Double?
    /// Seconds.
    var totalFreezesDuration: Double?
    var frameHeight: Double?
    var pliCount: Double?
    var firCount: Double?
    var decoderImplementation: String?
    // Audio.
    var concealedSamples: Double?
    var silentConcealedSamples: Double?
    var totalSamplesReceived: Double?
  }

  /// Milliseconds since 1970.
  var at: Double
  /// Whether the server has paused the video for lack of bandwidth.
  var isPaused: Bool?
  var video = Stream()
  var audio = Stream()
}
