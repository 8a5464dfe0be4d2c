import NIOCore
import RoomPush
import RoomRTMP
import RoomSRT
internal import RoomWebRTC

/// One connection of a push by SRT.
final class SRTLink: FLVLink {
  private let push: SRTPush

  /// Connects.
  /// - Parameters:
  ///   - addresses: the addresses of the host; nil asks the system's resolver.
  ///   - preamble: what a receiver needs before the first frame.
  ///   - keyFrameNeeded: called when the server needs a key frame to continue.
  init(
    to address: SRTAddress, addresses: [SocketAddress]?, hasVideo: Bool, hasAudio: Bool, preamble: [MediaMessage],
    tell: @escaping @Sendable (StreamingLinkEvent) -> Void, keyFrameNeeded: @escaping @Sendable () -> Void
  ) {
    push = SRTPush(
      to: address, hasVideo: hasVideo, hasAudio: hasAudio, preamble: preamble,
      resolve: {
        (addresses ?? HostAddresses.resolve(address.host, port: address.port)).compactMap(\.ipAddress)
      },
      tell: { event in
        switch event {
        case .opened(let host, let port): tell(.opened(TransportAddress(host: host, port: port)))
        case .failed(let failure): tell(.failed(StreamingFailure(failure)))
        case .keyFrameNeeded: keyFrameNeeded()
        }
      })
  }

  func send(_ messages: [MediaMessage]) { if !messages.isEmpty { push.send(messages) } }

  func close() async { await push.close() }

  func progress() async -> StreamingProgress {
    let progress = push.progress
    return StreamingProgress(
      pictures: progress.sent.pictures, pictureBytes: progress.sent.pictureBytes, sounds: progress.sent.sounds,
      soundBytes: progress.sent.soundBytes, dropped: progress.dropped, queued: progress.queued)
  }
}

extension StreamingFailure {
  init(_ failure: SRTFailure) {
    switch failure {
    case .nameNotFound(let host): self = .nameNotFound(host)
    case .unusable(let cause): self = .unreachable(cause)
    case .timedOut: self = .timedOut("SRT")
    case .rejected(let rejection): self.init(answer: rejection.description, isForbidden: rejection.isForbidden)
    case .lost(let cause): self = .connectionLost(cause)
    case .stalled: self = .stalled
    }
  }
}
