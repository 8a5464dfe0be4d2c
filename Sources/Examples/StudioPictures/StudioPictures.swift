import ArgumentParser
import Foundation
import RoomCodecs
import RoomStudio

/// Shows and measures what the studio does to pictures.
@main
struct StudioPictures: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "studio-pictures", abstract: "Draws a person before and after each effect, or measures the effects.",
    subcommands: [Draw.self, Measure.self])
}

/// Writes a picture for each effect: before on the left, after on the right.
struct Draw: ParsableCommand {
  @Argument(help: "The folder of the files.")
  var folder: String

  @Flag(help: "Write PNG files instead of JPEG files.")
  var png = false

  @Flag(help: "Write only the picture after the effect, in its own size.")
  var whole = false

  func run() throws {
    let (width, height) = (1280, 720)
    let person = try Person(width: width, height: height).frame()
    for (name, effects) in try Effects.all(width: width, height: height) where name != "range" {
      var settings = effects
      // The drawn person has no full range.
      settings.range = .limited
      let after = PictureStudio(settings).output(of: person)
      let picture = name == "all" ? after.preview : after.stream
      let pair = whole ? picture : try beside(person, picture)
      let file = png ? try pair.png() : try pair.jpeg(quantiser: 5)
      try Data(file).write(to: URL(filePath: folder).appending(path: name + (png ? ".png" : ".jpg")))
    }
  }

  /// Returns two pictures beside each other, each 480x270 or as much of it as its aspect ratio fills.
  private func beside(_ left: VideoFrame, _ right: VideoFrame) throws -> VideoFrame {
    var result = try VideoFrame(width: 968, height: 270)
    result.fill(.white)
    for (index, picture) in [left, right].enumerated() {
      let width = min(480, 270 * picture.width / picture.height & ~1)
      let small = try picture.scaled(width: width, height: 270)
      result.copy(small, x: index * 488)
    }
    return result
  }
}

extension VideoFrame {
  /// Copies a picture of the same height to an even column.
  fileprivate mutating func copy(_ other: VideoFrame, x: Int) {
    withMutablePlanes { into in
      other.withPlanes { from in
        for row in 0..<from.height {
          (into.y + row * into.yStride + x).update(from: from.y + row * from.yStride, count: from.width)
        }
        for row in 0..<from.chromaHeight {
          let (source, target) = (row * from.chromaStride, row * into.chromaStride + x / 2)
          (into.u + target).update(from: from.u + source, count: from.chromaWidth)
          (into.v + target).update(from: from.v + source, count: from.chromaWidth)
        }
      }
    }
  }
}

/// Prints the CPU time that each effect takes for a frame, as a Markdown table.
struct Measure: ParsableCommand {
  @Option(help: "The width of the pictures in pixels.")
  var width = 1280

  @Option(help: "The height of the pictures in pixels.")
  var height = 720

  @Option(help: "The number of pictures of a run; the median of five runs is printed.")
  var pictures = 60

  func run() throws {
    // Different noise in each, so that no picture is in the cache as the one before.
    let frames = try (1...8).map { try Person(width: width, height: height).frame(seed: UInt64($0)) }
    print("| \(width)x\(height) | ms a picture | slowest run |\n| --- | --- | --- |")
    for (name, settings) in try Effects.all(width: width, height: height) {
      let studio = PictureStudio(settings)
      for frame in frames { _ = studio.output(of: frame) }
      let runs = (0..<5).map { _ in
        let start = cpuTime()
        for number in 0..<pictures { _ = studio.output(of: frames[number % frames.count]) }
        return (cpuTime() - start) / Double(pictures) * 1000
      }.sorted()
      print("| \(name) | \(String(format: "%.2f", runs[2])) | \(String(format: "%.2f", runs[4])) |")
    }
  }

  /// The CPU time of this thread in s.
  private func cpuTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
