import RoomRelay
import Synchronization

/// The mixes that rooms of this server send together, because all of them show and play the same: one room composes and encodes, the
/// others send that room's mix.
final class SharedMixes: Sendable {
  /// One room's mix among those with the same content.
  struct Member: Hashable, Sendable {
    fileprivate let number: UInt64
    let content: SharedContent
  }

  private struct Entry {
    let mix: LiveMix
    let owner: Member
    /// The rooms that send the mix of another one, with the callback that separates them.
    var followers: [Member: @Sendable () -> Void] = [:]
  }

  private struct State {
    var entries: [SharedContent: Entry] = [:]
    var lastNumber: UInt64 = 0
  }

  private let state = Mutex(State())

  /// The number of rooms that send the mix of another one.
  var followers: Int { state.withLock { $0.entries.values.reduce(0) { $0 + $1.followers.count } } }

  /// Adds a room's mix.
  /// - Parameter separated: called when the room that encodes is about to change its mix; the member then is none any more.
  /// - Returns: the member, and the mix to send instead; nil if that is the room's own.
  func join(
    _ content: SharedContent, _ mix: LiveMix, separated: @escaping @Sendable () -> Void
  ) -> (member: Member, other: LiveMix?) {
    state.withLock { state in
      state.lastNumber += 1
      let member = Member(number: state.lastNumber, content: content)
      if let known = state.entries[content]?.mix {
        state.entries[content]?.followers[member] = separated
        return (member, known)
      }
      state.entries[content] = Entry(mix: mix, owner: member)
      return (member, nil)
    }
  }

  /// Whether other rooms send the member's mix.
  func isFollowed(_ member: Member) -> Bool {
    state.withLock { state in state.entries[member.content].map { $0.owner == member && !$0.followers.isEmpty } ?? false }
  }

  /// Removes a member. Without the room that encodes, all others are separated.
  func leave(_ member: Member) {
    let separated = state.withLock { state -> [@Sendable () -> Void] in
      guard let entry = state.entries[member.content] else { return [] }
      guard entry.owner == member else {
        state.entries[member.content]?.followers[member] = nil
        return []
      }
      state.entries[member.content] = nil
      return Array(entry.followers.values)
    }
    for separate in separated { separate() }
  }
}
