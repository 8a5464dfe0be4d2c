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
  /// - Parameter role: this side's in DTLS.
  public func openTransport(_ id: TransportID, credentials: ICECredentials, role: DTLSRole = .server) {
    post(.openTransport(number, id, credentials, role))
  }

  /// Gives this side new credentials for an ICE restart; `connectTransport` then tells the far end's.
  public func restartTransport(_ id: TransportID, credentials: ICECredentials) {
    post(.restartTransport(number, id, credentials))
  }

  /// Tells the far end's description; again for an ICE restart.
  public func connectTransport(_ id: TransportID, remote: TransportParameters) { post(.connectTransport(number, id, remote)) }

  /// Forgets the transport with its tracks and subscriptions; its address is not heard any more from this moment.
  public func closeTransport(_ id: TransportID) { post(.closeTransport(number, id)) }

  /// What comes on `transport` with these SSRCs, mid or rid is `track`. Again for the same track: takes new parameters.
  public func publish(_ track: MediaTrackID, on transport: TransportID, parameters: RTPParameters) {
    post(.publish(number, track, on: transport, parameters))
  }

  /// A track whose packets come from this process: what is written to the result is `track`, until that is unpublished. A track over
  /// a limit is refused, and what is written goes nowhere.
  /// - Parameter parameters: the codecs, of which the first is the one sent, and the cname that binds tracks together.
  public func inject(_ track: MediaTrackID, parameters: RTPParameters) -> TrackInjection {
    let injection = TrackInjection(isVideo: parameters.kind == .video, wakeup: worker.mailbox.wakeup)
    post(.inject(number, track, parameters, injection))
    return injection
  }

  /// Ends the track and its subscriptions.
  public func unpublish(_ track: MediaTrackID) { post(.unpublish(number, track)) }

  /// Stops forwarding, or goes on with it; video goes on at the next key frame, which is asked for.
  public func setMuted(_ track: MediaTrackID, _ muted: Bool) { post(.setMuted(number, track, muted)) }

  /// Sends `track` on `transport` with these parameters: their SSRCs, the payload type of the codec that is the track's, mid and
  /// extensions. Video starts at a key frame, which is asked for once the transport is connected.
  /// - Parameter continues: the receiver sees one stream whatever track is sent on it: when the track or the subscription ends there
  ///   is no BYE, and the next subscription with the same SSRC goes on with its sequence numbers, timestamps and counts.
  public func subscribe(
    _ id: SubscriptionID, to track: MediaTrackID, on transport: TransportID, parameters: RTPParameters, continues: Bool = false
  ) {
    post(.subscribe(number, id, to: track, on: transport, parameters, continues: continues))
  }

  /// Ends a subscription; unless its stream continues, the receiver is told by BYE.
  public func unsubscribe(_ id: SubscriptionID) { post(.unsubscribe(number, id)) }

  /// Adds a tap to the track; video begins with a key frame, which is requested. If the track is not there, or has 64 taps, the tap
  /// ends at once.
  public func tap(_ track: MediaTrackID, with tap: TrackTap) { post(.tap(number, track, tap)) }

  /// Nothing more comes through `tap`.
  public func untap(_ track: MediaTrackID, _ tap: TrackTap) { post(.untap(number, track, tap)) }

  /// Asks the publisher of a video track for a key frame, together with whoever else wants one.
  public func requestKeyFrame(_ track: MediaTrackID) { post(.requestKeyFrame(number, track)) }

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
