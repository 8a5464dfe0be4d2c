import Foundation
import NIOPosix

/// A track to record as it is published.
public struct RecordedTrackSource: Sendable, Hashable {
  public var user: String
  public var tag: String?
  /// `audio` or `video`.
  public var kind: String

  public init(user: String, tag: String?, kind: String) {
    self.user = user
    self.tag = tag
    self.kind = kind
  }

  /// Returns the name of its file: room, user, tag and the time in UTC, each of the characters of a ``RecordingName``.
  /// - Parameter at: ms since 1970.
  func fileName(room: String, at: Int64) -> RecordingName? {
    func part(_ text: String, _ most: Int) -> String {
      let allowed = text.utf8.prefix(most).map { byte -> UInt8 in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "-"): byte
        default: UInt8(ascii: "_")
        }
      }
      return String(decoding: allowed, as: UTF8.self)
    }
    let time = Date(timeIntervalSince1970: Double(at) / 1000).formatted(
      .iso8601.dateSeparator(.omitted).timeSeparator(.omitted))
    return RecordingName("\(part(room, 36)).\(part(user, 36)).\(part(tag ?? kind, 24)).\(time).mp4")
  }
}

// Files of single tracks.

extension Recordings {
  /// The maximum number of tracks that are recorded at once.
  static let mostTracks = 256

  /// Creates the file of a track.
  /// - Parameters:
  ///   - startedAt: when its first frame was captured, in ms since 1970.
  ///   - ended: called once on a writer thread when the file is complete or has failed.
  /// - Throws: ``RecordingFailure`` if no file can be created.
  func begin(
    _ source: RecordedTrackSource, _ format: TrackFormat, of owner: RecordingOwner, startedAt: Int64,
    ended: @escaping @Sendable (RecordingFailure?) -> Void
  ) throws(RecordingFailure) -> TrackOutlet {
    guard let name = source.fileName(room: owner.room, at: startedAt) else {
      throw .directory("no name for the file of a track")
    }
    let track = RecordingFacts.Track(
      user: source.user, tag: source.tag, kind: source.kind, codec: format.codec.rawValue, startedAt: startedAt)
    return try hold { (number, pool, tally) throws(RecordingFailure) in
      for part in 1...99 {
        do throws(RecordingFailure) {
          let file = try CataloguedFile(name.part(part), in: self.catalogue, owner: owner, track: track)
          return TrackOutlet(
            name.part(part), format, file: file, startedAt: startedAt, settings: self.settings, pool: pool, tally: tally
          ) { [weak self] failure in
            self?.release(number)
            ended(failure)
          }
        } catch .exists {
          // The same user began another track of this tag within a second.
        }
      }
      throw .exists(name.description)
    }
  }
}
