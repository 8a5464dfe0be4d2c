import RoomHTTPServer
import RoomSFU
import RoomLinux

/// The media workers.
package struct MediaPart: ServerPart {
  package let plane: MediaPlane

  package static func start(in assembly: Assembly) async throws(StartError) -> Self {
    var settings = assembly.ground.configuration.media
    settings.authority = try await assembly.neighbours.authority
    do throws(MediaPlaneError) {
      let plane = try MediaPlane(settings)
      try plane.start()
      return Self(plane: plane)
    } catch { throw .media(error) }
  }

  package func read(into readings: inout AlarmReadings) async {
    readings.workers = await plane.counters().workers.map { Double($0.cpuMicroseconds) / 1e6 }
  }

  package func stop() async { await blocking(named: "media-stop") { [plane] in plane.stop() } }
}
