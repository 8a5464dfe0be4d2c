import RoomRTP

/// A scene that a mix shows next: once its new sources have pictures, so that no frame starts empty.
struct SceneChange {
  /// What is known of a source.
  enum Source {
    /// The source is not an input of the mix.
    case absent
    /// The source has sent no picture yet.
    case empty
    /// The source has a picture, or will have none.
    case ready
  }

  /// How long a source may take to become an input, in µs.
  private static let inputTimeout: Int64 = 100_000
  /// How long an input may take to send its first picture, in µs.
  private static let pictureTimeout: Int64 = 1_000_000

  var scene: MixScene
  /// When the first scene that was not shown since was set.
  let since: Instant

  /// Returns whether to show the scene now.
  /// - Parameters:
  ///   - shown: The present scene, whose sources are not awaited.
  ///   - source: Returns what is known of a source.
  func isDue(after shown: MixScene, now: Instant, source: (String) -> Source) -> Bool {
    let waited = now - since
    guard waited < Self.pictureTimeout else { return true }
    let known = Set(shown.placements.map(\.source))
    return scene.placements.allSatisfy { placement in
      guard !known.contains(placement.source) else { return true }
      switch source(placement.source) {
      case .absent: return waited >= Self.inputTimeout
      case .empty: return false
      case .ready: return true
      }
    }
  }
}
