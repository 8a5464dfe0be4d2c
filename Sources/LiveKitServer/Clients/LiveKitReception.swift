import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer

extension TrackReception {
  /// What a LiveKit client asks for of a track.
  ///
  /// The client names a quality, or the size at which it shows the picture. LiveKit sends the smallest layer that is not smaller;
  /// this server sends the largest within limits. Layers have about a quarter, a half and all of the picture's width: their
  /// publishers choose heights of 180, 360 and 540 lines too. So the limits are between the layers.
  /// - Parameter track: the track; nil if it is unknown.
  init(_ settings: LiveKit.UpdateTrackSettings, _ id: TrackID, of track: TrackInfo?) {
    self.init(trackId: id)
    paused = settings.disabled ? true : nil
    if (1...1000).contains(settings.fps) { maxFps = Int(settings.fps) }
    // The client's 1 is the highest.
    if settings.priority > 0 { priority = max(1, Self.highestPriority - Int(min(settings.priority, 255))) }
    guard let track, let width = track.width, let height = track.height else { return }
    let parts = track.layerParts
    let part: Int
    if settings.width > 0, settings.height > 0 {
      // Portrait and landscape may be exchanged.
      let (wanted, own) = (max(settings.width, settings.height), max(width, height))
      part = parts.first { own / $0 >= Int(wanted) } ?? 1
    } else {
      part = settings.quality == .low ? parts[0] : settings.quality == .medium ? parts[1] : 1
    }
    guard part > 1 else { return }
    func limit(_ side: Int) -> Int { max(1, part == 4 ? side * 2 / 5 : side * 3 / 4) }
    (maxWidth, maxHeight) = (limit(width), limit(height))
  }

  /// Below those that are pinned.
  private static let highestPriority = 128
}

extension TrackInfo {
  /// By how much the sides of each layer are smaller than the picture's, the smallest layer first. A picture without layers counts
  /// as one that may have three.
  var layerParts: [Int] { layers?.count == 2 ? [2, 1] : [4, 2, 1] }
}

extension LiveKit.VideoLayer {
  /// The layers of a track, the smallest first; one without simulcast.
  static func all(of track: TrackInfo) -> [Self] {
    let parts = track.layers == nil ? [1] : track.layerParts
    return zip(parts, parts.count == 1 ? [.high] : [LiveKit.VideoQuality.low, .medium, .high]).map { part, quality in
      Self {
        $0.quality = quality
        $0.width = UInt32(clamping: (track.width ?? 0) / part)
        $0.height = UInt32(clamping: (track.height ?? 0) / part)
      }
    }
  }
}

extension LiveKit.SubscribedQualityUpdate {
  /// Which layers of a simulcast a LiveKit client should send. Its rids are `q`, `h` and `f`.
  init(_ layers: WantedLayers, of track: TrackInfo?) {
    self.init([WantedCodec(track?.codec ?? .vp8, layers: layers.wanted)], of: layers.trackId)
  }

  /// Which layers of each codec a LiveKit client should send. Without simulcast a codec has one layer, whose quality depends on the
  /// client: all of them are as wanted as that one.
  init(_ codecs: [WantedCodec], of track: TrackID) {
    let codecs = codecs.map { codec in
      LiveKit.SubscribedCodec {
        $0.codec = codec.codec.rawValue.lowercased()
        $0.qualities = Self.qualities(codec.layers)
      }
    }
    self.init {
      $0.trackSID = track.rawValue
      $0.subscribedQualities = codecs.first?.qualities ?? []
      $0.subscribedCodecs = codecs
    }
  }

  /// - Parameter wanted: the rids of layers; nil for all.
  private static func qualities(_ wanted: [String]?) -> [LiveKit.SubscribedQuality] {
    [("q", LiveKit.VideoQuality.low), ("h", .medium), ("f", .high)].map { rid, quality in
      LiveKit.SubscribedQuality {
        $0.quality = quality
        $0.enabled = wanted?.contains(rid) ?? true
      }
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
