import RoomCodecs
import RoomLinux
import RoomLiveOrigin
import RoomOriginServer
import RoomRTP
import RoomServer

/// JPEG files of live pictures. Each stream is decoded at most once in `freshness`, however often its file is requested.
actor WatchPictures {
  enum Answer: Sendable {
    case file([UInt8])
    /// The stream has no picture.
    case none
    /// Too many pictures are being made.
    case busy
  }

  /// How long a file is used, in microseconds.
  static let freshness: Int64 = 10_000_000
  /// The same for a stream without a picture, which may begin any moment.
  private static let emptiness: Int64 = 1_000_000
  /// Files that are kept; above it, the oldest is removed. A file of 1280x720 has about 100 kB.
  private static let mostKept = 100
  /// Pictures that are made at a time.
  private static let mostMade = 2
  /// The longer side of a picture in pixels.
  private static let longest = 1280

  private let origin: Origin
  private var kept: [StreamPath: (made: Instant, file: [UInt8]?)] = [:]
  private var making: [StreamPath: Task<[UInt8]?, Never>] = [:]

  init(_ origin: Origin) { self.origin = origin }

  func picture(of path: StreamPath) async -> Answer {
    if let kept = kept[path], Instant.now - kept.made < (kept.file == nil ? Self.emptiness : Self.freshness) {
      return Self.answer(kept.file)
    }
    if let task = making[path] { return Self.answer(await task.value) }
    guard origin.shape(of: path)?.isPublished == true else { return .none }
    guard making.count < Self.mostMade else { return kept[path].map { Self.answer($0.file) } ?? .busy }
    let task = Task { [origin] in await Self.file(of: path, origin) }
    making[path] = task
    let file = await task.value
    making[path] = nil
    keep(file, path)
    return Self.answer(file)
  }

  private func keep(_ file: [UInt8]?, _ path: StreamPath) {
    kept[path] = (.now, file)
    guard kept.count > Self.mostKept, let oldest = kept.min(by: { $0.value.made < $1.value.made }) else { return }
    kept[oldest.key] = nil
  }

  private static func answer(_ file: [UInt8]?) -> Answer { file.map { .file($0) } ?? .none }

  private static func file(of path: StreamPath, _ origin: Origin) async -> [UInt8]? {
    let result = Guarded<[UInt8]?>(nil)
    await blocking(named: "watch-picture") {
      let file = origin.stillPicture(of: path).flatMap { try? smaller($0).jpeg() }
      result.withLock { $0 = file }
    }
    return result.withLock { $0 }
  }

  private static func smaller(_ picture: VideoFrame) throws(CodecError) -> VideoFrame {
    let side = max(picture.width, picture.height)
    guard side > longest else { return picture }
    func scaled(_ length: Int) -> Int { max(2, length * longest / side & ~1) }
    return try picture.fitted(width: scaled(picture.width), height: scaled(picture.height))
  }
}
