import RoomCLinux
import RoomRTP
import Synchronization
import RoomWebRTC

/// The room's handle of one media transport. The handle's calls run on the loop's thread.
final class MediaTransport: Sendable {
  /// The number of frames that may wait for the loop. Beyond it `send` returns false.
  private static let queueLimit = 256
  private static let lastId = Atomic<UInt64>(0)

  private let loop: MediaLoop
  private let id: UInt64
  private let queued = Atomic<Int>(0)
  private let credentials: ICECredentials

  /// Opens the socket and the session. The client is always the DTLS client and controls ICE, because the server is ICE-lite.
  init(
    loop: MediaLoop, certificate: Certificate, tell: @escaping @Sendable (MediaChannel.Event) -> Void
  ) {
    self.loop = loop
    id = Self.lastId.wrappingAdd(1, ordering: .relaxed).newValue
    let credentials = ICECredentials.random()
    self.credentials = credentials
    let id = id
    loop.post { thread in
      do {
        var configuration = MediaSession.Configuration(
          ice: .full(controlling: true), role: .client, certificate: certificate, credentials: credentials)
        configuration.usesTCP = true
        let session = try MediaSession(configuration)
        guard let socket = UDPSocket() else { return tell(.failed("no socket: \(MediaLoop.errorText())")) }
        guard linux_epoll_add(thread.epoll, socket.descriptor, id) == 0 else {
          socket.close()
          return tell(.failed("no epoll: \(MediaLoop.errorText())"))
        }
        thread.add(MediaChannel(id: id, epoll: thread.epoll, session: session, socket: socket, tell: tell), id: id)
      } catch {
        tell(.failed(String(describing: error)))
      }
    }
  }

  deinit { close() }

  private func post(_ body: @escaping @Sendable (MediaChannel, Instant) -> Void) {
    loop.post { [id] thread in
      if let channel = thread.channel(id) { body(channel, thread.now) }
    }
  }

  /// Returns this side's part of session descriptions. No candidates: the ICE-lite server learns the address from the checks.
  func parameters(_ certificate: Certificate) -> TransportParameters {
    TransportParameters(credentials: credentials, fingerprints: [certificate.fingerprint], role: .client)
  }

  func setRemote(_ parameters: TransportParameters) { post { $0.setRemote(parameters, now: $1) } }

  func setSenders(_ parameters: [RTPParameters], lines: [Mid: TrackLine], ceilings: [Mid: Int]) {
    post { $0.setSenders(parameters, lines: lines, ceilings: ceilings, now: $1) }
  }

  func setReceivers(_ parameters: [RTPParameters], tracks: [Mid: RemoteTrack]) {
    post { $0.setReceivers(parameters, tracks: tracks, now: $1) }
  }

  /// Sends a frame. Returns false if too many frames wait for the loop.
  func send(_ frame: EncodedFrame, mid: Mid, rid: Rid?, level: Int?) -> Bool {
    guard queued.wrappingAdd(1, ordering: .relaxed).newValue <= Self.queueLimit else {
      queued.wrappingSubtract(1, ordering: .relaxed)
      return false
    }
    loop.post { [self] thread in
      queued.wrappingSubtract(1, ordering: .relaxed)
      thread.channel(id)?.send(frame, mid: mid, rid: rid, level: level, now: thread.now)
    }
    return true
  }

  /// Enables data channels.
  /// - Parameter receive: called on the loop's thread for each message, with the label of its channel.
  func enableData(_ remote: DataParameters, _ receive: @escaping @Sendable (_ label: String, DataChannelMessage) -> Void) {
    post { $0.enableData(remote, receive, now: $1) }
  }

  /// Sends a message on the channel with this label. Returns why it can't.
  func send(_ message: DataChannelMessage, label: String) async -> DataChannelError? {
    await withCheckedContinuation { waiter in
      loop.post { [id] thread in
        guard let channel = thread.channel(id) else { return waiter.resume(returning: .unavailable) }
        do throws(DataChannelError) {
          try channel.send(message, label: label, now: thread.now)
          waiter.resume(returning: nil)
        } catch { waiter.resume(returning: error) }
      }
    }
  }

  func requestKeyFrame(mid: Mid) { post { $0.requestKeyFrame(mid: mid, now: $1) } }
  func networkChanged() { post { $0.networkChanged(now: $1) } }

  /// Returns the statistics, or nil if the transport is closed.
  func statistics() async -> SessionStatistics? {
    await withCheckedContinuation { waiter in
      loop.post { [id] thread in
        waiter.resume(returning: thread.channel(id)?.statistics())
      }
    }
  }

  /// Informs the server and closes the socket. Repeated calls have no effect.
  func close() { loop.post { [id] in $0.remove(id) } }
}
