import ArgumentParser
import Foundation
import RoomRTMP
import RoomRTP

/// The servers that can be measured.
enum StreamServerKind: String, Sendable, CaseIterable, Codable, ExpressibleByArgument {
  /// This server.
  case roomserver
  /// nginx with its RTMP module, which has no HTTP-FLV.
  case nginx
}

/// The addresses at which a stream is published and played.
struct ViewersTarget: Sendable {
  /// The address for viewers.
  enum Place: Sendable {
    case rtmp(RTMPAddress)
    /// The path, including the query.
    case flv(host: String, port: UInt16, path: String, isSecure: Bool)
    /// The path of the media playlist.
    case hls(host: String, port: UInt16, path: String, isSecure: Bool, isLowLatency: Bool)
  }

  var publish: RTMPAddress
  var play: Place

  /// Creates a target with these URLs. For RTMP the play URL is optional; it defaults to the publish URL without its query.
  init(publish: String, play: String?, over watching: WatchingProtocol) throws {
    guard let address = RTMPAddress(publish), !address.isSecure else {
      throw ValidationError("--publish-url is not an rtmp:// URL")
    }
    self.publish = address
    switch watching {
    case .rtmp:
      guard var address = play.map(RTMPAddress.init) ?? address, !address.isSecure else {
        throw ValidationError("--play-url is not an rtmp:// URL")
      }
      if play == nil, let query = address.stream.firstIndex(of: "?") { address.stream.removeSubrange(query...) }
      self.play = .rtmp(address)
    case .flv, .hls, .lowLatencyHLS:
      guard let play, let parts = URLComponents(string: play), ["http", "https"].contains(parts.scheme), let host = parts.host
      else {
        throw ValidationError("--play-url is not an http:// or https:// URL")
      }
      let isSecure = parts.scheme == "https"
      let query = parts.percentEncodedQuery.map { "?\($0)" } ?? ""
      let port = UInt16(clamping: parts.port ?? (isSecure ? 443 : 80))
      let path = parts.percentEncodedPath
      self.play =
        switch watching {
        case .flv, .rtmp: .flv(host: host, port: port, path: path + query, isSecure: isSecure)
        case .hls: .hls(host: host, port: port, path: path, isSecure: isSecure, isLowLatency: false)
        case .lowLatencyHLS: .hls(host: host, port: port, path: path, isSecure: isSecure, isLowLatency: true)
        }
    }
  }

  /// Returns a viewer that starts to connect.
  func viewer(sample: (any MediaObserver)?) throws(LoadtestError) -> ViewerBot {
    try play.viewer(sample: sample)
  }
}

extension ViewersTarget.Place {
  /// Returns a viewer that starts to connect.
  func viewer(sample: (any MediaObserver)?) throws(LoadtestError) -> ViewerBot {
    let now = TCPBotSet.now
    switch self {
    case .rtmp(let address):
      return ViewerBot(
        try TCPSocket(host: address.host, port: address.port), RTMPPlayer(address, now: now), sample: sample, now: now)
    case .flv(let host, let port, let path, let isSecure):
      return ViewerBot(
        try TCPSocket(host: host, port: port, isSecure: isSecure), FLVPlayer(host: host, port: port, path: path),
        sample: sample, now: now)
    case .hls(let host, let port, let path, let isSecure, let isLowLatency):
      let player = HLSPlayer(
        host: host, port: port, path: path, isLowLatency: isLowLatency, number: .random(in: 0..<1_000_000_000))
      return ViewerBot(try TCPSocket(host: host, port: port, isSecure: isSecure), player, sample: nil, now: now)
    }
  }
}
