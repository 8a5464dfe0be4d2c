import RoomRTMP

/// Joins the connections of a pull. A new connection begins with the last key frame, so it repeats media that the viewers have:
/// that is dropped, and the times continue.
///
/// A stream on another timeline, such as that of another encoder, is not dropped; the hub continues its own timeline.
struct PullSeam: Sendable {
  /// The largest repetition in ms: the longest group of pictures that a viewer starts with, and a margin.
  private static let overlap: Int32 = 15_000

  private struct Track {
    /// The newest timestamp.
    var newest: UInt32?
    /// Whether the messages of a new connection may repeat earlier ones.
    var isJoining = false
  }

  private var tracks: [MediaMessage.Kind: Track] = [:]
  private var needsKeyFrame = false

  /// A connection begins.
  /// - Parameter isSame: whether it leads to the same server as the one before, whose pictures continue a group.
  mutating func connected(isSame: Bool) {
    for kind in MediaMessage.Kind.allCases { tracks[kind]?.isJoining = true }
    needsKeyFrame = !isSame
  }

  /// Returns whether the viewers get a message.
  mutating func admits(_ message: MediaMessage) -> Bool {
    let (isHeader, isKeyFrame) = Self.role(of: message)
    if isHeader { return true }
    var track = tracks[message.kind] ?? Track()
    if track.isJoining, let newest = track.newest {
      let step = Int32(bitPattern: message.timestamp &- newest)
      if step <= 0, step > -Self.overlap { return false }
    }
    if message.kind == .video, needsKeyFrame {
      guard isKeyFrame else { return false }
      needsKeyFrame = false
    }
    track.newest = message.timestamp
    track.isJoining = false
    tracks[message.kind] = track
    return true
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
