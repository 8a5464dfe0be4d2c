import RoomOriginServer

extension OwnAddresses {
  /// Creates the server's own addresses from its configuration.
  init(_ configuration: ServerConfiguration, port: UInt16?, securePort: UInt16?) {
    self.init()
    names = Set(configuration.origin.names.map { $0.lowercased() })
    let bound = [configuration.origin.host ?? configuration.host] + configuration.media.announced
    hosts = Set(["localhost", "127.0.0.1", "::1"] + bound.map { $0.lowercased() })
    self.port = port
    self.securePort = securePort
  }
}
