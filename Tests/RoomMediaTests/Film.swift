import Foundation
import Testing

/// Runs ffmpeg, which writes a file.
func ffmpeg(_ arguments: [String]) throws {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = ["ffmpeg", "-nostdin", "-loglevel", "error", "-y"] + arguments
  try process.run()
  process.waitUntilExit()
  try #require(process.terminationStatus == 0, "ffmpeg made no film")
}
