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

extension RoomCore {
  /// The time that a rendition continues after its last subscriber, for those that reload a page.
  static let renditionLinger: Int64 = 10_000_000
  private static let renditionCheck = Duration.seconds(1)

  /// Returns a video track in a codec that a receiver accepts, and begins to make it if necessary; nil if there is none.
  mutating func rendition(of track: PublishedTrack, accepts: (RTPCodec) -> Bool) -> PublishedTrack? {
    guard track.info.kind == .video, let published = track.parameters.codecs.first?.name else { return nil }
    let codec = [TrackRendition.Codec.h264, .vp8].first { $0.parameters.name != published && accepts($0.parameters) }
    guard let codec else { return nil }
    if let known = renditions.values.first(where: { $0.source == track.id && $0.codec == codec }) {
      return known.refusal == nil ? known.track : nil
    }
    let parameters = RTPParameters(mid: "", kind: .video, codecs: [codec.parameters], cname: track.parameters.cname)
    var info = track.info
    info.codec = CodecName(rawValue: codec.parameters.name)
    info.layers = nil
    let copy = PublishedTrack(id: ids.track(), info: info, parameters: parameters)
    renditions[copy.id] = OfferedRendition(track: copy, source: track.id, codec: codec)
    order(.inject(copy.id, parameters, layers: 1))
    order(.makeRendition(copy.id, of: track.id, codec))
    timers.set(.renditions, at: time(in: Self.renditionCheck))
    count(.rendition)
    log(
      .notice, "track is transcoded for its subscribers",
      ["track": "\(info.trackId)", "from": "\(published)", "to": "\(codec)"])
    return copy
  }

  /// Returns the published media of a track that a receiver gets.
  func published(_ id: MediaTrackID) -> MediaTrackID { renditions[id]?.source ?? id }

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

  /// Ends renditions whose track is gone.
  mutating func reconcileRenditions() {
    for (id, rendition) in renditions where roster.owner(of: rendition.source) == nil { end(rendition: id) }
  }

  /// Ends renditions that nobody has received for a while.
  mutating func checkRenditions() {
    for (id, rendition) in renditions {
      let isUsed =
        viewers.byID.values.contains { $0.lines.contains { $0.playing?.track == id } }
        || roster.all.contains { $0.receiving.transport?.wants(id) == true }
      let unused = isUsed ? nil : rendition.unused ?? now.instant
      renditions[id]?.unused = unused
      if let unused, now.instant - unused >= Self.renditionLinger { end(rendition: id) }
    }
    if !renditions.isEmpty { timers.set(.renditions, at: time(in: Self.renditionCheck)) }
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
