import RoomProtocol
import RoomSFU

/// The sizes in which the mixes of a room show its tracks: a mix needs no larger layer of a simulcast.
struct ShownSizes {
  private struct Shown {
    /// The frames of each input.
    var sizes: [String: PictureSize] = [:]
    var tracks: [MediaTrackID: String] = [:]
  }

  private var mixes: [MixID: Shown] = [:]

  /// Returns the size that is enough for all mixes that show the track; nil if none shows it.
  func size(of track: MediaTrackID) -> PictureSize? {
    mixes.values.reduce(nil) { largest, mix in
      mix.tracks[track].flatMap { mix.sizes[$0] }.map { $0.union(largest) } ?? largest
    }
  }

  /// Sets the frames of a mix. Returns the tracks whose size may have changed.
  mutating func set(_ plan: MixPlan, of mix: MixID) -> [MediaTrackID] {
    var sizes: [String: PictureSize] = [:]
    for item in plan.layouts {
      guard let video = item.video, let width = item.layout.width, let height = item.layout.height else { continue }
      let input = MixPlan.Item.input(.video, video)
      sizes[input] = PictureSize(width: width, height: height).union(sizes[input])
    }
    mixes[mix, default: Shown()].sizes = sizes
    return Array(mixes[mix]?.tracks.keys ?? [:].keys)
  }

  /// Sets the tracks of a mix. Returns those whose size may have changed.
  mutating func set(_ tracks: [MixTrackID], of mix: MixID) -> [MediaTrackID] {
    let before = mixes[mix]?.tracks ?? [:]
    let now = Dictionary(tracks.map { ($0.source.track, $0.input) }) { first, _ in first }
    mixes[mix, default: Shown()].tracks = now
    return Array(Set(before.keys).union(now.keys))
  }

  /// Removes a mix. Returns the tracks that it showed.
  mutating func remove(_ mix: MixID) -> [MediaTrackID] { Array((mixes.removeValue(forKey: mix)?.tracks ?? [:]).keys) }
}

extension PictureSize {
  /// Returns the size that is as wide and as high as both.
  func union(_ other: PictureSize?) -> PictureSize {
    PictureSize(width: max(width, other?.width ?? 0), height: max(height, other?.height ?? 0))
  }
}
