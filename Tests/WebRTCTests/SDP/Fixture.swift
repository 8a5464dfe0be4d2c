import Foundation
import Testing

@testable import RoomWebRTC

/// Descriptions written by Chromium 156, aiortc 1.16 and GStreamer 1.22; the subscribe ones answer offers of this project.
enum Fixture {
  static func text(_ name: String) throws -> String {
    let url = try #require(Bundle.module.url(forResource: name, withExtension: "sdp", subdirectory: "Fixtures"))
    return String(decoding: try Data(contentsOf: url), as: UTF8.self)
  }

  static let names = [
    "aiortc-publish", "aiortc-subscribe-first", "chromium-publish-datachannel", "chromium-publish-first",
    "chromium-publish-first-stopped", "chromium-publish-second-removed", "chromium-publish-simulcast",
    "chromium-publish-third-h264", "chromium-publish-third-recycled", "chromium-publish-third-stopped",
    "chromium-subscribe-after-refused", "chromium-subscribe-first", "chromium-subscribe-more", "chromium-subscribe-recycled",
    "chromium-subscribe-recycled-refused", "chromium-subscribe-refused", "chromium-subscribe-removed", "gstreamer-publish",
    "gstreamer-subscribe-first",
  ]

  /// Returns the transport parameters of one side, with a host candidate.
  static func local(_ role: DTLSRole) -> TransportParameters {
    TransportParameters(
      credentials: ICECredentials(ufrag: role == .server ? "serverUF" : "clientUF", password: "abcdefghijklmnopqrstuvwx"),
      fingerprints: [Fingerprint(algorithm: "sha-256", bytes: Array(repeating: 0xA5, count: 32))], role: role,
      iceLite: role == .server,
      candidates: [
        ICECandidate(
          foundation: "1", priority: 2_130_706_431, address: TransportAddress(ipv4: 0x7F00_0001, port: 40000), kind: .host)
      ])
  }
}

extension String {
  /// Returns the text with one line replaced, or removed if `line` is nil.
  func replacingLine(_ old: String, with line: String?) -> String {
    replacing(old + "\r\n", with: line.map { $0 + "\r\n" } ?? "")
  }
}
