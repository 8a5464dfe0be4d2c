import RoomProtocol
import RoomRTP
import RoomRelay
import RoomSFU
import RoomWebRTC

// Video in another codec, for subscribers that can't decode what is published. One rendition serves all who need its codec.

/// A track in another codec. Subscribers know it by the id of the published track.
struct OfferedRendition: Sendable {
  /// The published track, with the media of the rendition.
  let track: PublishedTrack
  /// The media of the published track.
  let source: MediaTrackID
  let codec: TrackRendition.Codec
  /// Why it can't be made; nil if it runs.
  var refusal: String?
  /// Since when nobody receives it.
  var unused: Instant?
}

/// What a subscriber gets that can't decode a track.
enum Substitute: Sendable {
  case given(PublishedTrack)
  /// The publisher is asked for another codec. The subscriber gets nothing until it answers, or is late.
  case awaited
  case unavailable
}

extension RoomCore {
  /// The time that a rendition continues after its last subscriber, for those that reload a page.
  static let renditionLinger: Int64 = 10_000_000
  private static let renditionCheck = Duration.seconds(1)

  /// Returns a video track in a codec that a receiver accepts. A backup of the publisher precedes a rendition of the server, which
  /// begins if necessary.
  mutating func rendition(of track: PublishedTrack, accepts: (RTPCodec) -> Bool) -> Substitute {
    guard track.info.kind == .video, let published = track.parameters.codecs.first?.name else { return .unavailable }
    let codecs = TrackRendition.Codec.allCases.filter { $0.parameters.name != published && accepts($0.parameters) }
    switch backup(of: track, in: codecs) {
    case .given(let media): return .given(media)
    case .awaited: return .awaited
    case .unavailable: break
    }
    guard let codec = codecs.first else { return .unavailable }
    if let known = renditions.values.first(where: { $0.source == track.id && $0.codec == codec }) {
      return known.refusal == nil ? .given(known.track) : .unavailable
    }
    let parameters = RTPParameters(mid: "", kind: .video, codecs: [codec.parameters], cname: track.parameters.cname)
    var info = track.info
    (info.codec, info.layers, info.backups) = (codec.name, nil, [])
    let copy = PublishedTrack(id: ids.track(), info: info, parameters: parameters)
    renditions[copy.id] = OfferedRendition(track: copy, source: track.id, codec: codec)
    order(.inject(copy.id, parameters, layers: 1))
    order(.makeRendition(copy.id, of: track.id, codec))
    watchRenditions()
    count(.rendition)
    log(
      .notice, "track is transcoded for its subscribers",
      ["track": "\(info.trackId)", "from": "\(published)", "to": "\(codec)"])
    return .given(copy)
  }

  /// Returns the published media of a track that a receiver gets.
  func published(_ id: MediaTrackID) -> MediaTrackID {
    if let rendition = renditions[id] { return rendition.source }
    return backupKey(of: id).flatMap { roster.owner(of: $0.track)?.track($0.track)?.id } ?? id
  }

  /// Why a track has no rendition for those that can't decode it; nil if none was refused.
  func renditionRefusal(of track: TrackID) -> String? {
    renditions.values.lazy.filter { $0.track.info.trackId == track }.compactMap(\.refusal).first
  }

  /// Handles a rendition that can't be made. Participants receive `subscribeFailed`; WHEP has no such message.
  mutating func renditionFailed(_ id: MediaTrackID, _ reason: String) {
    guard let rendition = renditions[id], rendition.refusal == nil else { return }
    renditions[id]?.refusal = reason
    log(.warning, "track is not transcoded", ["track": "\(rendition.track.info.trackId)", "reason": "\(reason)"])
    order(.endRendition(id))
    order(.unpublish(id))
    changes.viewers.formUnion(viewers.byID.filter { $0.value.lines.contains { $0.playing?.track == id } }.keys)
    if let owner = roster.owner(of: rendition.source) { changes.tracks[rendition.track.info.trackId] = owner.user }
  }

  /// Ends renditions and backups whose track is gone.
  mutating func reconcileRenditions() {
    reconcileBackups()
    for (id, rendition) in renditions where roster.owner(of: rendition.source) == nil { end(rendition: id) }
  }

  /// Whether anybody receives this media.
  func isReceived(_ id: MediaTrackID) -> Bool {
    viewers.byID.values.contains { $0.lines.contains { $0.playing?.track == id } }
      || roster.all.contains { $0.receiving.transport?.wants(id) == true }
  }

  /// Begins to check who receives renditions and backups.
  mutating func watchRenditions() {
    if !timers.isSet(.renditions) { timers.set(.renditions, at: time(in: Self.renditionCheck)) }
  }

  /// Ends renditions that nobody has received for a while, and asks for no more backups that nobody needs.
  mutating func checkRenditions() {
    checkBackups()
    for (id, rendition) in renditions {
      let unused = isReceived(id) ? nil : rendition.unused ?? now.instant
      renditions[id]?.unused = unused
      if let unused, now.instant - unused >= Self.renditionLinger { end(rendition: id) }
    }
    if !renditions.isEmpty || backups.values.contains(where: \.isAsked) { watchRenditions() }
  }

  private mutating func end(rendition id: MediaTrackID) {
    guard let rendition = renditions.removeValue(forKey: id) else { return }
    guard rendition.refusal == nil else { return }
    order(.endRendition(id))
    order(.unpublish(id))
  }
}

extension TrackRendition.Codec {
  /// What subscribers are offered.
  var parameters: RTPCodec {
    switch self {
    case .h264: .h264(.constrainedBaseline, level: .level40)
    case .vp8: .vp8
    }
  }
}
