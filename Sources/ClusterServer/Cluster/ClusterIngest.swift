import RoomCluster
import RoomEngine
import RoomHTTPServer
import RoomProtocol
import RoomServer

extension Cluster {
  /// The method of a publish in the signature of a node.
  private static let publishing = "PUBLISH"

  /// How encoders reach the rooms of other nodes.
  var ingestRouting: IngestRouting {
    IngestRouting(
      owner: { [node] room throws(RoomError) in
        do throws(ClusterError) {
          guard case .there(let member) = try await node.owner(of: room) else { return nil }
          return IngestRouting.Owner(node: member.incarnation.node.text, rtmp: member.report.rtmp)
        } catch { throw RoomError(.publishFailed, "\(error); try again in a second") }
      },
      sign: { [node, signature] text in
        signature.value(node: node.id, method: Self.publishing, target: text, body: [], at: RoomTime.now.unix)
      },
      isSigned: { [signature] text, value in
        let request = HTTPRequest(method: Self.publishing, target: text, headers: [(NodeSignature.header, value)])
        return signature.sender(of: request, at: RoomTime.now.unix) != nil
      })
  }
}
