import Foundation
import Glibc
import RoomCodecs
import Synchronization

/// The recordings in a directory, with the facts of each. The files are the truth: the facts are read from them and from the
/// ``FactsFile`` of each, and a file without facts is listed too.
final class RecordingCatalogue: Sendable {
  private struct State {
    var facts: [String: RecordingFacts] = [:]
    /// In ascending order.
    var order: [RecordingPosition] = []
    var bytes: Int64 = 0
    var unlisted = 0

    mutating func insert(_ new: RecordingFacts) {
      remove(new.name)
      facts[new.name] = new
      bytes += new.size
      order.insert(new.position, at: index(of: new.position))
    }

    @discardableResult mutating func remove(_ name: String) -> RecordingFacts? {
      guard let old = facts.removeValue(forKey: name) else { return nil }
      bytes -= old.size
      let index = index(of: old.position)
      if index < order.count, order[index] == old.position { order.remove(at: index) }
      return old
    }

    /// Returns the number of positions before this one.
    func index(of position: RecordingPosition) -> Int {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if order[middle] < position { low = middle + 1 } else { high = middle }
      }
      return low
    }

    /// Removes the oldest entry that is not being written from the list.
    mutating func dropOldest() {
      guard let oldest = order.first(where: { facts[$0.name]?.state != .writing }) else { return }
      remove(oldest.name)
      unlisted += 1
    }
  }

  /// The maximum number of recordings that are listed. The files of older ones stay.
  private static let mostListed = 100_000

  let directory: String
  private let files: FactsFile
  private let state = Mutex(State())
  private let report: @Sendable (RecordingEvent) -> Void
  private let readMedia: @Sendable (String) -> MediaFacts?

  /// - Parameter readMedia: Reads the media of the file at a path; nil if it is not readable. Blocks.
  init(
    directory: String, report: @escaping @Sendable (RecordingEvent) -> Void,
    readMedia: @escaping @Sendable (String) -> MediaFacts? = { MediaFacts(path: $0) }
  ) {
    self.directory = directory
    files = FactsFile(directory: directory)
    self.report = report
    self.readMedia = readMedia
  }

  private static func now() -> Int64 { Int64(Date().timeIntervalSince1970 * 1000) }

  private func path(_ name: String) -> String { "\(directory)/\(name)" }

  // MARK: Start

  /// Lists the files of the directory. Blocks.
  /// - Returns: the names of those whose media must be examined.
  func load() -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
    var found: [RecordingFacts] = []
    var unknown: [String] = []
    for name in entries where RecordingName(name) != nil {
      var status = stat()
      guard lstat(path(name), &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
      let changed = Int64(status.st_mtim.tv_sec) * 1000 + Int64(status.st_mtim.tv_nsec) / 1_000_000
      var facts = files.read(name)
      if facts?.state == .writing {
        guard status.st_size > 0 else {
          // The server was killed before the first bytes.
          files.remove(name)
          unlink(path(name))
          continue
        }
        facts?.state = .failed
        facts?.failure = .interrupted
        facts?.endedAt = changed
        unknown.append(name)
      } else if facts == nil {
        unknown.append(name)
      }
      var known = facts ?? RecordingFacts(name: name, owner: nil, state: .ready, startedAt: changed, endedAt: changed, size: 0)
      known.size = Int64(status.st_size)
      found.append(known)
    }
    files.removeOthers(than: Set(found.map(\.name)), of: entries)
    found.sort { $0.position > $1.position }
    state.withLock { state in
      state.unlisted = max(0, found.count - Self.mostListed)
      for facts in found.prefix(Self.mostListed) { state.insert(facts) }
    }
    return unknown
  }

  /// Reads the media of a file that the server did not complete, and stores its facts. Blocks.
  func examine(_ name: String) {
    guard let facts = change(name, { $0.media = self.readMedia(self.path(name)) }), facts.state != .writing else { return }
    if facts.failure != nil { report(.ended(facts)) }
    files.write(facts)
  }

  // MARK: Writing

  func began(_ name: String, _ owner: RecordingOwner?, _ track: RecordingFacts.Track? = nil) {
    let facts = RecordingFacts(name: name, owner: owner, track: track, state: .writing, startedAt: Self.now(), size: 0)
    state.withLock { state in
      if state.order.count >= Self.mostListed { state.dropOldest() }
      state.insert(facts)
    }
    files.write(facts)
  }

  /// Stores when the first frame of a track was captured, which is known better once its publisher has sent reports.
  func trackStarted(_ name: String, at time: Int64) {
    guard let facts = change(name, { $0.track?.startedAt = time }) else { return }
    files.write(facts)
  }

  func grew(_ name: String, to size: Int64) {
    state.withLock { state in
      guard let old = state.facts[name]?.size else { return }
      state.facts[name]?.size = size
      state.bytes += size - old
    }
  }

  /// Reads the media of a file that is being written. Blocks.
  /// - Returns: false if it is not readable yet.
  func probe(_ name: String) -> Bool {
    guard let media = readMedia(path(name)) else { return false }
    change(name) { $0.media = media }
    return true
  }

  /// Marks a file as complete.
  /// - Parameter failure: why the recording ended early; nil if it did not.
  func ended(_ name: String, _ failure: RecordingFailure?) {
    let media = readMedia(path(name))
    let facts = change(name) { facts in
      facts.state = failure == nil ? .ready : .failed
      facts.failure = failure.map { .init($0) }
      facts.endedAt = Self.now()
      facts.media = media
    }
    guard let facts else { return }
    report(.ended(facts))
    files.write(facts)
  }

  /// Forgets a file that its writer has removed.
  func discarded(_ name: String) {
    _ = state.withLock { $0.remove(name) }
    files.remove(name)
  }

  @discardableResult private func change(_ name: String, _ body: (inout RecordingFacts) -> Void) -> RecordingFacts? {
    // Outside the lock, because it may read the file. Only one thread changes a file's facts at a time.
    guard var facts = state.withLock({ $0.facts[name] }) else { return nil }
    body(&facts)
    return state.withLock { state in
      guard let size = state.facts[name]?.size else { return nil }
      facts.size = size
      state.facts[name] = facts
      return facts
    }
  }

  // MARK: Reading

  func facts(of name: String) -> RecordingFacts? { state.withLock { $0.facts[name] } }

  /// The numbers of listed and of unlisted files, and the bytes of the listed ones.
  var totals: (count: Int, bytes: Int64, unlisted: Int) {
    state.withLock { ($0.order.count, $0.bytes, $0.unlisted) }
  }

  /// Returns the recordings before a position, the newest first.
  /// - Parameters:
  ///   - room: the room whose recordings are returned; nil for all.
  ///   - limit: the maximum number.
  /// - Returns: the recordings, and whether others follow.
  func page(of room: String?, after position: RecordingPosition?, limit: Int) -> (page: [RecordingFacts], hasMore: Bool) {
    state.withLock { state in
      let end = position.map { state.index(of: $0) } ?? state.order.count
      var page: [RecordingFacts] = []
      for position in state.order[..<end].reversed() {
        guard let facts = state.facts[position.name], room == nil || facts.owner?.room == room else { continue }
        guard page.count < limit else { return (page, true) }
        page.append(facts)
      }
      return (page, false)
    }
  }

  // MARK: Deleting

  /// Deletes a recording. Blocks.
  /// - Returns: false if there is none of this name.
  /// - Throws: ``RecordingInUse`` if it is being written.
  func delete(_ name: String, _ reason: RecordingDeletion) throws(RecordingInUse) -> Bool {
    let removed = try state.withLock { (state) throws(RecordingInUse) in
      guard state.facts[name]?.state != .writing else { throw RecordingInUse() }
      return state.remove(name)
    }
    guard let removed else { return false }
    // In this order, because the name is free for another recording once the file is gone.
    files.remove(name)
    unlink(path(name))
    report(.deleted(removed, reason))
    return true
  }

  /// Deletes what the settings no longer allow. Blocks.
  /// - Returns: the number of deleted recordings by reason.
  func clean(_ retention: RecordingRetention) -> [RecordingDeletion: Int] {
    guard !retention.keepsAll else { return [:] }
    let all = state.withLock { Array($0.facts.values) }
    var deleted: [RecordingDeletion: Int] = [:]
    for (name, reason) in retention.expired(all, now: Self.now()) {
      if (try? delete(name, reason)) == true { deleted[reason, default: 0] += 1 }
    }
    return deleted
  }
}

/// The recording is being written and can't be deleted.
public struct RecordingInUse: Error {}

/// A file whose progress the catalogue shows.
final class CataloguedFile: RecordedFile {
  private let file: DiskFile
  private let name: String
  private let catalogue: RecordingCatalogue
  private var size: Int64 = 0
  private var probes = ProbeSchedule()
  private var isOpen = true
  private var failure: RecordingFailure?

  /// - Throws: as ``DiskFile``
  init(
    _ name: String, in catalogue: RecordingCatalogue, owner: RecordingOwner?, track: RecordingFacts.Track? = nil
  ) throws(RecordingFailure) {
    file = try DiskFile(name, in: catalogue.directory)
    self.name = name
    self.catalogue = catalogue
    catalogue.began(name, owner, track)
  }

  deinit { close() }

  func write(_ bytes: [UInt8]) throws(RecordingFailure) {
    try file.write(bytes)
    size += Int64(bytes.count)
    catalogue.grew(name, to: size)
    if probes.isDue(at: size), catalogue.probe(name) { probes.succeeded() }
  }

  func sync() throws(RecordingFailure) { try file.sync() }

  func truncate(to count: Int64) {
    file.truncate(to: count)
    size = count
    catalogue.grew(name, to: count)
  }

  func failed(_ failure: RecordingFailure) { self.failure = failure }

  func trackStarted(at time: Int64) { catalogue.trackStarted(name, at: time) }

  func remove() {
    isOpen = false
    file.remove()
    catalogue.discarded(name)
  }

  func close() {
    file.close()
    guard isOpen else { return }
    isOpen = false
    catalogue.ended(name, failure)
  }
}
