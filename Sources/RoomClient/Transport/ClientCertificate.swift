import RoomWebRTC
import Synchronization

/// The DTLS certificate of this process, shared by all rooms and created on first use.
enum ClientCertificate {
  private static let made = Mutex<Certificate?>(nil)

  static func shared() throws(RoomClientError) -> Certificate {
    do {
      return try made.withLock { made in
        if let made { return made }
        let new = try Certificate()
        made = new
        return new
      }
    } catch {
      throw .mediaFailed("no certificate: \(error)")
    }
  }
}
