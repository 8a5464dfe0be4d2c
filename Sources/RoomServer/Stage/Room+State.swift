import Foundation
import RoomProtocol
import RoomState
import RoomToken

// What a room knows of seats, requests, PK, messages and attributes: the state machine decides, and this carries out what it says.

extension Room {
  static var milliseconds: Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  /// Carries out a call of a participant; the second value tells what came of it.
  func performed(
    _ call: SignalCall, by participant: Participant
  ) throws(RoomError) -> (Result<any Codable & Sendable, RoomError>, announce: () -> Void) {
    let (result, announce) = try perform(call, by: .user(participant.userId))
    return (.success(result), announce)
  }

  /// Carries out a call of the API.
  func perform(_ call: SignalCall) throws(RoomError) -> any Codable & Sendable {
    guard !isClosed else { throw RoomError(.notInRoom, "the room is closed") }
    let (result, announce) = try perform(call, by: .api)
    announce()
    return result
  }

  private func perform(
    _ call: SignalCall, by caller: Caller
  ) throws(RoomError) -> (any Codable & Sendable, announce: () -> Void) {
    do throws(RoomError) {
      let result = try state.perform(call, by: caller, at: Self.milliseconds, newID: { PKID(UUID().uuidString) })
      return (result ?? Empty(), { self.tellState() })
    } catch {
      // Time has passed all the same.
      tellState()
      throw error
    }
  }

  /// All that the state machine knows, and the jobs.
  var stateSnapshot: RoomSnapshot {
    var snapshot = state.snapshot(for: nil)
    snapshot.jobs = jobList
    return snapshot
  }

  /// A change of who is here.
  func changeState(_ change: (inout RoomState) -> Void) {
    state.advance(to: Self.milliseconds)
    change(&state)
    tellState()
  }

  /// Another room's word about a PK.
  func hear(_ message: PKMessage) {
    guard !isClosed else { return answer(message) }
    changeState { $0.receive(message) }
  }

  /// What a room that is closed answers.
  private func answer(_ message: PKMessage) {
    if let bounced = message.bounced { deliver(bounced) }
  }

  private func deliver(_ message: PKMessage) {
    let peer = surroundings.peer
    Task { [weak self] in
      if let room = await peer(message.to) {
        await room.hear(message)
      } else if let bounced = message.bounced {
        await self?.hear(bounced)
      }
    }
  }

  /// Tells and carries out what came of the last calls, and wakes when time brings more.
  func tellState() {
    while state.hasOutputs {
      for output in state.takeOutputs() {
        switch output {
        case .change(let change, let audience):
          tell(.changed(change), besides: nil) { state.sees(audience, $0.userId) }
          report(change.change)
        case .effect(let effect): carryOut(effect)
        case .peer(let message): deliver(message)
        }
      }
    }
    wakeState()
    storeLater()
  }

  private func wakeState() {
    let next = isClosed ? nil : state.nextDeadline
    guard next != stateDeadline else { return }
    stateDeadline = next
    stateTimer?.cancel()
    guard let next else { return }
    stateTimer = Task { [weak self] in
      let wait = max(0, next - Self.milliseconds)
      guard (try? await Task.sleep(for: .milliseconds(wait))) != nil else { return }
      await self?.stateIsDue()
    }
  }

  private func stateIsDue() {
    stateDeadline = nil
    changeState { _ in }
  }

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .seated(let seat):
      applySwitches(of: seat)
      renewRoomMix()
    case .unseated(let user, _):
      if let participant = participants[user] { withdraw(participant.tracks, of: participant) }
      renewRoomMix()
    case .switched(let seat):
      applySwitches(of: seat)
      renewRoomMix()
    case .arranged: renewRoomMix()
    case .pkBegan(let info):
      beginPK(info)
      sendPKToken(to: info.host)
      renewRoomMix()
    case .pkChanged(let info): changePK(info)
    case .pkEnded:
      endPKStage()
      renewRoomMix()
      startEmptyTime(settings.emptyTime)
    }
  }

  /// The inviting anchor's way into the other room, where it is for this user to move; also after a lost connection.
  func sendPKToken(to user: UserID) {
    guard let info = pkStage?.info, info.way == .move, info.inviter, info.host == user, let host = participants[user] else {
      return
    }
    let token = RoomToken(
      room: info.room, user: info.host, grants: host.grants.subtracting([.admin]).union([.publish, .subscribe]),
      expires: Date(timeIntervalSinceNow: 3600), pk: info.pkId)
    guard let signed = surroundings.sign(token) else { return }
    send(.pkToken(PKTokenData(pkId: info.pkId, room: info.room, token: signed)), to: host)
  }

  // MARK: Seats

  /// Mutes and unmutes the tracks of who sits there, as the seat's switches say.
  func applySwitches(of seat: SeatInfo) {
    guard let user = seat.userId, let participant = participants[user] else { return }
    for (index, track) in participant.tracks.enumerated() {
      let isOff = track.info.kind == .audio ? seat.muted || !seat.audio : !seat.video
      if isOff, !track.info.muted {
        participant.mutedBySeat.insert(track.info.trackId)
        setMuted(true, index, of: participant, by: nil)
      } else if !isOff, participant.mutedBySeat.remove(track.info.trackId) != nil {
        setMuted(false, index, of: participant, by: nil)
      }
    }
  }
}
