import Foundation
import RoomHTTPServer
import RoomLiveKitProtocol
import RoomServer

extension LiveKit.JoinRequest {
  /// The most bytes of a request, after it is decompressed. An offer has about 8 kB.
  static let longest = 128 * 1024
  /// Tracks that a client announces before it has joined, at most.
  static let mostTracks = 32

  /// Reads the parameter `join_request` of a URL: base64 of a ``LiveKit/WrappedJoinRequest``, whose content may be compressed.
  /// - Throws: ``MessageError``, if it is malformed or too large.
  init(parameter text: String) throws(MessageError) {
    guard let decoded = text.removingPercentEncoding, let bytes = [UInt8](base64: decoded) else { throw .malformed }
    let wrapped = try LiveKit.WrappedJoinRequest(protobuf: bytes)
    switch wrapped.compression {
    case .none: self = try Self(protobuf: wrapped.joinRequest)
    case .gzip:
      guard let content = Gzip.decompress(wrapped.joinRequest, longest: Self.longest) else { throw .malformed }
      self = try Self(protobuf: content)
    default: throw .malformed
    }
    guard self != Self() else { throw .malformed }
    guard addTrackRequests.count <= Self.mostTracks else { throw .tooLarge }
  }
}
