import RoomLiveOrigin
import RoomProtocol

// The room's play URLs, for participants that watch its stream instead of its tracks.

extension RoomCore {
  /// The frame rate of a variant whose size alone is requested.
  private static let usualFrameRate = 15

  /// Answers a participant with the room's play URLs.
  /// - Returns: nil, because the room's environment signs the URLs and answers.
  mutating func playURLs(_ picture: PlayPicture, _ requester: Requester) throws(RoomError) -> (any Codable & Sendable)? {
    guard case .client(_, let connection, let request) = requester else {
      throw RoomError(.noPermission, "only a user in the room can do this; GET /v1/rooms/{room} has the URLs")
    }
    emit(.answerPlay(connection, request: request, try Self.variant(picture)))
    return nil
  }

  private static func variant(_ picture: PlayPicture) throws(RoomError) -> StreamVariant.Picture? {
    guard picture.width != nil || picture.height != nil else {
      guard picture.fps == nil else { throw RoomError(.cdnParameters, "fps: a frame rate needs a width and a height") }
      return nil
    }
    guard let width = picture.width, let height = picture.height else {
      throw RoomError(.cdnParameters, "width: a size has a width and a height")
    }
    let frameRate = picture.fps ?? usualFrameRate
    guard StreamVariant.frameRates.contains(frameRate) else {
      throw RoomError(.cdnParameters, "fps: 10, 15, 24 or 30, not \(frameRate)")
    }
    guard let variant = StreamVariant.Picture(width: width, height: height, frameRate: frameRate) else {
      throw RoomError(.cdnParameters, "width: there is no variant of \(width)x\(height); docs/origin.md lists the sizes")
    }
    return variant
  }
}
