import RoomRTP

/// Decides when a new device file is opened, and which cameras have appeared and vanished.
///
/// A device file exists before udev sets its permissions, so it is opened once it was not changed for 100 ms. If that fails, it is
/// tried again, ten times in all.
struct CameraArrivals {
  /// What happened to a file, or the result of opening it.
  enum Event {
    case changed(String)
    case removed(String)
    /// nil: not a camera.
    case opened(String, CameraDevice?)
    case failed(String)
  }

  /// The most device files that are watched; further ones are ignored.
  static let most = 256
  /// µs.
  static let quiet: Int64 = 100_000
  static let mostTries = 10

  private enum File {
    case waiting(until: Instant, tries: Int)
    case camera
    /// Something else, or a camera that could not be opened.
    case ignored
  }

  private var files: [String: File] = [:]

  /// Processes an event. Returns what the app is notified of.
  mutating func apply(_ event: Event, at now: Instant) -> CameraChange? {
    switch event {
    case .changed(let path):
      switch files[path] {
      case .camera: break
      case nil where files.count >= Self.most: break
      // The permissions of a file may change after the last try.
      case nil, .ignored, .waiting: files[path] = .waiting(until: now.advanced(microseconds: Self.quiet), tries: 0)
      }
    case .removed(let path):
      if case .camera = files.removeValue(forKey: path) { return .vanished(path: path) }
    case .opened(let path, let device):
      guard case .waiting = files[path] else { return nil }
      files[path] = device == nil ? .ignored : .camera
      return device.map { .appeared($0) }
    case .failed(let path):
      guard case .waiting(_, let tries) = files[path] else { return nil }
      let next = now.advanced(microseconds: Self.quiet << Int64(min(tries, 4)))
      files[path] = tries + 1 < Self.mostTries ? .waiting(until: next, tries: tries + 1) : .ignored
    }
    return nil
  }

  /// The files to open now, in the order of their names.
  func due(at now: Instant) -> [String] {
    files.compactMap { path, file in
      if case .waiting(let until, _) = file, until <= now { path } else { nil }
    }.sorted()
  }

  /// When ``due(at:)`` has the next file; nil if none is waiting.
  var deadline: Instant? {
    files.values.compactMap { if case .waiting(let until, _) = $0 { until } else { nil } }.min()
  }

  /// The paths of all files that are known.
  var paths: Set<String> { Set(files.keys) }
}
