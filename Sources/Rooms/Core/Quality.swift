import RoomProtocol
import RoomSFU

// How well the participants' connections carry their media. Changes are collected, so that a large room on a bad network sends
// one event a second.

extension RoomCore {
  private static let qualityInterval = Duration.seconds(1)
  /// The participants in one event. The others follow a second later.
  private static let qualitiesPerEvent = 100

  mutating func setQuality(on transport: TransportID, _ publishing: LinkQuality?, _ subscribing: LinkQuality?) {
    guard let (participant, _) = roster.owner(of: transport), participant.isVisible else { return }
    var quality = participant.quality
    if let publishing { quality.uplink = NetworkQuality(publishing) }
    if let subscribing { quality.downlink = NetworkQuality(subscribing) }
    guard quality != participant.quality else { return }
    roster.setQuality(quality, of: participant.user)
    changedQualities.insert(participant.user)
    if !timers.isSet(.quality) { timers.set(.quality, at: time(in: Self.qualityInterval)) }
  }

  /// Sends the collected changes.
  mutating func sendQualities() {
    let users = changedQualities.sorted().prefix(Self.qualitiesPerEvent)
    changedQualities.subtract(users)
    let qualities = users.compactMap { roster[$0]?.quality }
    if !qualities.isEmpty { broadcast(.networkQuality(NetworkQualityData(users: qualities))) }
    if !changedQualities.isEmpty { timers.set(.quality, at: time(in: Self.qualityInterval)) }
  }

  /// Sends a new participant those whose connection is not good, and one that resumes also whose is good again: it may have missed
  /// the change.
  mutating func sendQualities(to user: UserID, resumes: Bool = false) {
    let reported = roster.rated.sorted().compactMap { roster[$0]?.quality }
      .filter { resumes || $0 != UserQuality(userId: $0.userId) }
    for start in stride(from: 0, to: reported.count, by: Self.qualitiesPerEvent) {
      let part = reported[start..<min(start + Self.qualitiesPerEvent, reported.count)]
      send(.networkQuality(NetworkQualityData(users: Array(part))), to: user)
    }
  }
}

extension NetworkQuality {
  init(_ quality: LinkQuality) {
    self =
      switch quality {
      case .good: .good
      case .weak: .weak
      case .bad: .bad
      }
  }
}
