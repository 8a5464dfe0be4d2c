import ArgumentParser
import Foundation
import RoomCapture
import RoomCodecs

/// The camera and what is wanted of it.
struct CameraOptions: ParsableArguments {
  @Option(help: "The path of the camera.")
  var camera: String

  @Option(help: "The wanted size.")
  var size = PictureSize(width: 1280, height: 720)

  @Option(help: "The wanted frames per second.")
  var rate = 30.0

  /// Captures `count` frames and passes them on.
  func capture(_ count: Int, _ body: (VideoFrame) throws -> Void) async throws -> Camera {
    let (frames, continuation) = AsyncThrowingStream<VideoFrame, any Error>.makeStream(bufferingPolicy: .bufferingNewest(4))
    let camera = try Camera(path: camera, width: size.width, height: size.height, rate: rate) { error in
      continuation.finish(throwing: error)
    } deliver: { frame in
      continuation.yield(frame)
    }
    var left = count
    for try await frame in frames where left > 0 {
      try body(frame)
      left -= 1
      // The stream ends after the camera was released.
      if left == 0 { camera.stop() }
    }
    return camera
  }
}

/// A size as `1280x720`.
struct PictureSize: ExpressibleByArgument {
  var width: Int
  var height: Int

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  init?(argument: String) {
    let sides = argument.split(separator: "x").map { Int($0) }
    guard sides.count == 2, let width = sides[0], let height = sides[1], width > 0, height > 0 else { return nil }
    self.init(width: width, height: height)
  }

  var defaultValueDescription: String { "\(width)x\(height)" }
}

/// Writes pictures of a camera to a file.
struct Snapshot: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Write a picture as .png, or pictures as .y4m.")

  @OptionGroup var options: CameraOptions

  @Option(help: "The pictures before the first that is written. Many cameras adjust to the light in the first second.")
  var skip = 10

  @Option(help: "The pictures of a .y4m file.")
  var frames = 1

  @Argument(help: "The file.")
  var file: String

  func validate() throws {
    guard skip >= 0, frames >= 1, skip <= 100_000, frames <= 100_000 else {
      throw ValidationError("--skip and --frames: 1…100000")
    }
    guard file.hasSuffix(".y4m") || file.hasSuffix(".png") && frames == 1 else {
      throw ValidationError("the file is one picture as .png, or a .y4m")
    }
  }

  func run() async throws {
    guard FileManager.default.createFile(atPath: file, contents: nil), let output = FileHandle(forWritingAtPath: file) else {
      throw ValidationError("\(file) cannot be written")
    }
    var count = 0
    let camera = try await options.capture(skip + frames) { frame in
      count += 1
      guard count > skip else { return }
      if file.hasSuffix(".png") {
        try output.write(contentsOf: frame.png())
      } else {
        if count == skip + 1 {
          let rate = Int(options.rate * 1000)
          try output.write(contentsOf: Data("YUV4MPEG2 W\(frame.width) H\(frame.height) F\(rate):1000 Ip A1:1 C420jpeg\n".utf8))
        }
        try output.write(contentsOf: Data("FRAME\n".utf8) + frame.i420Bytes())
      }
    }
    print("\(file): \(camera.setting.text), \(camera.counters.text)")
  }
}

/// Measures what capturing costs.
struct Measure: AsyncParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Measure the CPU time of each captured picture.")

  @OptionGroup var options: CameraOptions

  @Option(help: "The measured pictures.")
  var frames = 300

  func validate() throws {
    guard (1...100_000).contains(frames) else { throw ValidationError("--frames: 1…100000") }
  }

  func run() async throws {
    var start = 0
    let camera = try await options.capture(frames + 1) { _ in if start == 0 { start = Self.cpu } }
    print("\((Self.cpu - start) / frames) µs of CPU time for a picture; \(camera.setting.text), \(camera.counters.text)")
  }

  /// The CPU time of this process in µs.
  static var cpu: Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}

extension CameraSetting {
  fileprivate var text: String { "\(code) \(width)x\(height)" + (rate.map { " at \(Int($0.rounded()))" } ?? "") }
}

extension Camera.Counters {
  fileprivate var text: String { "\(delivered) delivered, \(damaged) damaged, \(missed) missed" }
}
