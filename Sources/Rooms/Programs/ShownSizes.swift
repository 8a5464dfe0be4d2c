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
  /// The tracks that other rooms show, in sizes of theirs.
  private var lent: Set<MediaTrackID> = []

  /// Returns the size that is enough for all mixes that show the track; nil for the full size, if none shows it or another
  /// room does.
  func size(of track: MediaTrackID) -> PictureSize? {
    guard !lent.contains(track) else { return nil }
    return mixes.values.reduce(nil) { largest, mix in
      guard let size = mix.tracks[track].flatMap({ mix.sizes[$0] }) else { return largest }
      return PictureSize(width: max(largest?.width ?? 0, size.width), height: max(largest?.height ?? 0, size.height))
    }
  }

  /// Sets the frames of a mix. Returns the tracks whose size may have changed.
  mutating func set(_ plan: MixPlan, of mix: MixID) -> [MediaTrackID] {
    var sizes: [String: PictureSize] = [:]
    for item in plan.layouts {
      guard let video = item.video, let width = item.layout.width, let height = item.layout.height else { continue }
      let input = MixPlan.Item.input(.video, video)
      let known = sizes[input]
      sizes[input] = PictureSize(width: max(known?.width ?? 0, width), height: max(known?.height ?? 0, height))
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

  /// Records that another room may show the track.
  mutating func lend(_ track: MediaTrackID) { lent.insert(track) }

  mutating func forget(_ track: MediaTrackID) { lent.remove(track) }
}
