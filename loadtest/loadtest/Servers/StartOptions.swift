import ArgumentParser
import Foundation

/// Options for a server that the command starts itself.
struct StartOptions: ParsableArguments {
  @Flag(help: "Start a new server on free ports for each measurement and stop it afterwards.")
  var start = false

  @Option(help: "With --start: the server's executable (default: roomserver in the folder of loadtest).")
  var roomserver: String?

  @Option(
    help: ArgumentHelp("With --start: an additional argument of `roomserver serve`; may be repeated.", valueName: "argument"))
  var roomserverArgument: [String] = []

  /// The path of the server's executable.
  var program: String { roomserver ?? Self.beside("roomserver") }

  /// Returns the path of an executable in the folder of this one.
  static func beside(_ name: String) -> String {
    URL(filePath: itself).deletingLastPathComponent().appending(path: name).path
  }

  /// The path of this executable.
  static var itself: String { URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().path }

  /// Checks the options of a comparison of two programs.
  /// - Parameter needsPid: whether a server that runs already must be named by its process.
  func check(serverPid: Int32?, than: String?, pairs: Int, needsPid: Bool) throws {
    guard !start else {
      guard serverPid == nil else { throw ValidationError("--server-pid can't be combined with --start") }
      return
    }
    guard serverPid != nil || !needsPid else { throw ValidationError("--server-pid is required without --start") }
    guard than == nil else { throw ValidationError("--than requires --start") }
    guard pairs == 1 else { throw ValidationError("--pairs requires --start") }
  }

  /// Starts `roomserver serve`.
  func startRoomserver(at address: String = "127.0.0.1") async throws -> StartedServers.Roomserver {
    try await StartedServers.roomserver(program: program, arguments: roomserverArgument, address: address)
  }
}
