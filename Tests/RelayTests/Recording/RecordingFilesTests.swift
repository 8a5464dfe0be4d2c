import RoomRTMP
import Testing

@testable import RoomRelay

/// A disk with a limited capacity in bytes.
private final class SmallDisk: RecordedFile {
  private let free: Int
  private(set) var bytes: [UInt8] = []
  private(set) var isRemoved = false
  private(set) var isClosed = false

  init(free: Int) { self.free = free }

  func write(_ bytes: [UInt8]) throws(RecordingFailure) {
    // Like the system, it writes what fits.
    self.bytes += bytes.prefix(free - self.bytes.count)
    guard self.bytes.count < free else { throw .full }
  }

  func sync() {}
  func truncate(to count: Int64) { bytes.removeLast(max(0, bytes.count - Int(count))) }
  func remove() { isRemoved = true }
  func close() { isClosed = true }
}

@Suite("Recording files")
struct RecordingFilesTests {
  private let name = RecordingName("show.mp4")

  @Test("names are one path component with an extension for the format")
  func names() {
    for good in ["a.mp4", "A-b_c.9.flv", String(repeating: "x", count: 124) + ".mp4"] {
      #expect(RecordingName(good)?.description == good)
    }
    for bad in [
      "", "a", "a.mkv", ".mp4", ".a.mp4", "..", "../a.mp4", "a/b.mp4", "/a.mp4", "a\\b.mp4", "a b.mp4", "ä.mp4", "a.mp4\0",
      "a.mp4/",
      "%2e%2e%2fa.mp4", "a.MP4", "a\n.mp4", "~a.mp4", String(repeating: "x", count: 125) + ".mp4",
    ] {
      #expect(RecordingName(bad) == nil, "\(bad)")
    }
    #expect(name?.part(2) == "show-2.mp4")
  }

  @Test("a full disk ends a recording, and its file stays playable", arguments: RecordingName.Format.allCases)
  func full(format: RecordingName.Format) throws {
    let disk = SmallDisk(free: 150_000)
    let name = try #require(RecordingName("a.\(format.rawValue)"))
    nonisolated(unsafe) let file = disk  // Only one thread uses it.
    var files = try RecordingFiles(name, writer: name.writer(), limit: 1 << 30) { _ in file }
    let broadcast = try GeneratedBroadcast()
    #expect(throws: RecordingFailure.full) {
      for _ in 0..<100 { try files.write(try broadcast.messages(for: 200)) }
    }
    files.abandon()
    #expect(disk.isClosed && !disk.isRemoved)
    let directory = try TemporaryDirectory()
    let played = try PlayedFile(try directory.write("\(name)", disk.bytes))
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count > 20)
  }

  @Test("a file at its limit ends a recording and does not exceed the limit", arguments: RecordingName.Format.allCases)
  func limit(format: RecordingName.Format) throws {
    let name = try #require(RecordingName("a.\(format.rawValue)"))
    let directory = try TemporaryDirectory()
    let path = directory.path
    var files = try RecordingFiles(name, writer: name.writer(), limit: 100 << 10) { (name) throws(RecordingFailure) in
      try DiskFile(name, in: path)
    }
    let broadcast = try GeneratedBroadcast()
    let failure = #expect(throws: RecordingFailure.self) {
      for _ in 0..<100 { try files.write(try broadcast.messages(for: 200)) }
    }
    #expect(failure == .limit(100 << 10))
    #expect(failure?.description.contains("100 KiB") == true)
    files.abandon()
    let played = try PlayedFile(directory.file("\(name)"))
    #expect(played.decodingErrors == "")
    #expect(played.pictures.count > 20)
    #expect(files.bytes <= 100 << 10)
  }

  @Test("an existing file is not overwritten, neither at the start nor by a following file")
  func taken() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let create: RecordingFiles.Create = { (name) throws(RecordingFailure) in try DiskFile(name, in: path) }
    let name = try #require(name)
    try directory.write("show.mp4", "old".utf8)
    #expect(throws: RecordingFailure.exists("show.mp4")) {
      try RecordingFiles(name, writer: name.writer(), limit: 1 << 30, create: create)
    }
    let other = try #require(RecordingName("other.mp4"))
    try directory.write("other-2.mp4", "old".utf8)
    var files = try RecordingFiles(other, writer: other.writer(), limit: 1 << 30, create: create)
    let broadcast = try GeneratedBroadcast()
    broadcast.hasVideo = false
    try files.write(try broadcast.messages(for: 6000))
    broadcast.hasVideo = true
    try files.write(try broadcast.messages(for: 2000))
    try files.finish()
    #expect(files.names == ["other.mp4", "other-3.mp4"])
    #expect(directory.names == ["other-2.mp4", "other-3.mp4", "other.mp4", "show.mp4"])
    #expect(try PlayedFile(directory.file("other-3.mp4")).pictures.count == 30)
  }

  @Test("a resumed recording continues in the next free file after each restart")
  func resumes() throws {
    let directory = try TemporaryDirectory()
    let path = directory.path
    let create: RecordingFiles.Create = { (name) throws(RecordingFailure) in try DiskFile(name, in: path) }
    let name = try #require(name)
    for names in [["show.mp4"], ["show-2.mp4"], ["show-3.mp4"]] {
      var files = try RecordingFiles(name, resumes: true, writer: name.writer(), limit: 1 << 30, create: create)
      try files.write(try GeneratedBroadcast().messages(for: 2000))
      try files.finish()
      #expect(files.names == names)
      #expect(try PlayedFile(directory.file(names[0])).pictures.count > 10)
    }
  }

  @Test("a missing directory is reported, and an empty recording leaves no file")
  func directories() throws {
    let directory = try TemporaryDirectory()
    #expect(throws: RecordingFailure.directory("No such file or directory")) {
      try DiskFile("a.mp4", in: directory.file("gone"))
    }
    let path = directory.path
    let name = try #require(name)
    var files = try RecordingFiles(name, writer: name.writer(), limit: 1 << 30) { (name) throws(RecordingFailure) in
      try DiskFile(name, in: path)
    }
    #expect(directory.names == ["show.mp4"])
    try files.finish()
    #expect(directory.names == [])
    #expect(files.names == [])
  }
}

@Suite("Recording backlog")
struct RecordingBacklogTests {
  private func picture(_ time: UInt32, key: Bool = false) -> MediaMessage {
    MediaMessage(
      .video, timestamp: time,
      payload: VideoTag.avcHeader(.codedFrames, isKeyFrame: key) + [UInt8](repeating: 1, count: 995))
  }

  private func sound(_ time: UInt32) -> MediaMessage {
    MediaMessage(.audio, timestamp: time, payload: AudioTag.aacHeader(.codedFrames) + [UInt8](repeating: 1, count: 98))
  }

  private let header = MediaMessage(
    .video, timestamp: 5, payload: VideoTag.avcHeader(.sequenceStart, isKeyFrame: true) + [UInt8](repeating: 1, count: 20))

  @Test("above the limit, pictures are dropped up to a key frame that fits, and audio is kept")
  func pictures() {
    var backlog = RecordingBacklog(limit: 3000)
    for time in UInt32(0)..<6 {
      backlog.push(picture(time, key: time == 0))
      backlog.push(sound(time))
    }
    #expect(backlog.droppedPictures == 3)
    #expect(backlog.droppedSound == 0)
    #expect(backlog.take().filter { $0.kind == .video }.map(\.timestamp) == [0, 1, 2])
    backlog.push(picture(6))
    backlog.push(sound(6))
    backlog.push(picture(7, key: true))
    backlog.push(picture(8))
    #expect(backlog.take().map(\.timestamp) == [6, 7, 8])
    #expect(backlog.droppedPictures == 4)
  }

  @Test("the backlog is bounded, and the newest header is not lost")
  func bounded() {
    var backlog = RecordingBacklog(limit: 3000)
    for time in UInt32(0)..<10_000 {
      backlog.push(picture(time, key: true))
      backlog.push(header)
      backlog.push(sound(time))
    }
    #expect(backlog.bytes <= 6100)
    #expect(backlog.droppedSound > 9000)
    _ = backlog.take()
    backlog.push(picture(20_000))
    backlog.push(sound(20_000))
    backlog.push(picture(20_001, key: true))
    let after = backlog.take()
    #expect(after.map(\.kind) == [.audio, .video, .video])
    #expect(after[1] == header && after[2].timestamp == 20_001)
  }
}
