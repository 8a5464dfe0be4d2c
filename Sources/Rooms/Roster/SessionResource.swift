import Foundation
import RoomRTP
import RoomProtocol
import RoomSFU
import RoomWebRTC

/// The id of a WHIP or WHEP session, chosen by the server.
package struct SessionResourceID: Identifier {
  package let rawValue: String
  package init(_ text: String) { rawValue = text }
}

/// The HTTP resource of a WHIP or WHEP session: an unguessable URL, its user, and its ICE state (RFC 9725 §4.3).
package struct SessionResource: Sendable {
  /// The last segment of its URL: 122 random bits.
  package let id: SessionResourceID
  /// The user of the token that started it; further requests need a token of the same user.
  let user: UserID
  let transport: TransportID
  /// The entity tag of the ICE session (RFC 9110 §8.8.3), quotes included; each restart makes a new one.
  package private(set) var entityTag: String
  private(set) var local: TransportParameters
  private(set) var remote: TransportParameters
  /// The m-line that represents the bundle.
  private let tagged: (mid: Mid, kind: String)
  private var restarts = 0

  /// Maximum number of ICE restarts: each leaves a user fragment at the worker.
  static let maximumRestarts = 60

  init(
    user: UserID, transport: TransportID, local: TransportParameters, remote: TransportParameters, media: RTPParameters,
    entropy: inout Entropy
  ) {
    id = SessionResourceID(entropy.uuid().lowercased())
    entityTag = Self.newTag(&entropy)
    self.user = user
    self.transport = transport
    self.local = local
    self.remote = remote
    tagged = (media.mid, media.kind.rawValue)
  }

  /// The change that a PATCH makes.
  enum Change: Sendable {
    /// Candidates of the client, which an ICE-lite server does not need.
    case trickle
    /// New credentials on both sides, with the fragment to answer.
    case restart(ICEFragment)
  }

  /// Handles a PATCH.
  /// - Parameter match: the value of `If-Match`.
  /// - Throws: the response to send; the ICE session does not change.
  mutating func patch(
    _ fragment: ICEFragment, match: String?, entropy: inout Entropy
  ) throws(SessionRefusal) -> Change {
    guard let match else { throw .preconditionRequired }
    let tags = match.split(separator: ",").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
    // Weak tags match nothing (RFC 9110 §13.1.1).
    guard tags == ["*"] || tags.contains(where: { $0 == entityTag }) else { throw .preconditionFailed }
    guard let credentials = fragment.credentials else {
      if tags == ["*"] { throw .badRequest("an ICE restart needs a=ice-ufrag and a=ice-pwd") }
      return .trickle
    }
    if credentials == remote.credentials { return .trickle }
    guard restarts < Self.maximumRestarts else { throw .tooManyRestarts(Self.maximumRestarts) }
    restarts += 1
    remote.credentials = credentials
    remote.candidates = fragment.candidates
    local.credentials = .random(using: &entropy)
    entityTag = Self.newTag(&entropy)
    return .restart(
      ICEFragment(
        credentials: local.credentials, candidates: local.candidates, iceLite: true, mid: tagged.mid, kind: tagged.kind))
  }

  private static func newTag(_ entropy: inout Entropy) -> String { "\"\(String(entropy.next(), radix: 16))\"" }
}
