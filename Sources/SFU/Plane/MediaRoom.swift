public import WebRTC

/// The control plane's end of one room's media. Commands go into the worker's mailbox, keep their order and answer nothing:
/// what comes of them is told by events. Ids are the caller's.
public final class MediaRoom: Sendable {
  /// The host candidates of the room's worker, for session descriptions.
  public let candidates: [ICECandidate]
  private let number: RoomNumber
  private let worker: Worker

  init(number: RoomNumber, worker: Worker, candidates: [ICECandidate]) {
    self.number = number
    self.worker = worker
    self.candidates = candidates
  }

  /// A room that nobody holds any more can get no commands.
  deinit { close() }

  /// Listens for the client that knows `credentials`, which are this side's own. A room's transport is either for publishing or
  /// for subscribing, by what is put on it.
  public func openTransport(_ id: TransportID, credentials: ICECredentials) { post(.openTransport(number, id, credentials)) }

  /// Gives this side new credentials for an ICE restart; `connectTransport` then tells the far end's.
  public func restartTransport(_ id: TransportID, credentials: ICECredentials) {
    post(.restartTransport(number, id, credentials))
  }

  /// Tells the far end's description; again for an ICE restart.
  public func connectTransport(_ id: TransportID, remote: TransportParameters) { post(.connectTransport(number, id, remote)) }

  /// Forgets the transport with its tracks and subscriptions; its address is not heard any more from this moment.
  public func closeTransport(_ id: TransportID) { post(.closeTransport(number, id)) }

  /// What comes on `transport` with these SSRCs, mid or rid is `track`. Again for the same track: takes new parameters.
  public func publish(_ track: TrackID, on transport: TransportID, parameters: RTPParameters) {
    post(.publish(number, track, on: transport, parameters))
  }

  /// Ends the track and its subscriptions.
  public func unpublish(_ track: TrackID) { post(.unpublish(number, track)) }

  /// Stops forwarding, or goes on with it; video goes on at the next key frame, which is asked for.
  public func setMuted(_ track: TrackID, _ muted: Bool) { post(.setMuted(number, track, muted)) }

  /// Sends `track` on `transport` with these parameters: their SSRCs, the payload type of the codec that is the track's, mid and
  /// extensions. Video starts at a key frame, which is asked for once the transport is connected.
  public func subscribe(_ id: SubscriptionID, to track: TrackID, on transport: TransportID, parameters: RTPParameters) {
    post(.subscribe(number, id, to: track, on: transport, parameters))
  }

  /// Ends a subscription; its receiver is told by BYE.
  public func unsubscribe(_ id: SubscriptionID) { post(.unsubscribe(number, id)) }

  /// The state of the room's media now; empty after the plane has stopped.
  public func statistics() async -> MediaStatistics {
    await withCheckedContinuation { continuation in
      if !worker.mailbox.post(.statistics(number) { continuation.resume(returning: $0) }) {
        continuation.resume(returning: MediaStatistics())
      }
    }
  }

  /// Closes all transports and forgets the room. Events already on their way may still come.
  public func close() { post(.closeRoom(number)) }

  private func post(_ command: Command) { worker.mailbox.post(command) }
}
