import RoomRTP

/// Divides the bitrate of a transport among its tracks, so that nothing starves audio.
enum BitrateShares {
  /// A video track. Bitrates are in bits per second.
  struct Video {
    var mid: Mid
    /// The most that it uses; nil for no limit.
    var ceiling: Int?
    /// The least that it can use.
    var minimum: Int
  }

  /// Returns the bitrate of each video. What audio leaves pays the minimum of each video, the smallest first; a video whose
  /// minimum is not left gets 0. The others divide the rest evenly, up to their ceilings.
  static func divide(_ total: Int, audio: Int, among videos: [Video]) -> [Mid: Int] {
    let ordered = videos.sorted {
      ($0.ceiling ?? .max, $0.minimum, $0.mid.rawValue) < ($1.ceiling ?? .max, $1.minimum, $1.mid.rawValue)
    }
    var shares = Dictionary(videos.map { ($0.mid, 0) }, uniquingKeysWith: { first, _ in first })
    var left = max(0, total - audio)
    let shown = ordered.filter { video in
      let minimum = min(video.minimum, video.ceiling ?? .max)
      guard left > 0, minimum <= left else { return false }
      shares[video.mid] = minimum
      left -= minimum
      return true
    }
    var count = shown.count
    for video in shown {
      let minimum = shares[video.mid] ?? 0
      let share = min(minimum + left / count, max(video.ceiling ?? .max, minimum))
      shares[video.mid] = share
      left -= share - minimum
      count -= 1
    }
    return shares
  }
}
