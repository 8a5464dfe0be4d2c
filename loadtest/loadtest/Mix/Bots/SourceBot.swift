import RoomRTP
import RoomClient
import RoomProtocol

/// A publisher that sends a clip in a loop, unchanged: nothing is encoded during the measurement.
actor SourceBot {
  private let clip: MixClip
  private let video: LocalVideoTrack
  private let audio = LocalAudioTrack(channels: 1)
  private var room: Room?
  private var sending: Task<Void, Never>?
  /// Frames that the transport accepted and refused, by kind.
  private var taken = (video: 0, audio: 0)
  private var refused = 0

  init(_ clip: MixClip) {
    self.clip = clip
    let settings = clip.settings
    video = LocalVideoTrack(
      codec: .h264, width: settings.width, height: settings.height, fps: settings.fps, bitrate: settings.kbps * 1000)
  }

  /// Joins, publishes and starts to send the clip.
  func publish(to url: String, token: String) async throws {
    let room = try await Room.connect(to: url, token: token, options: RoomOptions(autoSubscribe: false))
    self.room = room
    try await room.publish([video, audio])
    sending = Task { [weak self] in await self?.send() }
  }

  /// Returns whether video and audio are being sent, how many frames were refused, and why the bot left the room if it did.
  func status() -> (isSending: Bool, refused: Int, failure: String?) {
    let isSending = taken.video > 0 && taken.audio > 0
    guard let room else { return (false, refused, "it did not join") }
    if case .closed(let reason) = room.state { return (isSending, refused, "\(reason)") }
    return (isSending, refused, nil)
  }

  /// Invites the anchors of other rooms to a PK in which all rooms show the anchors in the same order.
  func invite(_ rooms: some Collection<RoomName>) async throws {
    guard let room, let first = rooms.first else { return }
    var params = PKInviteParams(room: first)
    params.others = rooms.dropFirst().map { PKInvitee(room: $0) }
    var rules = PKRules(rooms: rooms.count + 1)
    rules.sameOrder = true
    params.rules = rules
    try await room.pk.invite(params)
  }

  /// Accepts the invitation to a PK, once that arrives.
  func accept() async throws {
    try await wait("an invitation to a PK") { !$0.pk.invitations.isEmpty }
    if let room, let invitation = room.pk.invitations.first { try await room.pk.accept(invitation.pkId) }
  }

  /// Waits for a state of the room.
  /// - Throws: ``LoadtestError/noMedia(_:)`` after 20 s.
  func wait(_ what: String, until isReached: @Sendable (Room) -> Bool) async throws {
    let end = ContinuousClock.now + .seconds(20)
    while let room, !isReached(room) {
      guard ContinuousClock.now < end else { throw LoadtestError.noMedia("\(room.name) waited for \(what)") }
      try await Task.sleep(for: .milliseconds(50))
    }
  }

  func leave() async {
    sending?.cancel()
    await room?.leave()
  }

  private func send() async {
    let clock = ContinuousClock()
    let start = clock.now
    var (picture, packet) = (0, 0)
    let (fps, rate) = (clip.settings.fps, MixClip.packetsPerSecond)
    while !Task.isCancelled {
      let (pictureTime, packetTime) = (Double(picture) / Double(fps), Double(packet) / Double(rate))
      do { try await clock.sleep(until: start + .seconds(min(pictureTime, packetTime))) } catch { return }
      if pictureTime <= packetTime {
        let frame = clip.pictures[picture % clip.pictures.count]
        let timestamp = UInt32(truncatingIfNeeded: Int64(picture) * 90_000 / Int64(fps))
        let isTaken = video.send(EncodedFrame(data: frame.data, timestamp: timestamp, isKeyFrame: frame.isKeyFrame))
        if isTaken { taken.video += 1 } else { refused += 1 }
        picture += 1
      } else {
        let data = clip.packets[packet % clip.packets.count]
        let timestamp = UInt32(truncatingIfNeeded: Int64(packet) * 48_000 / Int64(rate))
        let isTaken = audio.send(EncodedFrame(data: data, timestamp: timestamp, isKeyFrame: true), level: -20)
        if isTaken { taken.audio += 1 } else { refused += 1 }
        packet += 1
      }
    }
  }
}
