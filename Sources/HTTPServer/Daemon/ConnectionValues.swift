import RoomCMicroHTTPD
import Glibc
import RoomWebRTC

/// Reads libmicrohttpd's data of a request and its connection.
enum ConnectionValues {
  static func headers(of connection: OpaquePointer) -> [(name: String, value: String)] {
    values(.HEADER_KIND, of: connection).map { ($0.lowercased(), $1 ?? "") }
  }

  static func query(of connection: OpaquePointer) -> String {
    values(.GET_ARGUMENT_KIND, of: connection).map { name, value in value.map { "\(name)=\($0)" } ?? name }
      .joined(separator: "&")
  }

  private static func values(_ kind: MHD_ValueKind, of connection: OpaquePointer) -> [(name: String, value: String?)] {
    var values: [(name: String, value: String?)] = []
    withUnsafeMutablePointer(to: &values) { pointer in
      _ = MHD_get_connection_values(
        connection, kind,
        { context, _, name, value in
          guard let context, let name else { return .YES }
          let values = context.assumingMemoryBound(to: [(name: String, value: String?)].self)
          values.pointee.append((String(cString: name), value.map { String(cString: $0) }))
          return .YES
        }, pointer)
    }
    return values
  }

  static func peer(of connection: OpaquePointer) -> TransportAddress? { address(mhd_client_address(connection)) }

  static func address(_ address: UnsafePointer<sockaddr>?) -> TransportAddress? {
    guard let address else { return nil }
    return address.withMemoryRebound(to: sockaddr_storage.self, capacity: 1) { TransportAddress($0) }
  }
}
