import RoomProtocol
import RoomRTP
import RoomRelay
import RoomSFU
import RoomWebRTC

// Video that a publisher sends in a second codec, for subscribers that can't decode the first one.

/// A track, and a codec in which its publisher can send it too.
struct BackupKey: Sendable, Hashable {
  let track: TrackID
  let codec: TrackRendition.Codec
}

extension RoomCore {
  // MARK: Subscribers

  /// Returns the substitute for subscribers that need one of these codecs. Asks the publisher to send the codec if necessary.
  mutating func backup(of track: PublishedTrack, in codecs: [TrackRendition.Codec]) -> Substitute {
    guard let codec = codecs.first(where: { track.info.backups.contains($0.name) }),
      roster.owner(of: track.info.trackId)?.presence.isClient == true
    else { return .unavailable }
    let key = BackupKey(track: track.info.trackId, codec: codec)
    let effect = backups[key, default: TrackBackup()].need(at: now.instant)
    if effect != nil {
      log(.info, "publisher is asked for a backup", ["track": "\(key.track)", "codec": "\(codec)"])
      watchRenditions()
    }
    apply(effect, to: key)
    if let source = backups[key]?.source { return .given(source) }
    return backups[key]?.isAwaited == true ? .awaited : .unavailable
  }

  /// Returns the backup that has this media.
  func backupKey(of media: MediaTrackID) -> BackupKey? { backups.first { $0.value.media?.id == media }?.key }

  // MARK: Publishers

  /// Compares the m-lines of a publisher's offer with its backups. M-lines of codecs that it did not announce are ignored.
  /// - Parameters:
  ///   - lines: new m-lines of backups.
  ///   - answered: all m-lines on which the publisher sends.
  mutating func setBackups(_ lines: [BackupLine], in answered: [RTPParameters], on transport: TransportID, of user: UserID) {
    guard !lines.isEmpty || !backups.isEmpty, let participant = roster[user] else { return }
    var media = Dictionary(answered.map { ($0.mid, $0) }) { first, _ in first }
    for track in participant.tracks { media[track.parameters.mid] = nil }
    for (key, backup) in backups where participant.track(key.track) != nil {
      guard let old = backup.media else { continue }
      guard let parameters = media.removeValue(forKey: old.parameters.mid) else {
        order(.unpublish(old.id))
        apply(backups[key]?.end(), to: key)
        continue
      }
      guard parameters != old.parameters else { continue }
      order(.publish(old.id, on: transport, parameters))
      backups[key]?.media?.parameters = parameters
    }
    for line in lines {
      guard let track = participant.track(line.trackId), let parameters = media.removeValue(forKey: Mid(line.mid)),
        parameters.kind == .video, let codec = parameters.codecs.first.flatMap({ TrackRendition.Codec($0.name) }),
        track.info.backups.contains(codec.name), track.info.codec != codec.name
      else { continue }
      let key = BackupKey(track: line.trackId, codec: codec)
      guard backups[key]?.media == nil else { continue }
      var info = track.info
      (info.codec, info.layers, info.backups) = (codec.name, parameters.layerNames, [])
      let media = PublishedTrack(id: ids.track(), info: info, parameters: parameters)
      order(.publish(media.id, on: transport, parameters))
      if info.muted { order(.mute(media.id, true)) }
      apply(backups[key, default: TrackBackup()].begin(media), to: key)
    }
  }

  /// Notes the first packet of a backup. Returns false if the media is of none.
  mutating func backupArrived(_ media: MediaTrackID) -> Bool {
    guard let key = backupKey(of: media) else { return false }
    log(.info, "backup of a track arrived", ["track": "\(key.track)", "codec": "\(key.codec)"])
    apply(backups[key]?.arrived(), to: key)
    return true
  }

  /// Mutes the backups of a track with it.
  mutating func muteBackups(of track: TrackID, _ muted: Bool) {
    for (key, backup) in backups where key.track == track {
      if let media = backup.media { order(.mute(media.id, muted)) }
    }
  }

  /// Stores the layers in use of a backup. Returns false if the media is of none.
  mutating func setWantedLayers(ofBackup media: MediaTrackID, _ wanted: [String]) -> Bool {
    guard let key = backupKey(of: media) else { return false }
    backups[key]?.wantedLayers = wanted
    if backups[key]?.isAsked == true { apply(.ask, to: key) }
    return true
  }

  /// Tells a client what to send of a track that it can send in several codecs.
  mutating func sendWantedCodecs(of track: PublishedTrack, to user: UserID) {
    guard let connection = roster[user]?.connection, let codec = track.info.codec else { return }
    let others = track.info.backups.compactMap { TrackRendition.Codec($0.rawValue) }.map { codec in
      let backup = backups[BackupKey(track: track.info.trackId, codec: codec)] ?? TrackBackup()
      return WantedCodec(codec.name, layers: backup.isAsked ? backup.wantedLayers : [])
    }
    emit(.deliver(.codecsWanted(track.info.trackId, [WantedCodec(codec, layers: track.wanted)] + others), to: connection))
  }

  // MARK: Time

  /// Ends the backups of tracks that are gone.
  mutating func reconcileBackups() {
    for (key, backup) in backups where roster.owner(of: key.track) == nil {
      backups[key] = nil
      if let media = backup.media { order(.unpublish(media.id)) }
    }
  }

  /// Passes the time to all backups. A rendition of the server is used in place of one that is late.
  mutating func checkBackups() {
    for (key, backup) in backups where backup.isAsked {
      let track = roster.owner(of: key.track)?.track(key.track)?.id
      let substitutes = renditions.filter { $0.value.source == track && $0.value.refusal == nil }.keys
      let isUsed = (substitutes + [backup.media?.id].compactMap { $0 }).contains { isReceived($0) }
      apply(backups[key]?.check(isUsed: isUsed, at: now.instant), to: key)
    }
  }

  private mutating func apply(_ effect: TrackBackup.Effect?, to key: BackupKey) {
    guard let effect, let owner = roster.owner(of: key.track), let track = owner.track(key.track) else { return }
    switch effect {
    case .ask: sendWantedCodecs(of: track, to: owner.user)
    case .renew:
      changes.tracks[key.track] = owner.user
      changes.viewers.formUnion(viewers.ids)
    }
  }
}

extension TrackRendition.Codec {
  init?(_ name: String) {
    switch name {
    case "h264": self = .h264
    case "vp8": self = .vp8
    default: return nil
    }
  }

  var name: CodecName { self == .h264 ? .h264 : .vp8 }
}
