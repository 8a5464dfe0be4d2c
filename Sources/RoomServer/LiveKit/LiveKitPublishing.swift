import RoomLiveKitProtocol
import RoomProtocol
import RoomWebRTC

/// The tracks of one LiveKit client: those that it has announced, and those that it sends.
struct LiveKitPublishing: Sendable {
  /// Tracks that were announced and have no m-line yet, at most.
  private static let mostPending = 32

  private struct Track: Sendable {
    var id: TrackID
    var request: LiveKit.AddTrackRequest

    var kind: TrackKind { request.type == .audio ? .audio : .video }

    func new(mid: String) -> NewTrack {
      let isVideo = kind == .video
      func pixels(_ value: UInt32) -> Int? { isVideo && (1...16384).contains(value) ? Int(value) : nil }
      return NewTrack(
        mid: mid, kind: kind, tag: request.source.tag, muted: request.muted, trackId: id, width: pixels(request.width),
        height: pixels(request.height), name: (1...256).contains(request.name.utf8.count) ? request.name : nil)
    }
  }

  /// What an offer changes.
  struct Change: Sendable {
    /// Tracks whose m-line now sends another one: they end first.
    var replaced: [TrackID] = []
    var new: [NewTrack] = []
    /// The cids of the new tracks, by mid.
    fileprivate var cids: [String: String] = [:]
    fileprivate var lines: Set<String> = []
  }

  private var pending: [Track] = []
  /// By mid.
  private var sent: [String: Track] = [:]

  /// Adds a track that the next offer has. Returns nil if too many wait for theirs.
  mutating func announce(_ request: LiveKit.AddTrackRequest, id: TrackID) -> LiveKit.TrackInfo? {
    pending.removeAll { $0.request.cid == request.cid }
    guard pending.count < Self.mostPending else { return nil }
    pending.append(Track(id: id, request: request))
    return Self.info(request, id)
  }

  /// Changes the mute of a track without an m-line. Returns false if there is none.
  mutating func mute(_ id: TrackID, _ muted: Bool) -> Bool {
    guard let index = pending.firstIndex(where: { $0.id == id }) else { return false }
    pending[index].request.muted = muted
    return true
  }

  /// Compares an offer with the tracks.
  func change(in offer: String) throws(SDPError) -> Change {
    var change = Change()
    var waiting = pending
    for line in try LiveKitDescription.sendingLines(of: offer) {
      change.lines.insert(line.mid)
      let index =
        waiting.firstIndex { line.cid != nil && $0.request.ids.contains(line.cid ?? "") && $0.kind == line.kind }
        // The one track of its kind, whatever its id; not for an m-line that sends already.
        ?? (sent[line.mid] == nil && waiting.count { $0.kind == line.kind } == 1
          ? waiting.firstIndex { $0.kind == line.kind } : nil)
      guard let index else { continue }
      let track = waiting.remove(at: index)
      if let old = sent[line.mid] { change.replaced.append(old.id) }
      change.cids[line.mid] = track.request.cid
      change.new.append(track.new(mid: line.mid))
    }
    return change
  }

  /// Notes that an offer was answered.
  mutating func answered(_ change: Change) {
    sent = sent.filter { change.lines.contains($0.key) }
    for (mid, cid) in change.cids {
      guard let index = pending.firstIndex(where: { $0.request.cid == cid }) else { continue }
      sent[mid] = pending.remove(at: index)
    }
  }

  /// Whether a track was announced and has no m-line yet.
  func isPending(_ id: TrackID) -> Bool { pending.contains { $0.id == id } }

  /// Forgets tracks that the room ended.
  mutating func withdraw(_ tracks: Set<TrackID>) { sent = sent.filter { !tracks.contains($0.value.id) } }

  /// Returns the client's own description of a track that it sends.
  func request(of id: TrackID) -> LiveKit.AddTrackRequest? { sent.values.first { $0.id == id }?.request }

  private static func info(_ request: LiveKit.AddTrackRequest, _ id: TrackID) -> LiveKit.TrackInfo {
    LiveKit.TrackInfo {
      $0.sid = id.rawValue
      $0.type = request.type
      $0.name = request.name
      $0.muted = request.muted
      $0.width = request.width
      $0.height = request.height
      $0.source = request.source
      $0.layers = request.layers
      $0.simulcast = request.layers.count > 1
      $0.disableDTX = request.disableDTX
      $0.disableRED = request.disableRED
      $0.stereo = request.stereo
      $0.stream = request.stream
      $0.encryption = request.encryption
      $0.audioFeatures = request.audioFeatures
      $0.packetTrailerFeatures = request.packetTrailerFeatures
      $0.backupCodecPolicy = request.backupCodecPolicy
      $0.mimeType = request.mimeType
      $0.codecs = request.simulcastCodecs.map { codec in
        LiveKit.SimulcastCodecInfo {
          $0.mimeType = LiveKit.AddTrackRequest.mimeType(of: codec.codec, request.type)
          $0.cid = codec.cid
          $0.layers = codec.layers.isEmpty ? request.layers : codec.layers
        }
      }
    }
  }
}

extension LiveKit.AddTrackRequest {
  /// The ids by which an m-line may name the track.
  fileprivate var ids: [String] { [cid] + simulcastCodecs.map(\.cid) }

  fileprivate var mimeType: String {
    if type == .audio { return "audio/opus" }
    return simulcastCodecs.first.map { Self.mimeType(of: $0.codec, type) } ?? "video/VP8"
  }

  fileprivate static func mimeType(of codec: String, _ type: LiveKit.TrackType) -> String {
    codec.contains("/") ? codec : type == .audio ? "audio/\(codec.lowercased())" : "video/\(codec.uppercased())"
  }
}
