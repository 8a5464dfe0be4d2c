import ArgumentParser
import RoomCReaderGuard
import RoomMediaReader

/// The process that reads the source of a player; the server starts it.
struct ReadMedia: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "read-media", abstract: "Reads the source of a player, for the server.", shouldDisplay: false)

  func run() { MediaReader.run { reader_guard_enable(MediaReader.permits) } }
}
