import Foundation
import Testing

/// Runs ffmpeg on its test sources. The caller must remove the file.
func makeClip(_ ending: String, _ arguments: [String]) throws -> String {
  let path = FileManager.default.temporaryDirectory.appending(path: "clip-\(UUID().uuidString).\(ending)").path
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments + [path]
  try process.run()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "ffmpeg created no clip")
  return path
}
