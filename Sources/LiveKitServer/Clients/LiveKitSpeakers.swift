import Foundation
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer

/// The speakers of a room as a LiveKit client receives them: changes only, at intervals.
struct LiveKitSpeakers: Sendable {
  /// Milliseconds between two messages about levels.
  private static let interval: Int64 = 400

  private var levels: [UserID: Float] = [:]
  private var active: Set<UserID> = []
  private var last: Int64 = 0

  /// Notes levels. Returns the speakers to send, if it is time.
  /// - Parameter now: milliseconds since 1970.
  mutating func note(_ data: AudioLevelsData, at now: Int64) -> [UserID: Float] {
    levels = [:]
    for level in data.levels {
      // RFC 6464: a level of 0 dBov is full scale.
      levels[level.userId] = max(levels[level.userId] ?? 0, Float(pow(10, Double(level.level) / 20)))
    }
    guard now - last >= Self.interval, !active.isEmpty else { return [:] }
    last = now
    return Dictionary(uniqueKeysWithValues: active.map { ($0, levels[$0] ?? 0) })
  }

  /// Notes who speaks. Returns the speakers whose state changed, with a level of 0 for those who ended.
  mutating func note(_ data: ActiveSpeakersData, at now: Int64) -> [(user: UserID, level: Float, isActive: Bool)] {
    let speaking = Set(data.userIds)
    defer { (active, last) = (speaking, now) }
    return active.symmetricDifference(speaking).sorted { $0.rawValue < $1.rawValue }.map { user in
      speaking.contains(user) ? (user, levels[user] ?? 0, true) : (user, 0, false)
    }
  }
}
