import RoomRTMP
import RoomRTP

/// Joins the connections of a pull on one timeline.
///
/// - A new connection to the same server begins with the last key frame, so it repeats media that the viewers have: that is
///   dropped, and the times continue.
/// - Another server continues the times, as a job does that has moved. If its times are others, as those of another encoder, they
///   are shifted to follow the earlier ones after the elapsed time.
struct PullSeam: Sendable {
  /// The largest repetition in ms: the longest group of pictures that a viewer starts with, and a margin.
  private static let overlap: Int32 = 15_000
  /// The largest step in ms of times that continue.
  private static let largestStep: Int32 = 10_000

  private struct Track {
    /// The newest timestamp.
    var newest: UInt32?
    /// Whether the messages of a new connection may repeat earlier ones.
    var isJoining = false
  }

  private var tracks: [MediaMessage.Kind: Track] = [:]
  /// The newest timestamp of all tracks, and its arrival.
  private var newest: (timestamp: UInt32, at: Instant)?
  /// Added to the timestamps of the server.
  private var shift: UInt32 = 0
  private var isOtherServer = false
  private var needsKeyFrame = false

  /// A connection begins.
  /// - Parameter isSame: whether it leads to the same server as the one before, whose pictures continue a group.
  mutating func connected(isSame: Bool) {
    for kind in MediaMessage.Kind.allCases { tracks[kind]?.isJoining = isSame }
    isOtherServer = !isSame
    needsKeyFrame = !isSame
  }

  /// Returns the message for the viewers; nil if they do not get it.
  mutating func joined(_ message: MediaMessage, now: Instant) -> MediaMessage? {
    let (isHeader, isKeyFrame) = Self.role(of: message)
    if isHeader { return message }
    if message.kind == .video, needsKeyFrame, !isKeyFrame { return nil }
    if isOtherServer { begin(at: message.timestamp, now) }
    let timestamp = message.timestamp &+ shift
    var track = tracks[message.kind] ?? Track()
    if track.isJoining, let newest = track.newest {
      let step = Int32(bitPattern: timestamp &- newest)
      if step <= 0, step > -Self.overlap { return nil }
    }
    if message.kind == .video { needsKeyFrame = false }
    track.newest = timestamp
    track.isJoining = false
    tracks[message.kind] = track
    if newest.map({ Int32(bitPattern: timestamp &- $0.timestamp) > 0 }) ?? true { newest = (timestamp, now) }
    return shift == 0 ? message : MediaMessage(message.kind, timestamp: timestamp, payload: message.payload)
  }

  /// Fits the timeline of another server to that of the viewers.
  private mutating func begin(at timestamp: UInt32, _ now: Instant) {
    isOtherServer = false
    shift = 0
    guard let newest else { return }
    let step = Int32(bitPattern: timestamp &- newest.timestamp)
    guard step <= 0 || step > Self.largestStep else { return }
    let elapsed = UInt32(clamping: max(1, (now - newest.at) / 1000))
    shift = newest.timestamp &+ elapsed &- timestamp
  }

  private static func role(of message: MediaMessage) -> (isHeader: Bool, isKeyFrame: Bool) {
    message.payload.withUnsafeBytes { payload in
      switch message.kind {
      // Metadata, which the hub recognises.
      case .data: (true, false)
      case .video:
        VideoTag(parsing: payload).map { tag in
          (tag.isSequenceHeader || tag.packetType == .metadata, tag.isKeyFrame)
        } ?? (false, false)
      case .audio:
        AudioTag(parsing: payload).map { tag in
          (tag.isSequenceHeader || tag.packetType == .multichannelConfig, false)
        } ?? (false, false)
      }
    }
  }
}
