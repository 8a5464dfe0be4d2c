import RoomEngine
import RoomHTTPServer
import RoomOriginServer
import RoomProtocol

/// The rooms of this server.
package struct RoomsPart: ServerPart {
  package let directory: RoomDirectory
  let ground: ServerGround
  let origin: Origin
  /// The nodes that serve the people of rooms; nil if this server serves all.
  let places: AudiencePlaces?

  /// Restores the stored rooms.
  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    let ground = assembly.ground
    let (media, storage) = (try await assembly.part(MediaPart.self), try await assembly.part(StoragePart.self))
    let origin = try await assembly.part(OriginPart.self).origin
    // A job finds out by the server's own addresses whether its URL is a stream of this server. The listeners end after the rooms.
    _ = try await assembly.parts { $0 == RTMPPart.self || $0 == SRTPart.self }
    let uploads = try await assembly.part(UploadsPart.self)
    let directory = RoomDirectory(
      ground, plane: media.plane, origin: origin, store: storage.store, neighbours: try await assembly.neighbours,
      events: EventSinks(try await assembly.eventSinks))
    directory.players.find(uploads: uploads.store)
    // Before the first job records: a file that is being written now was cut.
    await directory.broadcasts.recordings?.start()
    if let stored = storage.takeStored() { await directory.restore(stored) }
    return Self(directory: directory, ground: ground, origin: origin, places: try await assembly.neighbours.places)
  }

  package func read(into readings: inout AlarmReadings) async {
    for room in await directory.all {
      let name = room.name.rawValue
      readings.jobs += await room.read(\.jobList).map { AlarmReadings.Job(room: name, info: $0) }
    }
    for mix in await directory.mixes.status() {
      readings.mixes.frames &+= mix.frames
      readings.mixes.skipped &+= mix.skipped
    }
  }

  package func serve(at addresses: ServerAddresses) async {
    let play = PlayAddresses(
      ground.configuration, port: addresses.http, securePort: addresses.https, rtmpPort: addresses.rtmp)
    directory.play.withLock { $0 = play }
  }

  package func quiesce() async { await directory.stop() }

  package func stop() async { await directory.endThreads() }
}
