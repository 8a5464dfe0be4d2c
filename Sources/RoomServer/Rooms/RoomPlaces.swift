import RoomProtocol
import RoomToken

/// The places of a room: how many are taken, and by whom.
///
/// Some places are reserved for participants that may publish, so that viewers alone can't keep a host out.
struct RoomPlaces: Sendable, Hashable {
  let most: Int
  let reserved: Int
  /// Participants whose token has the `publish` grant.
  var publishers = 0
  /// All other participants, and viewers.
  var others = 0

  /// - Parameter share: percent of the places that are reserved, rounded up; all but one at most.
  init(most: Int, publisherShare share: Int) {
    self.most = most
    let places = Double(most) * Double(min(max(share, 0), 100)) / 100
    reserved = max(0, min(Int(places.rounded(.up)), most - 1))
  }

  func hasPlace(publishes: Bool) -> Bool {
    guard publishers + others < most else { return false }
    return publishes || others < most - reserved
  }
}

extension Room {
  /// Sessions over HTTP that may wait for their media at once. They take no place yet, but each has a transport.
  private static let mostWaiting = 1000

  /// - Parameter user: whose participant is left out, because it is replaced.
  private func places(without user: UserID?) -> RoomPlaces {
    var places = RoomPlaces(most: settings.participants, publisherShare: settings.limits.publisherShare)
    for participant in participants.values where participant.takesPlace && participant.userId != user {
      if participant.grants.contains(.publish) { places.publishers += 1 } else { places.others += 1 }
    }
    places.others += viewers.values.count { $0.takesPlace }
    return places
  }

  /// Explains why nobody else is let in, and counts the refusal; nil if there is a place.
  /// - Parameters:
  ///   - user: whose participant, if there is one, is replaced.
  ///   - publishes: whether the places that are reserved for publishers are open too.
  func fullSentence(for user: UserID?, publishes: Bool) -> String? {
    let places = places(without: user)
    guard !places.hasPlace(publishes: publishes) else { return nil }
    surroundings.counters.count(limit: .participants)
    guard places.publishers + places.others < places.most else {
      return "the room is full: it takes \(settings.participants) participants"
    }
    return "the room is full: the last \(places.reserved) of its \(settings.participants) places are reserved for publishers"
  }

  /// Explains why no further session over HTTP begins, and counts the refusal; nil if one may.
  func sessionsSentence(for token: RoomToken) -> String? {
    let limits = settings.limits
    let ofUser = viewers.values.filter { $0.token.user == token.user }
    let ofToken = ofUser.count { $0.token.id == token.id && $0.token.expires == token.expires }
    let waiting = viewers.values.count { !$0.takesPlace } + participants.values.count { !$0.takesPlace }
    let sentence: String
    if ofToken >= limits.sessionsPerToken {
      sentence = "the token has \(limits.sessionsPerToken) sessions in the room; end one, or wait until one has timed out"
    } else if ofUser.count >= limits.sessionsPerUser {
      sentence = "the user has \(limits.sessionsPerUser) sessions in the room; end one, or wait until one has timed out"
    } else if waiting >= Self.mostWaiting {
      sentence = "\(Self.mostWaiting) sessions of the room wait for their media; try again in a few seconds"
    } else {
      return nil
    }
    surroundings.counters.count(limit: .sessions)
    return sentence
  }
}
