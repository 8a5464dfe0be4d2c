import RoomClient
import RoomCodecs
import RoomProtocol
import Synchronization

/// The remote tracks that are decoded for a mix.
final class DecodedTracks<Playback: Sendable>: Sendable {
  /// A decoder, and the task that passes on what it decodes.
  typealias Decoding = (playback: Playback, task: Task<Void, Never>)

  private let decoded = Mutex<[TrackID: Decoding]>([:])

  deinit { stop() }

  /// Decodes these tracks and no others. Tracks that stay are decoded without an interruption.
  /// - Returns: the tracks that are no longer decoded.
  /// - Throws: `CodecError` for a track that cannot be decoded. The old tracks remain.
  func set(
    _ tracks: some Sequence<RemoteTrack>, decode: (RemoteTrack) throws(CodecError) -> Decoding
  ) throws(CodecError) -> [TrackID] {
    let known = decoded.withLock { Set($0.keys) }
    var added: [TrackID: Decoding] = [:]
    for track in tracks where !known.contains(track.trackId) && added[track.trackId] == nil {
      added[track.trackId] = try decode(track)
    }
    let wanted = Set(tracks.map(\.trackId))
    let gone = known.subtracting(wanted)
    decoded.withLock { [added] decoded in
      for id in gone { decoded.removeValue(forKey: id)?.task.cancel() }
      decoded.merge(added) { old, _ in old }
    }
    return Array(gone)
  }

  func stop() {
    decoded.withLock { decoded in
      for decoding in decoded.values { decoding.task.cancel() }
      decoded = [:]
    }
  }
}
