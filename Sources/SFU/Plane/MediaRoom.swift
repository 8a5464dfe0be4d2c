public import RoomWebRTC

/// The control plane's handle to one room's media. Commands go into the worker's mailbox in order and return nothing; events
/// report their results. The caller chooses the ids.
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

  /// Without this handle, no further command can reach the room.
  deinit { close() }

  /// Opens a transport and waits for the client that knows `credentials`, the local ICE credentials. The tracks on a transport
  /// decide whether it is for publishing or for subscribing.
  /// - Parameter role: The local DTLS role.
  public func openTransport(_ id: TransportID, credentials: ICECredentials, role: DTLSRole = .server) {
    post(.openTransport(number, id, credentials, role))
  }

  /// Sets new local credentials for an ICE restart. `connectTransport` then sets the remote ones.
  public func restartTransport(_ id: TransportID, credentials: ICECredentials) {
    post(.restartTransport(number, id, credentials))
  }

  /// Sets the remote parameters. Call it again for an ICE restart.
  public func connectTransport(_ id: TransportID, remote: TransportParameters) { post(.connectTransport(number, id, remote)) }

  /// Removes the transport with its tracks and subscriptions. Packets from its addresses are ignored from now on.
  public func closeTransport(_ id: TransportID) { post(.closeTransport(number, id)) }

  /// Publishes packets that arrive on `transport` with these SSRCs, mid or rid as `track`. Call it again to change the
  /// parameters.
  public func publish(_ track: MediaTrackID, on transport: TransportID, parameters: RTPParameters) {
    post(.publish(number, track, on: transport, parameters))
  }

  /// Publishes a track whose packets come from this process. Packets written to the result belong to `track` until it is
  /// unpublished. A track over a limit is refused, and its packets are ignored.
  /// - Parameters:
  ///   - parameters: The codecs, the first of which is sent, and the CNAME that binds tracks together.
  ///   - layers: The number of layers of a video, 1…3, the largest first.
  /// - Returns: The injection of the first layer.
  public func inject(_ track: MediaTrackID, parameters: RTPParameters, layers: Int = 1) -> TrackInjection {
    let isVideo = parameters.kind == .video
    let layers = isVideo ? min(layers, TrackSlot.maximumLayers) : 1
    let injection = TrackInjection(isVideo: isVideo, layers: layers, wakeup: worker.mailbox.wakeup)
    post(.inject(number, track, parameters, injection))
    return injection
  }

  /// Ends the track and its subscriptions.
  public func unpublish(_ track: MediaTrackID) { post(.unpublish(number, track)) }

  /// Stops or resumes forwarding. Video resumes at the next key frame, which is requested.
  public func setMuted(_ track: MediaTrackID, _ muted: Bool) { post(.setMuted(number, track, muted)) }

  /// Sends `track` on `transport` with these parameters: their SSRCs, the payload type that matches the track's codec, mid and
  /// extensions. Video starts at a key frame, which is requested once the transport is connected.
  /// - Parameter continues: If true, the receiver sees one stream, whichever track is sent on it. When the track or the
  ///   subscription
  ///   ends, no BYE is sent. The next subscription with the same SSRC continues its sequence numbers, timestamps and counts.
  public func subscribe(
    _ id: SubscriptionID, to track: MediaTrackID, on transport: TransportID, parameters: RTPParameters, continues: Bool = false
  ) {
    post(.subscribe(number, id, to: track, on: transport, parameters, continues: continues))
  }

  /// Ends a subscription. Sends the receiver a BYE, unless the stream continues.
  public func unsubscribe(_ id: SubscriptionID) { post(.unsubscribe(number, id)) }

  /// Selects the layer of a simulcast that the subscription receives, and pauses and resumes it. A change takes effect at the
  /// next key frame of the layer, which is requested; a pause at once.
  public func setReception(_ id: SubscriptionID, _ reception: Reception) { post(.setReception(number, id, reception)) }

  /// Adds a tap to the track. It gets the best live layer of a simulcast, or that of `setTapSize` if all taps of the track are
  /// scaled. Video begins with a key frame, which is requested. If the track is missing or already has 64 taps, the tap ends at
  /// once.
  public func tap(_ track: MediaTrackID, with tap: TrackTap) { post(.tap(number, track, tap)) }

  /// Removes `tap` from the track.
  public func untap(_ track: MediaTrackID, _ tap: TrackTap) { post(.untap(number, track, tap)) }

  /// Sets the size in pixels in which programs show the track; nil for its full size. Scaled taps get the smallest layer of a
  /// simulcast that need not be enlarged by more than a half.
  public func setTapSize(_ size: PictureSize?, of track: MediaTrackID) { post(.setTapSize(number, track, size)) }

  /// Requests a key frame from the publisher of a video track. Merged with other pending requests.
  public func requestKeyFrame(_ track: MediaTrackID) { post(.requestKeyFrame(number, track)) }

  /// Returns the current state of the room's media; empty after the plane has stopped.
  public func statistics() async -> MediaStatistics {
    await withCheckedContinuation { continuation in
      if !worker.mailbox.post(.statistics(number) { continuation.resume(returning: $0) }) {
        continuation.resume(returning: MediaStatistics())
      }
    }
  }

  /// Closes all transports and removes the room. Events already queued may still arrive.
  public func close() { post(.closeRoom(number)) }

  private func post(_ command: Command) { worker.mailbox.post(command) }
}
