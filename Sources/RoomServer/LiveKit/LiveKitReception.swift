import RoomLiveKitProtocol
import RoomProtocol

extension TrackReception {
  /// What a LiveKit client asks for of a track.
  ///
  /// The client names a quality, or the size at which it shows the picture. LiveKit sends the smallest layer that is not smaller,
  /// of layers with a quarter, a half and all of the picture's width; this server sends the largest within limits.
  /// - Parameter track: the track; nil if it is unknown.
  init(_ settings: LiveKit.UpdateTrackSettings, _ id: TrackID, of track: TrackInfo?) {
    self.init(trackId: id)
    paused = settings.disabled ? true : nil
    if (1...1000).contains(settings.fps) { maxFps = Int(settings.fps) }
    guard let width = track?.width, let height = track?.height else { return }
    let part: Int
    if settings.width > 0, settings.height > 0 {
      // Portrait and landscape may be exchanged.
      let (wanted, own) = (max(settings.width, settings.height), max(width, height))
      part = [4, 2].first { own / $0 >= Int(wanted) } ?? 1
    } else {
      part = settings.quality == .low ? 4 : settings.quality == .medium ? 2 : 1
    }
    guard part > 1 else { return }
    maxWidth = max(1, width / part)
    maxHeight = max(1, height / part)
  }
}

extension LiveKit.SubscribedQualityUpdate {
  /// Which layers of a simulcast a LiveKit client should send. Its rids are `q`, `h` and `f`.
  init(_ layers: WantedLayers, of track: TrackInfo?) {
    let qualities: [(String, LiveKit.VideoQuality)] = [("q", .low), ("h", .medium), ("f", .high)]
    let subscribed = qualities.map { rid, quality in
      LiveKit.SubscribedQuality {
        $0.quality = quality
        $0.enabled = layers.wanted.contains(rid)
      }
    }
    self.init {
      $0.trackSID = layers.trackId.rawValue
      $0.subscribedQualities = subscribed
      $0.subscribedCodecs = [
        LiveKit.SubscribedCodec {
          $0.codec = track?.codec?.rawValue.lowercased() ?? "vp8"
          $0.qualities = subscribed
        }
      ]
    }
  }
}

extension LiveKit.ConnectionQualityInfo {
  init(_ quality: UserQuality, sid: String) {
    let both = [quality.uplink, quality.downlink]
    self.init {
      $0.participantSID = sid
      $0.quality = both.contains(.bad) ? .poor : both.contains(.weak) ? .good : .excellent
      $0.score = both.contains(.bad) ? 2 : both.contains(.weak) ? 3.5 : 5
    }
  }
}

extension LiveKit.LeaveRequest {
  init(_ reason: LiveKit.DisconnectReason, _ action: LiveKit.LeaveAction) {
    self.init {
      $0.reason = reason
      $0.action = action
      $0.canReconnect = action != .disconnect
    }
  }

  /// The end of a session.
  init(_ ended: EndedData) {
    switch ended.reason {
    case .left where ended.room != nil: self.init(.migration, .reconnect)
    case .left: self.init(.clientInitiated, .disconnect)
    case .kickedOut: self.init(.participantRemoved, .disconnect)
    case .roomClosed: self.init(.roomDeleted, .disconnect)
    case .duplicateLogin: self.init(.duplicateIdentity, .disconnect)
    case .timedOut: self.init(.connectionTimeout, .reconnect)
    case .serverStopping: self.init(.serverShutdown, .reconnect)
    }
  }
}

extension LiveKit.DisconnectReason {
  /// The reason why another participant left.
  init(_ reason: EndReason) { self = LiveKit.LeaveRequest(EndedData(reason: reason)).reason }
}
