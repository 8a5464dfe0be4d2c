import RoomRTP
import RoomWebRTC
import Synchronization

/// Sends local tracks over one media transport without a room: the media of a WHIP session (RFC 9725).
///
/// The caller exchanges ``offer`` for the server's answer. The tracks are claimed until ``close()``.
package final class DirectPublisher: Sendable {
  /// What happens to the transport.
  package enum Event: Sendable {
    case connected
    case disconnected
    case failed(String)
  }

  private struct Publication: Sendable {
    let track: any LocalTrack
    let line: TrackLine
    let mid: Mid
  }

  private struct State: Sendable {
    var offer: PublishOffer
    var accepted: Set<Mid> = []
    var isClosed = false
  }

  /// The SDP offer, with all tracks and without candidates.
  package let offer: String
  private let transport: MediaTransport
  private let publications: [Publication]
  private let state: Mutex<State>
  private let watching = Mutex<Task<Void, Never>?>(nil)

  private let route: MediaRoute

  /// Claims the tracks and opens a socket.
  /// - Parameters:
  ///   - override: replaces a media address of the server by the address to send to, for a test network in between.
  ///   - tell: called for each event, in order.
  /// - Throws: ``RoomClientError/trackInUse``, ``RoomClientError/negotiationFailed(_:)``, ``RoomClientError/mediaFailed(_:)``
  package init(
    _ tracks: [any LocalTrack], override: (@Sendable (TransportAddress) -> TransportAddress)? = nil,
    tell: @escaping @Sendable (Event) -> Void
  ) throws(RoomClientError) {
    route = MediaRoute(mediaProtocol: .automatic, override: override)
    let certificate = try ClientCertificate.shared()
    let (events, continuation) = AsyncStream.makeStream(of: MediaChannel.Event.self)
    let transport = MediaTransport(loop: try MediaLoop.next(), certificate: certificate) { continuation.yield($0) }
    var offer = PublishOffer(local: transport.parameters(certificate), cname: ICECredentials.random().ufrag)
    var publications: [Publication] = []
    do throws(RoomClientError) {
      for track in tracks {
        guard let line = track.fed?.feed.claim() else { throw .trackInUse }
        do {
          let parameters = try offer.add(track.rtpCodec, trackID: String(UInt64.random(in: .min ... .max), radix: 36))
          publications.append(Publication(track: track, line: line, mid: parameters.mid))
        } catch {
          line.release()
          throw .negotiationFailed(error.description)
        }
      }
    } catch {
      for publication in publications { publication.line.release() }
      transport.close()
      throw error
    }
    self.offer = offer.makeOffer()
    self.transport = transport
    self.publications = publications
    state = Mutex(State(offer: offer))
    let task = Task { [weak self] in
      for await event in events {
        switch event {
        case .connected:
          self?.plug(true)
          tell(.connected)
        case .disconnected:
          self?.plug(false)
          // The address of this side may have changed.
          self?.networkChanged()
          tell(.disconnected)
        case .failed(let reason):
          self?.plug(false)
          tell(.failed(reason))
        case .firstFrame: break
        }
      }
    }
    watching.withLock { $0 = task }
  }

  deinit {
    watching.withLock { $0?.cancel() }
    close()
  }

  /// Applies the server's answer. The transport then connects.
  /// - Throws: ``RoomClientError/negotiationFailed(_:)`` for an invalid answer, or one that accepts none of the tracks.
  package func accept(_ answer: String) throws(RoomClientError) {
    let result: AcceptedAnswer
    do throws(NegotiationError) {
      result = try state.withLock { (state) throws(NegotiationError) in
        let result = try state.offer.accept(answer: answer)
        state.accepted = Set(result.accepted.map(\.mid))
        return result
      }
    } catch { throw .negotiationFailed(error.description) }
    guard let remote = result.remote, !result.accepted.isEmpty else {
      throw .negotiationFailed("the server accepts none of the tracks")
    }
    var ceilings: [Mid: Int] = [:]
    for publication in publications {
      if let bitrate = (publication.track as? LocalVideoTrack)?.bitrate { ceilings[publication.mid] = bitrate }
    }
    let lines = Dictionary(publications.map { ($0.mid, $0.line) }, uniquingKeysWith: { first, _ in first })
    transport.setSenders(result.accepted, lines: lines, ceilings: ceilings)
    transport.setRemote(route.applied(to: remote))
  }

  /// Sends from a new socket. The server learns the address from the connectivity checks.
  package func networkChanged() { transport.networkChanged() }

  /// Returns the statistics of the transport, and the m-lines of the tracks by kind; nil if it is closed.
  package func statistics() async -> (session: SessionStatistics, video: Mid?, audio: Mid?)? {
    guard let session = await transport.statistics() else { return nil }
    return (
      session, publications.first { $0.track.kind == .video }?.mid, publications.first { $0.track.kind == .audio }?.mid
    )
  }

  /// Releases the tracks and closes the transport. Repeated calls have no effect.
  package func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    for publication in publications { publication.line.release() }
    transport.close()
  }

  /// Connects the tracks to the transport only while it is connected, because frames that cannot be sent are useless later.
  private func plug(_ isConnected: Bool) {
    let (accepted, isClosed) = state.withLock { ($0.accepted, $0.isClosed) }
    guard !isClosed else { return }
    for publication in publications where accepted.contains(publication.mid) {
      let (transport, mid) = (transport, publication.mid)
      publication.line.connect(
        isConnected
          ? TrackLine.Outlet(transport: ObjectIdentifier(transport), mid: mid) { frame, _, level in
            transport.send(frame, mid: mid, rid: nil, level: level)
          } : nil)
    }
  }
}
