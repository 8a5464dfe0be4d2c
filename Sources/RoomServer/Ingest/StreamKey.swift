import Foundation
import RoomDigests
import RoomProtocol
import RoomToken

/// A key with which an encoder publishes as one participant of a room, without a token; or what stands for a player in lists of keys. It is
/// stored as a document.
package struct StreamKey: Codable, Sendable, Hashable {
  /// How the encoder sends; `url` for a player of a URL, with whose key nobody can publish.
  package enum Input: String, Codable, Sendable { case rtmp, whip, url }

  /// The application of RTMP and SRT to which encoders with a key publish.
  package static let app = "ingress"
  /// What ids of keys begin with.
  package static let prefix = "IN_"
  /// The length of the rest of the id, with which the key begins.
  package static let idLength = 12

  package let id: String
  /// What the encoder sends: the id without its prefix, and a secret.
  package let key: String
  package let input: Input
  package var room: RoomName
  package var user: UserID
  package var profile: ParticipantProfile
  package var isEnabled: Bool
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// What the app named it and set besides, as its API describes it.
  package var description: [UInt8]

  package init(
    _ input: Input, room: RoomName, user: UserID, profile: ParticipantProfile, description: [UInt8], createdAt: Int64
  ) {
    let secret = (0..<18).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
    id = Self.prefix + secret.prefix(Self.idLength)
    key = secret
    self.input = input
    (self.room, self.user, self.profile, isEnabled) = (room, user, profile, true)
    (self.createdAt, self.description) = (createdAt, description)
  }

  /// Returns the id of a key; nil for a text that is none.
  package static func id(of key: String) -> String? {
    let bytes = key.utf8
    guard bytes.count == 36, bytes.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }) else { return nil }
    return prefix + key.prefix(idLength)
  }

  /// A token for one publish, which begins now.
  package var token: RoomToken {
    RoomToken(room: room, user: user, grants: [.publish], expires: Date(timeIntervalSinceNow: Self.tokenTime))
  }

  /// Seconds.
  private static let tokenTime: Double = 60
}
