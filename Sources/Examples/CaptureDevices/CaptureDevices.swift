import ArgumentParser
import Foundation
import RoomCapture

/// Shows what this machine captures from.
@main
struct CaptureDevices: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture-devices", abstract: "Lists and tries the devices from which an app can capture.",
    subcommands: [Cameras.self, Watch.self, Snapshot.self, SetControl.self, Measure.self, Screens.self])
}

/// Lists the cameras with their formats and controls.
struct Cameras: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "List the cameras with their formats and controls.")

  @Option(help: "The folder of the device files.")
  var folder = "/dev"

  func run() throws {
    for camera in CameraDevices.list(folder: folder) {
      print("\(camera.path): \(camera.name) (\(camera.bus))")
      for format in camera.formats { print("  \(format.text)") }
      for control in try CameraControls(path: camera.path).list() { print("  \(control.text)") }
    }
  }
}

/// Prints cameras that appear and vanish.
struct Watch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Print cameras that appear and vanish.")

  @Option(help: "The folder of the device files.")
  var folder = "/dev"

  func run() async throws {
    for await change in CameraDevices.changes(folder: folder) {
      let line =
        switch change {
        case .appeared(let camera): "appeared \(camera.path) \(camera.name)\n"
        case .vanished(let path): "vanished \(path)\n"
        }
      // print would keep the lines in a buffer.
      try FileHandle.standardOutput.write(contentsOf: Data(line.utf8))
    }
    throw ValidationError("\(folder) cannot be watched")
  }
}

/// Sets a control of a camera.
struct SetControl: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "set", abstract: "Set a control of a camera.")

  @Option(help: "The path of the camera.")
  var camera: String

  @Argument(help: "The name of a control or its number, as in the list of the cameras.")
  var control: String

  @Argument(help: "The value.")
  var value: Int

  func run() throws {
    guard let id = CameraControl.ID(control) else { throw ValidationError("no control has the name \(control)") }
    let controls = try CameraControls(path: camera)
    try controls.set(id, to: value)
    if let text = controls[id]?.text { print(text) }
  }
}

extension CameraFormat {
  fileprivate var text: String {
    let rates = rates.map {
      $0.lowerBound == $0.upperBound ? Self.text($0.lowerBound) : "\(Self.text($0.lowerBound))…\(Self.text($0.upperBound))"
    }
    let size =
      width.shortest == width.longest && height.shortest == height.longest
      ? "\(width.longest)x\(height.longest)"
      : "\(width.shortest)x\(height.shortest)…\(width.longest)x\(height.longest) by \(width.step)x\(height.step)"
    return "\(code) \(size) at \(rates.isEmpty ? "an unknown rate" : rates.joined(separator: ", "))"
  }

  private static func text(_ rate: Double) -> String {
    let hundredths = Int((rate * 100).rounded())
    return hundredths % 100 == 0 ? "\(hundredths / 100)" : "\(Double(hundredths) / 100)"
  }
}

extension CameraControl {
  fileprivate var text: String {
    var text = "\(id) (\(name)): \(value.map(String.init) ?? "no value")"
    switch kind {
    case .menu(let items): text += " of " + items.map { "\($0.value) \($0.name)" }.joined(separator: ", ")
    case .integer, .boolean: text += " of \(range.lowerBound)…\(range.upperBound) by \(step)"
    case .button: break
    }
    text += ", default \(defaultValue)"
    if isReadOnly { text += ", read-only" }
    if isInactive { text += ", without effect now" }
    return text
  }
}
