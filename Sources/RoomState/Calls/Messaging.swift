import RoomProtocol

extension RoomState {
  /// Sends a message to everyone, or to one user. The message's number gives its position in the room's order.
  /// - Throws: 80103, also if the receiver is not in the room; 10003 for a hidden user; 81001 for an invalid message, or too
  ///   many messages.
  public mutating func sendMessage(_ params: MessageParams, by caller: Caller) throws(RoomError) -> MessageResult {
    try checkPresence(caller)
    if case .user(let user) = caller, try member(user).isHidden {
      throw RoomError(.noPermission, "a hidden participant can't send messages: they would reveal it")
    }
    if let validationError = params.validationError { throw RoomError(.messageFailed, validationError) }
    if let to = params.to { _ = try visibleMember(to) }
    if case .user(let user) = caller {
      let allowed = members[user]?.pace.take(perSecond: rules.messagesPerSecond, burst: rules.messageBurst, now: clock)
      guard allowed ?? false else {
        throw RoomError(.messageFailed, "too many messages: the limit is \(rules.messagesPerSecond) per second; retry later")
      }
    }
    let message = RoomMessage(
      seq: sequence + 1, userId: caller.eventUserID, kind: params.kind, text: params.text, type: params.type, data: params.data,
      count: params.count, to: params.to, at: clock)
    history.keep(message, limits: rules.limits)
    var audience = Audience.everyone
    if let to = params.to {
      audience = .users([to])
      if case .user(let from) = caller, from != to { audience = .users([to, from]) }
    }
    announce(.message(message), to: audience)
    return MessageResult(seq: message.seq, at: clock)
  }
}
