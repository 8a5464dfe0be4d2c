import Glibc
import RoomCClient
import RoomStreaming
import Synchronization

/// The addresses that the app's callback adds. Their handle is valid while it runs.
final class AddressesAnswer: Handle {
  /// The most addresses that are used.
  private static let most = 8
  private let state = Mutex<[String]>([])

  var addresses: [String] { state.withLock { $0 } }

  func add(_ address: String) { state.withLock { if $0.count < Self.most { $0.append(address) } } }

  func close() {}
}

extension StreamingResolver {
  /// Asks the app's callback; nil without one.
  init?(_ onResolve: rc_on_resolve?, _ context: UnsafeMutableRawPointer?, on delivery: Delivery) throws(Refusal) {
    guard onResolve != nil else { return nil }
    let callback = try Callback(onResolve, context)
    self.init { host in
      // A numeric host is its own address.
      if isNumeric(host) { return [host] }
      let answer = AddressesAnswer()
      await delivery.run {
        lend(answer) { handle in host.withCString { callback.function(callback.context, $0, handle) } }
      }
      return answer.addresses
    }
  }
}

private func isNumeric(_ host: String) -> Bool {
  var address = in6_addr()
  return inet_pton(AF_INET, host, &address) == 1 || inet_pton(AF_INET6, host, &address) == 1
}
