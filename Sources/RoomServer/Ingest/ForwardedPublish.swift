import Logging
import NIOCore
import RoomOriginServer
import RoomPush
import RoomRTMP
import Synchronization

/// A publish of an encoder to a room of another node: passes its messages to that node by RTMP. If the connection to the node is
/// lost, the publish ends, and the encoder connects again.
final class ForwardedPublish: PublishSink {
  private struct State {
    var backlog = IngestBacklog()
    /// Whether the loop has work.
    var isBusy = false
    var isOver = false
    /// Waits for the decision of the node.
    var opening: CheckedContinuation<OriginRefusal?, Never>?
  }

  /// No second attempt: the room may have another owner then.
  private static let options = PushLink.Options(retries: PushRetries(attempts: 0), connectTime: 3_000_000)

  private let loop: any EventLoop
  private let push: NIOLoopBoundBox<RTMPPush?>
  private let state = Mutex(State())
  private let stop: @Sendable (String) -> Void

  private init(on loop: any EventLoop, stop: @escaping @Sendable (String) -> Void) {
    self.loop = loop
    self.stop = stop
    push = .makeEmptyBox(eventLoop: loop)
  }

  /// Publishes to another node.
  /// - Parameter stop: ends the encoder's publish if the node ends it.
  /// - Throws: the refusal of the node.
  static func open(
    to address: RTMPAddress, on loop: any EventLoop, stop: @escaping @Sendable (String) -> Void
  ) async throws(OriginRefusal) -> ForwardedPublish {
    let publish = ForwardedPublish(on: loop, stop: stop)
    let refusal = await withCheckedContinuation { continuation in
      publish.state.withLock { $0.opening = continuation }
      loop.execute { publish.start(address) }
    }
    if let refusal {
      publish.end()
      throw refusal
    }
    return publish
  }

  private func start(_ address: RTMPAddress) {
    let push = RTMPPush(
      to: address, options: Self.options, trust: .system, loop: loop,
      state: { [weak self] state, failure in self?.changed(state, failure) }, keyFrameNeeded: {})
    self.push.value = push
    push.start()
  }

  private func changed(_ state: PushState, _ failure: PushFailure?) {
    let refusal: OriginRefusal?
    switch state {
    case .connected: refusal = nil
    case .error, .disconnected: refusal = Self.refusal(failure)
    case .unknown, .connecting, .disconnecting, .autoReconnecting: return
    }
    let (opening, isLoss) = self.state.withLock { state in
      defer { state.opening = nil }
      return (state.opening, refusal != nil && state.opening == nil && !state.isOver)
    }
    opening?.resume(returning: refusal)
    if isLoss, let refusal { stop(refusal.sentence) }
  }

  private static func refusal(_ failure: PushFailure?) -> OriginRefusal {
    guard case .rejected(let code, let reason)? = failure else {
      return OriginRefusal(.room, "the room's node can't be reached: \(failure.map { "\($0)" } ?? "closed"); try again")
    }
    return OriginRefusal(code == StatusCode.publishDenied.rawValue ? .token : .room, reason.isEmpty ? code : reason)
  }

  func publish(_ message: MediaMessage) {
    let wakes = state.withLock { state in
      guard !state.isOver else { return false }
      state.backlog.append(message)
      defer { state.isBusy = true }
      return !state.isBusy
    }
    if wakes { loop.execute { self.work() } }
  }

  private func work() {
    while true {
      let message: MediaMessage? = state.withLock { state in
        let message = state.backlog.next()
        if message == nil { state.isBusy = false }
        return message
      }
      guard let message else { return }
      push.value?.send(message)
    }
  }

  func end() {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      state.backlog.removeAll()
      return !state.isOver
    }
    guard isFirst else { return }
    loop.execute {
      self.push.value?.stop()
      self.push.value = nil
    }
  }
}
