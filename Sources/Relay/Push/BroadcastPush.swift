import NIOCore
import RoomTLS
import RoomPush
import RoomRTMP

/// A connection of a broadcast to a server. The push connects, queues what the server is too slow for, and reconnects. The push
/// belongs to the event loop of its broadcast.
protocol BroadcastPush: AnyObject {
  var report: PushReport { get }
  /// The end of the connection after ``stop()``, with the media that waited; nil if nothing has to be waited for.
  var closing: Task<Void, Never>? { get }

  func start()
  func stop()
  /// Sends the stream's next message.
  func send(_ message: MediaMessage)
}

/// The state and the counters of a push.
struct PushReport {
  var state: PushState
  /// The failure that ended the last connection.
  var failure: PushFailure?
  /// The number of connections that started publishing.
  var connections: Int
  /// Media waiting for the server, in ms.
  var queued: Int
  /// Pictures dropped because the server is too slow.
  var dropped: UInt64
  /// The bytes written to sockets.
  var bytes: UInt64
}

extension RTMPPush: BroadcastPush {
  var report: PushReport {
    let link = status
    return PushReport(
      state: link.state, failure: link.lastFailure, connections: link.connections, queued: link.queue.duration,
      dropped: link.queue.counters.droppedFrames, bytes: link.bytesSent)
  }

  /// The event loop writes what waits before it ends.
  var closing: Task<Void, Never>? { nil }
}

/// The push of a broadcast, which is created on the broadcast's thread.
final class PushBox {
  private let address: PushAddress
  private(set) var push: (any BroadcastPush)?

  init(address: PushAddress) { self.address = address }

  /// Starts the push, unless it has started.
  /// - Parameters:
  ///   - trust: the certificates that RTMPS accepts.
  ///   - changed: called at each change of state.
  ///   - keyFrameNeeded: called when the server needs a key frame to continue.
  func start(
    _ options: PushLink.Options, to targets: RelayTargets, trust: TLSContext.Trust, loop: any EventLoop,
    changed: @escaping (PushState, PushFailure?) -> Void, keyFrameNeeded: @escaping () -> Void
  ) {
    guard push == nil else { return }
    let host = address.host
    let allow: RTMPPush.Allow = { targets.allow(host: host, at: $0) }
    let new: any BroadcastPush =
      switch address {
      case .rtmp(let address):
        RTMPPush(
          to: address, options: options, trust: trust, loop: loop, allow: allow, state: changed, keyFrameNeeded: keyFrameNeeded)
      case .srt(let address):
        SRTBroadcastPush(
          to: address, options: options, loop: loop, allow: allow, changed: changed, keyFrameNeeded: keyFrameNeeded)
      }
    push = new
    new.start()
  }
}
