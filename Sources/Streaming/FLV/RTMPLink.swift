import NIOCore
import NIOPosix
import RoomClient
import RoomPush
import RoomRTMP
import RoomTLS
internal import RoomWebRTC

/// One connection of a push by RTMP, on its event loop.
final class RTMPLink: FLVLink {
  private let loop: any EventLoop
  private let push: NIOLoopBoundBox<RTMPPush?>

  /// Connects.
  /// - Parameters:
  ///   - addresses: the addresses of the host; nil asks the system's resolver.
  ///   - preamble: what a receiver needs before the first frame.
  ///   - keyFrameNeeded: called when the server needs a key frame to continue.
  init(
    to address: RTMPAddress, addresses: [SocketAddress]?, trust: ServerTrust, preamble: [MediaMessage],
    tell: @escaping @Sendable (StreamingLinkEvent) -> Void, keyFrameNeeded: @escaping @Sendable () -> Void
  ) {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let push = NIOLoopBoundBox<RTMPPush?>.makeEmptyBox(eventLoop: loop)
    self.loop = loop
    self.push = push
    loop.execute {
      var options = PushLink.Options()
      // The session decides about further tries.
      options.retries = PushRetries(attempts: 0)
      let new = RTMPPush(
        to: address, options: options, trust: trust.tls, loop: loop,
        resolve: { host, port in addresses ?? HostAddresses.resolve(host, port: port) },
        state: { state, failure in
          switch state {
          case .connected: tell(.opened(push.value?.remoteAddress.flatMap(TransportAddress.init)))
          case .error: tell(.failed(failure.map(StreamingFailure.init) ?? .connectionLost("unknown")))
          case .unknown, .connecting, .disconnecting, .disconnected, .autoReconnecting: break
          }
        }, keyFrameNeeded: keyFrameNeeded)
      push.value = new
      for message in preamble { new.send(message) }
      new.start()
    }
  }

  deinit {
    loop.execute { [push] in
      push.value?.stop()
      push.value = nil
    }
  }

  func send(_ messages: [MediaMessage]) {
    guard !messages.isEmpty else { return }
    loop.execute { [push] in
      for message in messages { push.value?.send(message) }
    }
  }

  /// Ends the stream at the server and closes the connection.
  func close() async {
    try? await loop.submit { [push] in
      push.value?.stop()
      push.value = nil
    }.get()
  }

  func progress() async -> StreamingProgress {
    let status = try? await loop.submit { [push] in push.value?.status }.get()
    guard let status else { return StreamingProgress() }
    return StreamingProgress(
      pictures: status.sent.pictures, pictureBytes: status.sent.pictureBytes, sounds: status.sent.sounds,
      soundBytes: status.sent.soundBytes, dropped: status.queue.counters.droppedFrames, queued: status.queue.duration)
  }
}

extension TransportAddress {
  fileprivate init?(_ address: SocketAddress) {
    guard let host = address.ipAddress, let port = address.port else { return nil }
    self.init(host: host, port: UInt16(truncatingIfNeeded: port))
  }
}
