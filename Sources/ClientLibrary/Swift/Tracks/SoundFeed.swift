import RoomCodecs

/// The connection from a sound studio to a track or a session that takes its sound.
final class SoundFeed: Sendable {
  private let remove: @Sendable () -> Void

  /// - Parameter remove: ends the connection.
  init(_ remove: @escaping @Sendable () -> Void) { self.remove = remove }

  func end() { remove() }
}
