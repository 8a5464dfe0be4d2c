import Foundation
import RoomCodecs
import RoomPeers

/// A folder of cameras whose driver is a library, preloaded into the programs that it starts.
final class InterposedDriver {
  /// The folder of the device files.
  let folder = FileManager.default.temporaryDirectory.appending(path: "cameras-\(UUID().uuidString.prefix(8))")
  private let library: URL

  /// - Parameter numbers: those of the cameras; odd ones are nodes of metadata.
  init(_ numbers: Int...) async throws {
    library = folder.appending(path: "driver.so")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let source = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Interposed/driver.c")
    let compiler = try Program("gcc", ["-shared", "-fPIC", "-O1", "-Wall", "-o", library.path, source.path, "-ldl"])
    guard try await compiler.finish() == 0 else { throw ProgramFailure(what: compiler.text) }
    for number in numbers { try plug(number) }
    var picture = try VideoFrame(width: 320, height: 240)
    // The colours of the driver's pictures.
    picture.withMutablePlanes { planes in
      planes.fill(x: 0, y: 0, width: 160, height: 240, YUVColour(y: 81, u: 90, v: 240))
      planes.fill(x: 160, y: 0, width: 160, height: 240, YUVColour(y: 41, u: 240, v: 110))
    }
    try Data(picture.jpeg(quantiser: 2)).write(to: folder.appending(path: "picture.jpg"))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ number: Int) -> String { folder.appending(path: "video\(number)").path }

  func plug(_ number: Int) throws { try Data().write(to: URL(filePath: path(number))) }

  func unplug(_ number: Int) throws { try FileManager.default.removeItem(atPath: path(number)) }

  /// Starts a program that uses the driver.
  func start(_ program: URL, _ arguments: [String], environment: [String] = []) throws -> Program {
    let variables =
      ["LD_PRELOAD=\(library.path)", "FAKE_VIDEO_DIR=\(folder.path)", "FAKE_VIDEO_JPEG=\(folder.path)/picture.jpg"]
      + environment
    return try Program("env", variables + [program.path] + arguments)
  }

  /// Runs `capture-devices` to its end.
  func capture(_ arguments: String..., environment: [String] = []) async throws -> (status: Int32, text: String) {
    let program = try start(Program.built("capture-devices"), arguments, environment: environment)
    return (try await program.finish(), program.text)
  }
}
