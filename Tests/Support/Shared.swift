import Synchronization

/// A value that a test shares with the tasks and threads that it starts.
public final class Shared<Value>: Sendable {
  private let mutex: Mutex<Value>

  public init(_ value: consuming sending Value) { mutex = Mutex(value) }

  public func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try mutex.withLock(body)
  }
}

extension Shared where Value: Sendable {
  public var value: Value {
    get { mutex.withLock { $0 } }
    set { mutex.withLock { $0 = newValue } }
  }
}
