import RoomLiveKitProtocol
import RoomProtocol
import RoomServer
import RoomWebRTC

/// The tracks of one LiveKit client: those that it has announced, and those that it sends.
struct LiveKitPublishing: Sendable {
  /// Tracks that were announced and have no m-line yet, at most.
  private static let mostPending = 32

  private struct Track: Sendable {
    var id: TrackID
    var request: LiveKit.AddTrackRequest
    /// Whether it is a published track in another codec.
    var isBackup = false

    var kind: TrackKind { request.type == .audio ? .audio : .video }

    func isBackup(in codec: String) -> Bool {
      isBackup && request.simulcastCodecs.contains { LiveKit.SimulcastCodec.name($0.codec) == codec }
    }

    func new(mid: String) -> NewTrack {
      let isVideo = kind == .video
      func pixels(_ value: UInt32) -> Int? { isVideo && (1...16384).contains(value) ? Int(value) : nil }
      var new = NewTrack(
        mid: mid, kind: kind, tag: request.source.tag, muted: request.muted, trackId: id, width: pixels(request.width),
        height: pixels(request.height), name: (1...256).contains(request.name.utf8.count) ? request.name : nil)
      if isVideo { new.backups = request.backups }
      return new
    }
  }

  /// What an offer changes.
  struct Change: Sendable {
    /// The offer, with the codecs of new tracks first.
    var sdp: String
    /// Tracks whose m-line now sends another one: they end first.
    var replaced: [TrackID] = []
    var new: [NewTrack] = []
    /// New m-lines on which published tracks are sent in another codec.
    var backups: [BackupLine] = []
    /// The cids of the new m-lines, by mid.
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

  /// Adds an m-line that the next offer has, with a track that the client sends already. Returns false if too many wait for theirs.
  mutating func announceBackup(_ request: LiveKit.AddTrackRequest) -> Bool {
    pending.removeAll { $0.request.cid == request.cid }
    guard pending.count < Self.mostPending else { return false }
    pending.append(Track(id: TrackID(request.sid), request: request, isBackup: true))
    return true
  }

  /// Changes the mute of a track without an m-line. Returns false if there is none.
  mutating func mute(_ id: TrackID, _ muted: Bool) -> Bool {
    guard let index = pending.firstIndex(where: { $0.id == id && !$0.isBackup }) else { return false }
    pending[index].request.muted = muted
    return true
  }

  /// Compares an offer with the tracks.
  func change(in offer: String) throws(SDPError) -> Change {
    var change = Change(sdp: offer)
    var codecs: [String: String] = [:]
    var waiting = pending
    for line in try LiveKitDescription.sendingLines(of: offer) {
      change.lines.insert(line.mid)
      let index =
        waiting.firstIndex { line.cid != nil && $0.request.ids.contains(line.cid ?? "") && $0.kind == line.kind }
        // The one track of its kind, whatever its id; not for an m-line that sends already.
        ?? (sent[line.mid] == nil && waiting.count { $0.kind == line.kind && !$0.isBackup } == 1
          ? waiting.firstIndex { $0.kind == line.kind && !$0.isBackup } : nil)
      guard let index else { continue }
      let track = waiting.remove(at: index)
      if let old = sent[line.mid], !old.isBackup { change.replaced.append(old.id) }
      change.cids[line.mid] = track.request.cid
      if track.kind == .video, let codec = track.request.simulcastCodecs.first?.codec, !codec.isEmpty {
        codecs[line.mid] = LiveKit.SimulcastCodec.name(codec)
      }
      if track.isBackup {
        change.backups.append(BackupLine(mid: line.mid, trackId: track.id))
      } else {
        change.new.append(track.new(mid: line.mid))
      }
    }
    change.sdp = LiveKitDescription.preferring(codecs, in: offer)
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
  func isPending(_ id: TrackID) -> Bool { pending.contains { $0.id == id && !$0.isBackup } }

  /// Forgets tracks that the room ended.
  mutating func withdraw(_ tracks: Set<TrackID>) {
    sent = sent.filter { !tracks.contains($0.value.id) }
    pending.removeAll { $0.isBackup && tracks.contains($0.id) }
  }

  /// Returns the client's own description of a track that it sends.
  func request(of id: TrackID) -> LiveKit.AddTrackRequest? { sent.values.first { $0.id == id && !$0.isBackup }?.request }

  /// Adds the m-lines of a track that the client sends, and its ids of them, to a description of the track.
  func complete(_ info: inout LiveKit.TrackInfo) {
    let lines = sent.filter { $0.value.id.rawValue == info.sid }
    let announced = pending.filter { $0.id.rawValue == info.sid && $0.isBackup }
    info.mid = lines.first { !$0.value.isBackup }?.key ?? ""
    for index in info.codecs.indices {
      let codec = LiveKit.SimulcastCodec.name(info.codecs[index].mimeType)
      if let (mid, track) = lines.first(where: { index == 0 ? !$0.value.isBackup : $0.value.isBackup(in: codec) }) {
        (info.codecs[index].mid, info.codecs[index].cid) = (mid, track.request.cid)
      } else if let track = announced.first(where: { $0.isBackup(in: codec) }) {
        info.codecs[index].cid = track.request.cid
      }
    }
  }

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

  /// The codecs after the first one. The client sends the track in them on request.
  fileprivate var backups: [CodecName] {
    let names = simulcastCodecs.prefix(Self.mostCodecs).map { LiveKit.SimulcastCodec.name($0.codec) }
    return names.indices.dropFirst().filter { !names[..<$0].contains(names[$0]) }.compactMap { index in
      [CodecName.h264, .vp8, .vp9, .av1].first { $0.rawValue == names[index] }
    }
  }

  /// The codecs of a track that count, at most.
  private static let mostCodecs = 4

  fileprivate var mimeType: String {
    if type == .audio { return "audio/opus" }
    return simulcastCodecs.first.map { Self.mimeType(of: $0.codec, type) } ?? "video/VP8"
  }

  fileprivate static func mimeType(of codec: String, _ type: LiveKit.TrackType) -> String {
    codec.contains("/") ? codec : type == .audio ? "audio/\(codec.lowercased())" : "video/\(codec.uppercased())"
  }
}

extension LiveKit.SimulcastCodec {
  /// The name of a codec in lowercase, of `vp8` and `video/VP8` alike.
  static func name(_ codec: String) -> String { (codec.split(separator: "/").last ?? "").lowercased() }
}
