import Logging
import NIOPosix
import RoomCluster
import RoomHTTPServer
import RoomProtocol
import RoomEngine
import Synchronization

/// The files that the app uploaded, for players to play.
///
/// - A file is listed as soon as it is durable, and never in part.
/// - A running upload holds its place: a slot, and the bytes that it declared or that have arrived.
/// - An upload that nobody uses for ``UploadSettings/unusedTime`` is deleted.
package final class UploadStore: Sendable {
  /// Uploads that arrive at once.
  static let slots = 4
  /// The maximum number of files.
  static let mostFiles = 10_000
  /// The interval between two checks for unused uploads, at most.
  private static let cleaningInterval = Duration.seconds(30)

  private struct State {
    var files: [UploadID: Stored] = [:]
    var tally = UploadTally()
    /// Slots in use.
    var running = 0
    /// Bytes that running uploads hold.
    var held: Int64 = 0
    var cleaning: Task<Void, Never>?
  }

  private struct Stored {
    var upload: Upload
    /// Milliseconds since 1970.
    var usedAt: Int64
    /// How many hold it open.
    var uses = 0
  }

  package let settings: UploadSettings
  /// This node; nil without a cluster.
  private let node: NodeID?
  private let directory: UploadDirectory
  private let pool: NIOThreadPool
  private let state = Mutex(State())
  private let log: Logger

  /// Opens the directory, for this server alone.
  /// - Throws: ``UploadFailure/disk(_:)``
  init(_ settings: UploadSettings, node: NodeID?, log: Logger) throws(UploadFailure) {
    directory = try UploadDirectory(settings.directory)
    self.settings = settings
    self.node = node
    self.log = log
    pool = NIOThreadPool(numberOfThreads: Self.slots)
    pool.start()
  }

  /// Lists the files of the directory, and deletes unused ones from now on. Call it once, before the first request.
  func start() async {
    let entries = (try? await pool.runIfActive { [directory] in directory.load() }) ?? []
    state.withLock { state in
      for entry in entries { state.files[entry.upload.id] = Stored(upload: entry.upload, usedAt: entry.usedAt) }
      state.tally.storedBytes = entries.reduce(0) { $0 + $1.upload.bytes }
    }
    let cleaning = Task { [weak self, settings] in
      while !Task.isCancelled {
        await self?.clean(now: RoomTime.now.unix)
        try? await Task.sleep(for: min(Self.cleaningInterval, settings.unusedTime))
      }
    }
    state.withLock { $0.cleaning = cleaning }
  }

  /// Ends the threads, and lets another server use the directory. No upload may be arriving.
  func stop() async {
    state.withLock { $0.cleaning.take() }?.cancel()
    try? await pool.shutdownGracefully()
    directory.unlock()
  }

  // MARK: Stored files

  /// The uploads, the newest first.
  package var uploads: [Upload] {
    let all = state.withLock { $0.files.values.map(\.upload) }
    return all.sorted { ($0.createdAt, $0.id.description) > ($1.createdAt, $1.id.description) }
  }

  var tally: UploadTally {
    state.withLock { state in
      var tally = state.tally
      (tally.stored, tally.running) = (state.files.count, state.running)
      return tally
    }
  }

  /// Keeps an upload until the result is released; nil if this server has no such upload. It counts as used until then. A deletion
  /// over REST removes the file nevertheless; whoever has opened the file reads on.
  package func open(_ id: UploadID) -> UploadUse? {
    guard change(id, { $0.uses += 1 }) else { return nil }
    touch(id)
    return UploadUse(id, path: directory.path(of: id)) { [weak self] in
      if self?.change(id, { $0.uses -= 1 }) == true { self?.touch(id) }
    }
  }

  /// Returns whether there is such an upload.
  private func change(_ id: UploadID, _ change: (inout Stored) -> Void) -> Bool {
    state.withLock { state in
      guard var stored = state.files[id] else { return false }
      change(&stored)
      stored.usedAt = RoomTime.now.unix
      state.files[id] = stored
      return true
    }
  }

  private func touch(_ id: UploadID) { pool.submit { [directory] state in if state == .active { directory.touch(id) } } }

  /// The error for an upload that this server does not have.
  /// - Parameter text: the id, as the client gave it.
  package func missing(_ text: String) -> RoomError {
    if let other = UploadID(text)?.node, other != node {
      return RoomError(
        .unknownMessage, "the upload is at node \"\(other)\", and this is \(node.map { "node \"\($0)\"" } ?? "no node")")
    }
    return RoomError(.unknownMessage, "there is no upload \"\(text.prefix(128))\"")
  }

  /// Deletes an upload. Returns false if there is none.
  /// - Throws: ``UploadFailure``; the upload is still there.
  func delete(_ id: UploadID) async throws(UploadFailure) -> Bool { try await delete(id, .api) { _ in true } }

  private func delete(
    _ id: UploadID, _ reason: UploadDeletion, if isDue: (Stored) -> Bool
  ) async throws(UploadFailure) -> Bool {
    let taken = state.withLock { state in
      guard let stored = state.files[id], isDue(stored) else { return nil as Stored? }
      return state.files.removeValue(forKey: id)
    }
    guard let taken else { return false }
    let upload = taken.upload
    var metadata: Logger.Metadata = ["upload": "\(id)", "name": "\(String(reflecting: upload.name))"]
    do throws(UploadFailure) {
      try await onDisk { (directory) throws(UploadFailure) in
        try directory.remove(id)
        try directory.sync()
      }
    } catch {
      state.withLock { $0.files[id] = taken }
      metadata["reason"] = "\(error.reason)"
      log.warning("upload can't be deleted", metadata: metadata)
      throw error
    }
    state.withLock { state in
      state.tally.storedBytes -= upload.bytes
      state.tally.deleted[reason, default: 0] += 1
    }
    metadata["bytes"] = "\(upload.bytes)"
    metadata["reason"] = "\(reason)"
    log.info("upload deleted", metadata: metadata)
    return true
  }

  /// Deletes the uploads that are unused for too long.
  /// - Parameter now: milliseconds since 1970.
  func clean(now: Int64) async {
    let longest = Int64(settings.unusedTime.components.seconds) * 1000
    let isDue: (Stored) -> Bool = { $0.uses == 0 && now - $0.usedAt > longest }
    let due = state.withLock { $0.files.values.filter(isDue).map(\.upload.id) }
    for id in due { _ = try? await delete(id, .unused, if: isDue) }
  }

  // MARK: Arriving files

  /// Reserves a slot and the bytes of an upload.
  /// - Parameter bytes: its size according to the client; nil if the client does not know.
  func reserve(_ bytes: Int64?) throws(UploadFailure) -> UploadSlot {
    do throws(UploadFailure) {
      try state.withLock { (state) throws(UploadFailure) in
        guard state.running < Self.slots else { throw .busy }
        guard state.files.count + state.running < Self.mostFiles else { throw .count(limit: Self.mostFiles) }
        try hold(bytes ?? 0, &state)
        state.running += 1
      }
    } catch {
      fail(error)
      throw error
    }
    return UploadSlot(
      bytes ?? 0,
      hold: { (more) throws(UploadFailure) in
        try self.state.withLock { (state) throws(UploadFailure) in try self.hold(more, &state) }
      },
      release: { held in
        self.state.withLock { state in
          state.running -= 1
          state.held -= held
        }
      })
  }

  private func hold(_ bytes: Int64, _ state: inout State) throws(UploadFailure) {
    guard bytes <= settings.total - state.tally.storedBytes - state.held else { throw .total(limit: settings.total) }
    state.held += bytes
  }

  /// Writes a file as its bytes arrive. Returns when it is durable.
  /// - Throws: ``UploadFailure``; nothing is left of the file.
  func receive(_ body: HTTPBody, named name: String, in slot: UploadSlot) async throws(UploadFailure) -> Upload {
    let began = ContinuousClock.now
    let id = UploadID(at: node)
    var metadata: Logger.Metadata = ["upload": "\(id)", "name": "\(String(reflecting: name))"]
    let upload: Upload
    // Before the answer, so that the client's next upload finds the place free.
    defer { slot.release() }
    do throws(UploadFailure) {
      upload = try await write(body, named: name, as: id, in: slot)
    } catch {
      await remove(id)
      fail(error)
      metadata["reason"] = "\(error.reason)"
      log.info("upload failed", metadata: metadata)
      throw error
    }
    state.withLock { state in
      state.files[id] = Stored(upload: upload, usedAt: upload.createdAt)
      state.tally.stored(upload.bytes)
    }
    metadata["bytes"] = "\(upload.bytes)"
    metadata["milliseconds"] = "\(Int64((ContinuousClock.now - began) / .milliseconds(1)))"
    log.info("upload stored", metadata: metadata)
    return upload
  }

  private func write(
    _ body: HTTPBody, named name: String, as id: UploadID, in slot: UploadSlot
  ) async throws(UploadFailure) -> Upload {
    let file = try await onDisk { (directory) throws(UploadFailure) in try directory.begin(id) }
    var bytes: Int64 = 0
    let parts = body.makeAsyncIterator()
    while let part = try await Self.next(parts) {
      let offset = bytes
      bytes += Int64(part.count)
      guard bytes <= settings.largest else { throw .tooLarge }
      try slot.hold(bytes)
      try await onDisk { (_) throws(UploadFailure) in try file.write(part, after: offset) }
    }
    guard bytes > 0 else { throw .empty }
    let now = RoomTime.now.unix
    try await onDisk { (directory) throws(UploadFailure) in
      try directory.complete(file, id, .init(name: name, createdAt: now))
    }
    return Upload(id: id, name: name, bytes: bytes, createdAt: now)
  }

  private static func next(_ parts: HTTPBody.Iterator) async throws(UploadFailure) -> [UInt8]? {
    do throws(HTTPBodyCut) { return try await parts.next() } catch {
      switch error {
      case .connection: throw .aborted
      case .limit: throw .tooLarge
      }
    }
  }

  /// Runs a blocking call on the threads of uploads.
  private func onDisk<Result: Sendable>(
    _ call: @escaping @Sendable (UploadDirectory) throws(UploadFailure) -> Result
  ) async throws(UploadFailure) -> Result {
    do {
      return try await pool.runIfActive { [directory] in try call(directory) }
    } catch let failure as UploadFailure { throw failure } catch { throw .aborted }
  }

  private func remove(_ id: UploadID) async {
    // What stays because the disk does not work is removed at the next start.
    try? await onDisk { (directory) throws(UploadFailure) in try directory.remove(id) }
  }

  private func fail(_ failure: UploadFailure) { state.withLock { $0.tally.failures[failure.cause, default: 0] += 1 } }
}
