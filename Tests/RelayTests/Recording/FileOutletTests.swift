import Foundation
import NIOPosix
import RoomRTMP
import RoomTestSupport
import Synchronization
import Testing

@testable import RoomRelay

/// A disk that blocks writes until it is released.
private final class StuckDisk: RecordedFile {
  private let file: DiskFile
  private let gate: DispatchSemaphore
  private var isOpen = false

  init(_ file: DiskFile, gate: DispatchSemaphore) {
    self.file = file
    self.gate = gate
  }

  func write(_ bytes: [UInt8]) throws(RecordingFailure) {
    if !isOpen { gate.wait() }
    isOpen = true
    try file.write(bytes)
  }

  func sync() throws(RecordingFailure) { try file.sync() }
  func truncate(to count: Int64) { file.truncate(to: count) }
  func remove() { file.remove() }
  func close() { file.close() }
}

/// The result of a recording, for a test that waits for it.
private final class Ending: Sendable {
  private let summary = Mutex<FileOutlet.Summary?>(nil)

  func tell(_ ended: FileOutlet.Summary) { summary.withLock { $0 = ended } }

  func wait() async throws -> FileOutlet.Summary {
    try await eventually("the recording ends", value: { summary.withLock { $0 } })
  }
}

@Suite("File outlets")
struct FileOutletTests {
  @Test("messages are in the file once it is closed, and are counted")
  func whole() async throws {
    let directory = try TemporaryDirectory()
    let recordings = Recordings(.init(directory: directory.path))
    #expect(recordings.settings.validationError == nil)
    let ending = Ending()
    let outlet = try recordings.begin(try #require(RecordingName("show.mp4"))) { ending.tell($0) }
    #expect(recordings.counters.live == 1)
    let broadcast = try GeneratedBroadcast()
    for message in try broadcast.messages(for: 5000) { outlet.send(message) }
    outlet.close()
    let summary = try await ending.wait()
    #expect(summary.failure == nil && summary.files == ["show.mp4"] && summary.droppedPictures == 0)
    let played = try PlayedFile(directory.file("show.mp4"))
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count == broadcast.pictures && played.sounds.count == broadcast.sounds)
    let size = try FileManager.default.attributesOfItem(atPath: directory.file("show.mp4"))[.size] as? Int64
    #expect(summary.bytes == size)
    #expect(recordings.counters.live == 0 && recordings.counters.begun == 1 && recordings.counters.bytes == size)
    #expect(throws: RecordingFailure.exists("show.mp4")) {
      try recordings.begin(try #require(RecordingName("show.mp4"))) { _ in }
    }
    await recordings.stop()
  }

  @Test("a stop completes open files and prevents new ones")
  func stop() async throws {
    let directory = try TemporaryDirectory()
    let recordings = Recordings(.init(directory: directory.path))
    let outlet = try recordings.begin(try #require(RecordingName("show.flv"))) { _ in }
    let broadcast = try GeneratedBroadcast()
    for message in try broadcast.messages(for: 2000) { outlet.send(message) }
    await recordings.stop()
    for message in try broadcast.messages(for: 1000) { outlet.send(message) }
    outlet.close()
    let played = try PlayedFile(directory.file("show.flv"))
    #expect(played.decodingErrors == "" && played.pictures.count == 30)
    #expect(throws: RecordingFailure.self) { try recordings.begin(try #require(RecordingName("b.flv"))) { _ in } }
  }

  @Test(
    "a stalled disk does not block the broadcast: pictures are dropped, and the file stays playable",
    arguments: RecordingName.Format.allCases)
  func stuck(format: RecordingName.Format) async throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let name = try #require(RecordingName("show.\(format.rawValue)"))
    let pool = NIOThreadPool(numberOfThreads: 1)
    pool.start()
    let gate = DispatchSemaphore(value: 0)
    let ending = Ending()
    var settings = Recordings.Settings(directory: path)
    settings.backlog = 100_000
    let outlet = try FileOutlet(
      name, settings: settings, pool: pool, tally: RecordingTally(),
      create: { (name) throws(RecordingFailure) in StuckDisk(try DiskFile(name, in: path), gate: gate) },
      ended: { ending.tell($0) })
    let broadcast = try GeneratedBroadcast()
    let clock = ContinuousClock()
    var longest = Duration.zero
    for _ in 0..<40 {
      for message in try broadcast.messages(for: 500) { longest = max(longest, clock.measure { outlet.send(message) }) }
    }
    #expect(longest < .milliseconds(500))
    gate.signal()
    // There is space again: new messages are recorded.
    let before = broadcast.pictures
    try await eventually("new messages are accepted") {
      for message in try broadcast.messages(for: 2000) { outlet.send(message) }
      return broadcast.pictures > before + 200
    }
    outlet.close()
    let summary = try await ending.wait()
    #expect(summary.failure == nil)
    #expect(summary.droppedPictures > 50)
    let played = try PlayedFile(directory.file("\(name)"))
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count == broadcast.pictures - summary.droppedPictures)
    try await pool.shutdownGracefully()
  }

  @Test("an unusable directory is reported before recording starts")
  func loggedErrors() throws {
    let directory = try TemporaryDirectory()
    try directory.write("file", "x".utf8)
    #expect(Recordings.Settings(directory: directory.file("gone")).validationError?.contains("No such file") == true)
    #expect(Recordings.Settings(directory: directory.file("file")).validationError?.contains("is not a directory") == true)
    #expect(Recordings.Settings(directory: directory.path, limit: 0).validationError != nil)
  }
}
