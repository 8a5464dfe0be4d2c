import RoomProtocol
import RoomRelay
import RoomRTP
import RoomSFU

/// The running mixes of one room, with the tracks and listeners that receive them. A mix may be another room's that shows and plays the
/// same; a function then returns the mix that the room's jobs send from now on.
final class RoomMixes {
  private struct Listener: Hashable {
    var mix: MixID
    var session: SessionID
  }

  private let media: MediaRoom
  private let tracks: RoomTracks
  private let directory: MixDirectory
  private let font: String?
  private let sharingEnded: @Sendable (MixID) -> Void
  private var running: [MixID: RunningMix] = [:]
  private var sinks: [MixID: MixedTrackSink] = [:]
  private var listeners: [Listener: SharedClock] = [:]
  /// The sizes in which mixes show the tracks.
  private var shown = ShownSizes()
  /// The images that mixes may show.
  var images = RoomImages()

  init(
    of media: MediaRoom, _ tracks: RoomTracks, _ directory: MixDirectory, font: String?,
    sharingEnded: @escaping @Sendable (MixID) -> Void
  ) {
    self.media = media
    self.tracks = tracks
    self.directory = directory
    self.font = font
    self.sharingEnded = sharingEnded
  }

  /// The mix that the room's jobs send.
  subscript(id: MixID) -> LiveMix? { running[id]?.live }

  func id(of mix: LiveMix) -> MixID? { running.first { $0.value.live === mix }?.key }

  // MARK: Composition

  func make(_ id: MixID, _ plan: MixPlan) throws(RoomError) {
    let scene = try plan.scene(images, font: font)
    running[id] = RunningMix(try directory.make(plan.picture, scene, sources: plan.layouts.count), plan: plan)
    setSizes(of: id, plan)
  }

  func arrange(_ id: MixID, _ plan: MixPlan) throws(RoomError) -> LiveMix? {
    guard let mix = running[id] else { return nil }
    let scene = try plan.scene(images, font: font)
    running[id]?.plan = plan
    setSizes(of: id, plan)
    if mix.isBorrowed { return mix.member == nil ? reclaim(id) : nil }
    mix.live.setScene(scene)
    return nil
  }

  func setTracks(of id: MixID, _ wanted: [MixTrackID], isWaiting: Bool) -> LiveMix? {
    guard var mix = running[id] else { return nil }
    (mix.tracks, mix.isWaiting) = (wanted, isWaiting)
    running[id] = mix
    for track in shown.set(wanted, of: id) { setSize(of: track) }
    if mix.isBorrowed { return mix.member == nil ? reclaim(id) : nil }
    mix.live.setTracks(mixTracks(mix), isWaiting: isWaiting)
    return nil
  }

  func end(_ id: MixID) {
    unpublish(id)
    guard let mix = running.removeValue(forKey: id) else { return }
    for track in shown.remove(id) { setSize(of: track) }
    if let member = mix.member { directory.shared.leave(member) }
    guard !mix.isBorrowed else { return }
    mix.live.end()
    directory.ended()
  }

  private func mixTracks(_ mix: RunningMix) -> [MixTrack] {
    mix.tracks.map { MixTrack(input: $0.input, track: tracks.decoded($0.source)) }
  }

  // MARK: Sizes

  private func setSizes(of id: MixID, _ plan: MixPlan) { for track in shown.set(plan, of: id) { setSize(of: track) } }

  private func setSize(of track: MediaTrackID) { tracks.show(track, shown.size(of: track)) }

  /// Lends a track to rooms that show it in sizes of their own.
  func lend(_ source: TrackSourceID) -> LentMedia {
    let lent = tracks.lend(source)
    setSize(of: source.track)
    return lent
  }

  // MARK: Sharing

  /// Offers a mix to the other rooms of the server, or finds one of them in its place.
  func share(_ id: MixID, _ content: SharedContent) -> LiveMix? {
    guard let own = running[id], own.member == nil else { return nil }
    let (member, other) = directory.shared.join(content, own.live) { [sharingEnded] in sharingEnded(id) }
    running[id]?.member = member
    guard let other else { return nil }
    running[id]?.borrow(other)
    own.live.end()
    directory.ended()
    return other
  }

  /// Makes a mix the room's own again: a room that others follow leaves its mix to them until they have separated, too.
  func separate(_ id: MixID) -> LiveMix? {
    guard let mix = running[id], let member = mix.member else { return nil }
    running[id]?.member = nil
    defer { directory.shared.leave(member) }
    return mix.isBorrowed || directory.shared.isFollowed(member) ? reclaim(id) : nil
  }

  /// Replaces a mix that other rooms send, too, by one of the room's own. Without an encoder for that the picture stays as it is, until
  /// the next change of the mix tries again.
  private func reclaim(_ id: MixID) -> LiveMix? {
    guard let mix = running[id], let scene = try? mix.plan.scene(images, font: font),
      // The room was admitted with a mix of its own.
      let own = try? directory.make(mix.plan.picture, scene, sources: mix.plan.layouts.count, isAdmitted: true)
    else { return nil }
    own.setTracks(mixTracks(mix), isWaiting: mix.isWaiting)
    running[id]?.own(own)
    if !mix.isBorrowed {
      mix.live.end()
      directory.ended()
    }
    return own
  }

  // MARK: Tracks of the room that carry a mix

  func publish(_ id: MixID, _ video: MediaTrackID?, _ audio: MediaTrackID?, _ bitrate: Int) {
    guard let mix = self[id], let sink = try? MixedTrackSink(mix, audioBitrate: bitrate, now: .now) else { return }
    sink.begin(video: video.flatMap(tracks.takeInjection), audio: audio.flatMap(tracks.takeInjection))
    sinks[id] = sink
    mix.add(sink)
  }

  func unpublish(_ id: MixID) {
    guard let sink = sinks.removeValue(forKey: id) else { return }
    sink.stop()
    self[id]?.remove(sink)
  }

  func addListener(_ id: MixID, _ session: SessionID, _ track: MediaTrackID, _ bitrate: Int) {
    guard let mix = self[id], let sink = try? MixedTrackSink(mix, audioBitrate: bitrate, now: .now) else { return }
    sink.begin(video: nil, audio: tracks.takeInjection(track))
    let clock = tracks.clock(of: session)
    listeners[Listener(mix: id, session: session)] = clock
    mix.setListener(clock, sink)
  }

  func removeListener(_ id: MixID, _ session: SessionID) {
    if let clock = listeners.removeValue(forKey: Listener(mix: id, session: session)) { self[id]?.setListener(clock, nil) }
  }
}
