import OriginServer
import RTMP
import Relay

/// A broadcast's way to the origin of this server: no socket, no queue.
final class OriginOutlet: BroadcastOutlet {
  private let publication: Origin.Publication

  init(_ publication: Origin.Publication) { self.publication = publication }

  func send(_ message: MediaMessage) { publication.publish(message) }
  func close() { publication.end() }
}
