import Foundation
import RoomClient
import RoomProtocol
import Synchronization

/// The URL of a room's stream: requested for each connection, so that its signature is new.
final class AudienceURLs: Sendable {
  private struct Known: Sendable {
    var url: String
    var expiresAt: Int64?
  }

  private let mode: AudienceMode
  private let prefersRTMP: Bool
  private let request: @Sendable (PlayPicture) async throws -> PlayURLs
  /// Milliseconds since 1970.
  private let now: @Sendable () -> Int64
  private let known = Mutex<Known?>(nil)

  /// - Parameter request: requests the room's URLs.
  init(
    _ mode: AudienceMode, prefersRTMP: Bool,
    now: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 * 1000) },
    request: @escaping @Sendable (PlayPicture) async throws -> PlayURLs
  ) {
    self.mode = mode
    self.prefersRTMP = prefersRTMP
    self.request = request
    self.now = now
  }

  /// Returns the URL of the next connection. While the room cannot be asked it is the last one, unless that has expired.
  func next() async throws(StreamFailure) -> String {
    if case .thirdParty(let url?) = mode { return url }
    do {
      let urls = try await request(picture)
      let url = try pick(urls)
      known.withLock { $0 = Known(url: url, expiresAt: urls.expiresAt) }
      return url
    } catch let failure as StreamFailure {
      throw failure
    } catch let error as RoomError {
      throw .noURL(error.message)
    } catch {
      if let last = known.withLock({ $0 }), last.expiresAt.map({ $0 > now() }) ?? true { return last.url }
      throw .connectionLost("the room does not answer: \(error)")
    }
  }

  private var picture: PlayPicture { if case .ownCDN(let picture) = mode { picture } else { .original } }

  private func pick(_ urls: PlayURLs) throws(StreamFailure) -> String {
    if case .ownCDN = mode {
      let url = prefersRTMP ? urls.rtmp ?? urls.flv : urls.flv ?? urls.rtmp
      guard let url else { throw .noURL("the room's name is not valid as a stream name") }
      return url
    }
    let others = (urls.others ?? [:]).sorted { $0.key < $1.key }.map(\.value)
    guard let url = others.first(where: { (try? StreamAddress($0)) != nil }) else {
      throw .noURL("the push policy has no play URL in RTMP or FLV")
    }
    return url
  }
}
