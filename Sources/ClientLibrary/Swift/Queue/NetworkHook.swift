import RoomCClient
import RoomClient

extension NetworkChangePolicy {
  /// Reads what follows a change of the network: what the app's callback says, or always the same.
  /// - Parameter delivery: runs the callback. After its end changes are followed.
  init(
    follows: Bool, _ onNetwork: rc_on_network?, _ context: UnsafeMutableRawPointer?, on delivery: Delivery
  ) throws(Refusal) {
    guard onNetwork != nil else {
      self = follows ? .follow : .ignore
      return
    }
    let callback = try Callback(onNetwork, context)
    self = .ask { change in
      let reply = Reply(true)
      await delivery.run {
        change.from.withCString { from in
          change.to.withCString { to in reply.set(callback.function(callback.context, from, to)) }
        }
      }
      return reply.value
    }
  }
}
