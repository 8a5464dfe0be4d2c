import RoomPeers
import RoomServer

@testable import RoomHTTPServer

extension CertificateFiles {
  var settings: TLSSettings {
    var settings = TLSSettings(certificate: certificate, key: key)
    settings.checkInterval = .milliseconds(50)
    return settings
  }
}
