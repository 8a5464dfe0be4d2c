import Foundation
import RoomCLinux
import RoomLinux
import RoomRTP

/// A camera was plugged in or removed.
public enum CameraChange: Sendable, Hashable {
  case appeared(CameraDevice)
  case vanished(path: String)
}

/// The cameras of this machine.
public enum CameraDevices {
  /// The most changes that wait for the app. The oldest are dropped.
  public static let mostChanges = 256

  /// Returns the cameras that can be opened, in the order of their numbers. Blocks for the drivers' answers, usually a few ms.
  /// ``CameraDevice/init(path:)`` throws why a camera is missing here.
  /// - Parameter folder: that of the device files `video0`, `video1` and so on.
  public static func list(folder: String = "/dev") -> [CameraDevice] {
    paths(folder).compactMap { try? CameraDevice(path: $0) }
  }

  /// Reports the cameras that are there, and then each that appears or vanishes. The end of the stream's use ends the watch; the
  /// stream ends if the folder cannot be watched.
  /// - Parameter folder: that of the device files.
  public static func changes(folder: String = "/dev") -> AsyncStream<CameraChange> {
    let (stream, continuation) = AsyncStream<CameraChange>.makeStream(bufferingPolicy: .bufferingNewest(mostChanges))
    guard let watch = FolderWatch(folder) else {
      continuation.finish()
      return stream
    }
    continuation.onTermination = { _ in watch.stop() }
    let thread = Thread {
      run(watch, folder, continuation)
      continuation.finish()
    }
    thread.name = "cameras"
    thread.start()
    return stream
  }

  private static func run(_ watch: FolderWatch, _ folder: String, _ continuation: AsyncStream<CameraChange>.Continuation) {
    var arrivals = CameraArrivals()
    func apply(_ event: CameraArrivals.Event) {
      if let change = arrivals.apply(event, at: .now) { continuation.yield(change) }
    }
    func compare() {
      let present = paths(folder)
      for path in arrivals.paths.subtracting(present).sorted() { apply(.removed(path)) }
      for path in present { apply(.changed(path)) }
    }
    compare()
    while let changes = watch.next(until: arrivals.deadline) {
      for change in changes {
        switch change {
        case .overflow: compare()
        case .changed(let name): if number(name) != nil { apply(.changed("\(folder)/\(name)")) }
        case .removed(let name): if number(name) != nil { apply(.removed("\(folder)/\(name)")) }
        }
      }
      for path in arrivals.due(at: .now) {
        do throws(CameraError) {
          apply(.opened(path, try CameraDevice(path: path)))
        } catch .notACamera {
          apply(.opened(path, nil))
        } catch {
          apply(.failed(path))
        }
      }
    }
  }

  private static func paths(_ folder: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.compactMap { name in number(name).map { (number: $0, name: name) } }.sorted { $0.number < $1.number }
      .prefix(CameraArrivals.most).map { "\(folder)/\($0.name)" }
  }

  /// Returns the number of a device file; nil for other files.
  private static func number(_ name: String) -> UInt16? {
    name.hasPrefix("video") ? UInt16(name.dropFirst("video".count)) : nil
  }
}
