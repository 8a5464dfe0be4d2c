import RoomClient
import RoomProtocol

/// A user who is live in a room of their own and pushes it to the server's own origin.
final class Anchor: Sendable {
  static let job: JobID = "live"

  let room: Room
  let roomName: RoomName
  let user: UserID
  /// The stream's name on the origin.
  let stream: String
  let settings: SignalSource.Settings
  private let source: SignalSource

  /// Returns when the broadcast is on air.
  static func goLive(in roomName: RoomName, as user: UserID, _ settings: SignalSource.Settings, on stage: Stage) async throws
    -> Anchor
  {
    let anchor = try await comeBack(to: roomName, as: user, settings, on: stage)
    do {
      try await stage.recorder.time(.call, of: "go-live") {
        try await anchor.room.jobs.start(ForwardParams(jobId: job, publishUrl: "rtmp://origin/live/\(anchor.stream)"))
        try await anchor.isOnAir(within: .seconds(20))
      }
      return anchor
    } catch {
      await anchor.leave()
      throw error
    }
  }

  /// Joins again while the broadcast of an earlier process continues.
  static func comeBack(to roomName: RoomName, as user: UserID, _ settings: SignalSource.Settings, on stage: Stage) async throws
    -> Anchor
  {
    let room = try await stage.join(roomName, as: user, grants: [.publish, .subscribe, .relay, .admin])
    do {
      let source = try SignalSource(settings, recorder: stage.recorder)
      try await stage.recorder.time(.call, of: "publish") { try await room.publish(source.tracks) }
      return Anchor(room: room, roomName: roomName, user: user, settings: settings, source: source)
    } catch {
      await room.leave()
      throw error
    }
  }

  private init(room: Room, roomName: RoomName, user: UserID, settings: SignalSource.Settings, source: SignalSource) {
    self.room = room
    self.roomName = roomName
    self.user = user
    self.settings = settings
    self.source = source
    stream = roomName.rawValue
  }

  private func isOnAir(within limit: Duration) async throws {
    let end = ContinuousClock.now + limit
    while !(room.jobs.all.first { $0.jobId == Self.job }.map { $0.onAir == true && $0.state == .connected } ?? false) {
      guard ContinuousClock.now < end else { throw LoadtestError.noMedia("\(user) was not on air within \(limit)") }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// Accepts each invitation to a PK until the task is cancelled. A failure is recorded.
  func acceptInvitations(_ recorder: Recorder) -> Task<Void, Never> {
    let (room, user, events) = (room, user, room.events())
    return Task {
      for await event in events {
        guard case .pkInvited(let invitation) = event, invitation.to.room == room.name else { continue }
        do { try await room.pk.accept(invitation.pkId) } catch { recorder.fail("\(user) accepts: \(error)") }
      }
    }
  }

  func leave() async {
    await room.leave()
    source.stop()
  }
}

extension SignalSource.Settings {
  static let width = Parameter("width", 360, 176...1280, "picture size in pixels, even")
  static let height = Parameter("height", 640, 144...1280, "picture size in pixels, even")
  static let fps = Parameter("fps", 15, 5...60, "pictures a second")
  static let kbps = Parameter("kbps", 400, 50...10_000, "video bitrate in kbps")
  static let parameters = [width, height, fps, kbps]

  init(_ values: ParameterValues, number: Int) {
    self.init()
    width = values.count(Self.width) / 2 * 2
    height = values.count(Self.height) / 2 * 2
    fps = values.count(Self.fps)
    kbps = values.count(Self.kbps)
    self.number = number
  }
}
