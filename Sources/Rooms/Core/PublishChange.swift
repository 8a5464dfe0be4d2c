import RoomRTP
import RoomProtocol
import RoomSFU
import RoomWebRTC

/// An offer that has been answered and checked but not applied.
struct Publication: Sendable {
  var transport: PublishTransport
  var answered: AnsweredOffer
  var change: PublishChange
  /// Whether the transport is not open yet.
  var isNew: Bool
  /// Whether it replaces the participant's transport.
  var restarts = false
}

/// The changes of a participant's tracks that an answered offer makes.
struct PublishChange: Sendable {
  struct New: Sendable {
    var track: NewTrack
    var parameters: RTPParameters
  }

  /// Existing tracks with changed parameters.
  var kept: [PublishedTrack] = []
  var added: [New] = []
  var removed: [PublishedTrack] = []
  /// The mids of the call's tracks, in the order of the call.
  var order: [Mid]
  /// Number of tracks that the offer does not change.
  private var unchanged = 0

  /// Compares the offer with the published tracks.
  /// - Parameters:
  ///   - published: the tracks on this transport.
  ///   - before: with a restart, the tracks of the transport that is replaced.
  /// - Throws: if a named track has no m-line, or the m-line of another track.
  init(
    _ params: PublishParams, answered: AnsweredOffer, published: [PublishedTrack], before: [PublishedTrack]
  ) throws(RoomError) {
    order = params.tracks.map { Mid($0.mid) }
    guard Set(order).count == order.count else { throw RoomError(.publishFailed, "two tracks have the same mid") }
    let media = Dictionary(answered.media.map { ($0.mid, $0) }, uniquingKeysWith: { first, _ in first })

    for track in published {
      if let parameters = media[track.parameters.mid] {
        guard !order.contains(track.parameters.mid) else {
          throw RoomError(.publishFailed, "m-line \(track.parameters.mid) is already used by track \(track.info.trackId)")
        }
        guard parameters != track.parameters else { continue }
        var changed = track
        changed.parameters = parameters
        changed.info.layers = parameters.layerNames
        kept.append(changed)
      } else {
        removed.append(track)
      }
    }
    unchanged = published.count - removed.count - kept.count

    for new in params.tracks {
      guard let parameters = media[Mid(new.mid)] else {
        let reason = answered.rejected.first { $0.mid.rawValue == new.mid }?.reason ?? "the offer has no such sending m-line"
        throw RoomError(.publishFailed, "m-line \(new.mid.prefix(64)): \(reason)")
      }
      guard parameters.kind.rawValue == new.kind.rawValue else {
        throw RoomError(.publishFailed, "m-line \(new.mid) is \(parameters.kind), not \(new.kind)")
      }
      // A changed codec requires new subscriptions, so it makes a new track.
      if let same = before.first(where: { $0.info.trackId == new.trackId }),
        let old = same.parameters.codecs.first, let codec = parameters.codecs.first, old.matches(codec),
        !kept.contains(where: { $0.id == same.id })
      {
        var track = same
        track.parameters = parameters
        track.info.layers = parameters.layerNames
        kept.append(track)
      } else {
        added.append(New(track: new, parameters: parameters))
      }
    }
    removed += before.filter { old in !kept.contains { $0.id == old.id } }
  }

  /// The participant's number of tracks afterwards.
  var count: Int { unchanged + kept.count + added.count }
}

extension RTPParameters {
  /// The names of the layers of a simulcast; nil without one, or if they have none.
  var layerNames: [String]? {
    let names = encodings.compactMap { $0.rid?.rawValue }
    return names.count > 1 ? names : nil
  }
}

extension TrackInfo {
  init(_ new: NewTrack, id: TrackID, codec: String?) {
    self.init(
      trackId: id, kind: new.kind, tag: new.tag ?? "", master: new.master ?? true, muted: new.muted ?? false,
      codec: codec.map(CodecName.init(rawValue:)),
      width: new.width, height: new.height, fps: new.fps, bitrate: new.bitrate, name: new.name)
    backups = new.backups
  }
}
