import Foundation
import RoomClient
internal import RoomWebRTC
import Synchronization

/// One WHIP session (RFC 9725): the offer, the resource at the server, and the transport of the media.
final class WHIPSession: Sendable {
  /// The time in which the media must be connected after the answer.
  private static let patience = Duration.seconds(10)

  private struct State: Sendable {
    var publisher: DirectPublisher?
    var resource: URL?
    var isConnected = false
    var isClosed = false
  }

  private let request: WHIPRequest
  private let override: (@Sendable (TransportAddress) -> TransportAddress)?
  private let tell: @Sendable (StreamingLinkEvent) -> Void
  private let state = Mutex(State())

  /// - Parameters:
  ///   - request: the endpoint, its token and its trust.
  ///   - override: replaces a media address of the server.
  init(
    _ request: WHIPRequest, override: (@Sendable (TransportAddress) -> TransportAddress)?,
    tell: @escaping @Sendable (StreamingLinkEvent) -> Void
  ) {
    self.request = request
    self.override = override
    self.tell = tell
  }

  /// Connects, and reports the result.
  func open(_ tracks: [any LocalTrack]) async {
    do throws(StreamingFailure) {
      let address = try await negotiate(tracks)
      try? await Task.sleep(for: Self.patience)
      let isLate = state.withLock { !$0.isConnected && !$0.isClosed }
      if isLate { tell(.failed(.timedOut("media to \(address)"))) }
    } catch { if !state.withLock({ $0.isClosed }) { tell(.failed(error)) } }
  }

  private func negotiate(_ tracks: [any LocalTrack]) async throws(StreamingFailure) -> String {
    let publisher: DirectPublisher
    do throws(RoomClientError) {
      publisher = try DirectPublisher(tracks, override: override) { [weak self] event in self?.media(event) }
    } catch { throw .protocolViolation(error.description) }
    state.withLock { $0.publisher = publisher }
    var post = request
    post.method = .POST
    post.body = publisher.offer
    let response = try await post.response()
    guard response.status == 201 else { throw StreamingFailure(status: response.status, body: response.body) }
    let resource = response.location.flatMap { URL(string: $0, relativeTo: request.url)?.absoluteURL }
    let isClosed = state.withLock { state in
      state.resource = resource
      return state.isClosed
    }
    guard !isClosed else {
      await delete(resource)
      throw .stopped
    }
    do throws(RoomClientError) { try publisher.accept(response.body) } catch { throw .protocolViolation(error.description) }
    return response.address?.ipAddress ?? ""
  }

  private func media(_ event: DirectPublisher.Event) {
    switch event {
    case .connected:
      let isFirst = state.withLock { state in
        defer { state.isConnected = true }
        return !state.isConnected
      }
      guard isFirst, let publisher = state.withLock({ $0.publisher }) else { return }
      Task { tell(.opened(await publisher.statistics()?.session.remoteAddress)) }
    case .disconnected: break
    case .failed(let reason): tell(.failed(.connectionLost(reason)))
    }
  }

  /// Sends from another address.
  func networkChanged() { state.withLock { $0.publisher }?.networkChanged() }

  func progress() async -> StreamingProgress {
    guard let (session, video, audio) = await state.withLock({ $0.publisher })?.statistics() else { return StreamingProgress() }
    let (pictures, sounds) = (video.flatMap { session.senders[$0] }, audio.flatMap { session.senders[$0] })
    return StreamingProgress(
      pictures: pictures?.frames ?? 0, pictureBytes: pictures?.bytes ?? 0, sounds: sounds?.frames ?? 0,
      soundBytes: sounds?.bytes ?? 0)
  }

  /// Releases the tracks at once. Deletes the resource at the server.
  func close() -> @Sendable () async -> Void {
    let (publisher, resource) = state.withLock { state in
      state.isClosed = true
      defer { (state.publisher, state.resource) = (nil, nil) }
      return (state.publisher, state.resource)
    }
    publisher?.close()
    return { await self.delete(resource) }
  }

  private func delete(_ resource: URL?) async {
    guard let resource else { return }
    var delete = request
    (delete.method, delete.url, delete.body) = (.DELETE, resource, nil)
    _ = try? await delete.response()
  }
}
