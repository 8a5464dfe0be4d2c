import RoomProtocol

extension Room {
  /// Whether the session goes on after a request.
  enum Handled: Sendable { case goesOn, ended }

  /// Carries out what a joined client asks, and answers on `outlet`. The answer goes out before the events it causes, and not
  /// before the change that it promises is stored; the room does not wait for that.
  func handle(_ request: SignalRequest, session: SessionID, of user: UserID, outlet: any SignalOutlet) -> Handled {
    guard let participant = participants[user], participant.sessionId == session, participant.outlet === outlet else {
      answer(request, .failure(RoomError(.notInRoom, "this session is over; join again")), on: outlet)
      return .ended
    }
    let before = change
    var result: Result<any Codable & Sendable, RoomError> = .success(Empty())
    var after: () -> Void = {}
    var taken = 0.0
    do throws(RoomError) {
      taken = try takePace(of: request.call, by: participant)
      switch request.call {
      case .ping: break
      case .leave:
        after = { self.end(participant, EndedData(reason: .left)) }
      case .publish(let params):
        let (answer, announce) = try publish(params, by: participant)
        result = .success(answer)
        after = announce
      case .unpublish(let selection): after = try unpublish(selection, by: participant)
      case .subscribe(let selection): after = try select(selection, wanted: true, by: participant)
      case .unsubscribe(let selection): after = try select(selection, wanted: false, by: participant)
      case .answer(let params): after = try accept(params, from: participant)
      case .resubscribe: after = try resubscribe(participant)
      case .mute(let params): after = try mute(params.trackId, params.muted, by: participant)
      case .kick(let params): after = try kick(params.userId, by: participant)
      case .startForward(let params):
        let (job, announce) = try startForward(params, by: participant)
        result = .success(job)
        after = announce
      case .startMerge(let params):
        let (job, announce) = try startMerge(params, by: participant)
        result = .success(job)
        after = announce
      case .setLayouts(let params): try setLayouts(params, by: participant)
      case .stopJob(let params): try stopJob(params.jobId, by: participant)
      case .join: throw RoomError(.joinFailed, "this connection has joined already")
      case .seats, .pk, .sendMessage, .setAttributes:
        (result, after) = try performed(request.call, by: participant)
      case .unknown(let method): throw RoomError(.unknownMessage, "there is no method \"\(method.prefix(64))\"")
      }
    } catch {
      result = .failure(error)
      participant.changes?.putBack(taken)
    }
    let hold = surroundings.store == nil ? nil : outlet.hold()
    answer(request, result, on: outlet)
    after()
    if let hold {
      let isPromise = if case .success = result { change != before } else { false }
      release(hold, of: outlet, promising: isPromise ? change : nil)
    }
    return participants[user] === participant ? .goesOn : .ended
  }

  private func answer(
    _ request: SignalRequest, _ result: Result<any Codable & Sendable, RoomError>, on outlet: any SignalOutlet
  ) {
    switch result {
    case .success(let value): answer(request.id, value, on: outlet)
    case .failure(let error):
      surroundings.counters.count { $0.errors[error.code.rawValue, default: 0] += 1 }
      outlet.send(SignalWriter.error(error, id: request.id))
    }
  }
}
