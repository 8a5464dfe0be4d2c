import Synchronization

/// A value behind a lock, for several owners. A value with one owner is a `Mutex` in it.
package final class Guarded<Value>: Sendable {
  private let mutex: Mutex<Value>

  package init(_ value: consuming sending Value) { mutex = Mutex(value) }

  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
}
