import Synchronization

/// What a callback of the app returned.
final class Reply<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  /// - Parameter value: the reply if the callback is not called.
  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  func set(_ value: Value) { state.withLock { $0 = value } }
}
