import ArgumentParser
import Foundation
import RoomCapture
import Synchronization

/// Lists what of a display can be captured, or measures the capture of a screen.
struct Screens: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the monitors and windows of an X11 display.")

  @Option(help: "The display, such as :0. Default: the environment's.")
  var display: String?

  @Option(help: "Capture this number of pictures of the screen, and print the CPU time of each.")
  var measure = 0

  func run() async throws {
    let devices = try ScreenDevices(display: display)
    for monitor in devices.monitors {
      print("\(monitor.name): \(monitor.area.width)x\(monitor.area.height) at \(monitor.area.x),\(monitor.area.y)")
    }
    for window in devices.windows { print("window \(window.id): \(window.width)x\(window.height) \(window.title)") }
    guard measure > 0 else { return }
    let (ended, end) = AsyncStream.makeStream(of: Int.self)
    let start = Atomic(0)
    let count = Atomic(0)
    let wanted = measure
    let capture = try ScreenCapture(.screen, display: display, fps: 60) { _ in
      if start.load(ordering: .relaxed) == 0 { start.store(Measure.cpu, ordering: .relaxed) }
      if count.add(1, ordering: .relaxed).newValue == wanted + 1 { end.yield(Measure.cpu - start.load(ordering: .relaxed)) }
    }
    for await time in ended {
      print("\(time / measure) µs of CPU time for a picture")
      break
    }
    capture.stop()
  }
}
