import Logging
import NIOCore
import NIOPosix
import RoomEngine
import RoomMediaReader
import RoomProtocol
import Synchronization

/// The players of a server. Owns the threads that pace and convert their frames.
final class PlayerDirectory: RoomPlayers {
  private struct State {
    /// Created with the first player.
    var group: MultiThreadedEventLoopGroup?
    var running = 0
  }

  let settings: PlayerSettings
  let mixes: MixDirectory
  let log: Logger
  private let state = Mutex(State())
  /// The uploaded files; nil if the server takes none.
  private let uploads = Mutex<UploadStore?>(nil)

  init(_ settings: PlayerSettings, mixes: MixDirectory, log: Logger) {
    self.settings = settings
    self.mixes = mixes
    self.log = log
  }

  /// Sets where uploaded files are, before the first room is restored.
  func find(uploads: UploadStore?) { self.uploads.withLock { $0 = uploads } }

  /// The players that run.
  var running: Int { state.withLock { $0.running } }

  var refusal: String? {
    if settings.limit == 0 { return "this server plays no files and URLs" }
    return running < settings.limit ? nil : "the server has \(settings.limit) players, which is its limit"
  }

  func start(_ plan: PlayerPlan, in room: Room) -> any RoomPlayer {
    let loop = state.withLock { state -> (any EventLoop) in
      state.running += 1
      let group = state.group ?? MultiThreadedEventLoopGroup(numberOfThreads: settings.threads)
      state.group = group
      return group.next()
    }
    let uploads = uploads.withLock { $0 }
    let use = plan.upload.flatMap { UploadID($0) }.flatMap { uploads?.open($0) }
    let source: ReaderPlan.Source? = plan.url.map { .url($0) } ?? use.map { .file($0.path) }
    let reading = ReaderPlan(source ?? .file(""), networks: settings.networks, start: plan.position)
    let session = PlayerSession(plan, reading, in: room, of: self, on: loop) { [weak self] in
      // The file may expire from now on.
      _ = use
      self?.state.withLock { $0.running -= 1 }
    }
    if source != nil {
      session.start()
    } else {
      let upload = plan.upload ?? ""
      session.fail(uploads?.missing(upload).message ?? "this server takes no uploads: start it with --upload-directory")
    }
    return session
  }

  /// Ends the threads. All rooms must be closed.
  func stop() async {
    try? await state.withLock { $0.group }?.shutdownGracefully()
  }
}
