import RoomLiveOrigin
import RoomOriginServer
import RoomRTMP
import RoomRelay
import RoomProtocol
import RoomEngine

/// The origin of this server, to which the broadcasts of rooms publish.
struct BroadcastOrigin: LocalOrigin {
  let origin: Origin

  func owns(_ address: RTMPAddress) -> Bool { origin.addresses.own(address) }
  func hasStreams(_ app: String) -> Bool { origin.handler(for: app) == nil }

  func publish(
    _ path: StreamPath, ended: @escaping @Sendable (_ reason: String) -> Void
  ) throws(RoomError) -> any BroadcastOutlet {
    do throws(OriginRefusal) {
      return OriginOutlet(try origin.beginPublish(path, by: .job, stop: ended))
    } catch {
      origin.counters.count(error.reason)
      throw RoomError(.publishFailed, error.sentence)
    }
  }
}

/// Publishes a broadcast to the origin of this server, without a socket or a queue.
final class OriginOutlet: BroadcastOutlet {
  private let publication: Origin.Publication

  init(_ publication: Origin.Publication) { self.publication = publication }

  func send(_ message: MediaMessage) { publication.publish(message) }
  func close() { publication.end() }
}
