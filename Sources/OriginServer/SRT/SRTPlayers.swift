import Logging
import RoomHTTPServer
import RoomLiveOrigin
import RoomRTP
import RoomSRT
import Synchronization

/// The players of the origin's streams by SRT: the mode `request`.
final class SRTPlayers: Sendable {
  private struct Entry {
    /// Nil while the stream is made available.
    var player: SRTPlayer?
    let reservation: ConnectionsPerAddress.Reservation?
  }

  private let origin: Origin
  private let entries = Mutex<[ObjectIdentifier: Entry]>([:])

  init(_ origin: Origin) { self.origin = origin }

  var count: Int { entries.withLock { $0.count } }

  /// Checks a request without waiting: another server may still be asked for the stream when the connection exists.
  func check(_ id: SRTStreamID) throws(OriginRefusal) -> StreamPath {
    let names = id.names
    guard let path = StreamPath(app: names.app, stream: names.stream) else {
      throw OriginRefusal(.name, "the stream name is invalid")
    }
    try origin.admitPlay("\(path)", query: id.query)
    guard origin.known(path)?.statistics.isPublished == true || StreamVariant(path.stream) != nil || origin.isPreparing(path)
    else { throw .notFound(path) }
    return path
  }

  /// Begins to serve a connection.
  /// - Parameter refused: called with the reason if the stream can't be played after all.
  func open(
    _ connection: SRTConnection, _ path: StreamPath, _ reservation: ConnectionsPerAddress.Reservation?,
    refused: @escaping @Sendable (OriginRefusal) -> Void
  ) {
    let key = ObjectIdentifier(connection)
    entries.withLock { $0[key] = Entry(reservation: reservation) }
    Task {
      do throws(OriginRefusal) {
        try await origin.prepare(path)
        let viewing = try origin.view(path, over: .srt)
        guard let player = SRTPlayer(connection, viewing, origin.counters) else {
          throw OriginRefusal(.viewers, "the limit of viewers of \(path) is reached")
        }
        let codecs = viewing.hub.codecs
        let missing = SRTPlayer.missing(codecs)
        if !missing.isEmpty, missing.count == [codecs.video?.title, codecs.audio?.title].compactMap({ $0 }).count {
          throw OriginRefusal(.noStream, "SRT carries H.264 and AAC only; \(path) has \(missing.joined(separator: " and "))")
        }
        if !missing.isEmpty {
          origin.log.notice(
            "SRT carries H.264 and AAC only",
            metadata: ["stream": "\(path)", "missing": "\(missing.joined(separator: ", "))"])
        }
        // The connection may have closed meanwhile.
        entries.withLock { entries in entries[key]?.player = player }
      } catch { refused(error) }
    }
  }

  /// Sends to all players. Returns whether there is any.
  func pump(now: Instant) -> Bool {
    let players = entries.withLock { $0.values.compactMap(\.player) }
    for player in players where !player.pump(now: now) { player.connection.close() }
    return !players.isEmpty
  }

  /// Returns whether the connection was a player's.
  func closed(_ connection: SRTConnection) -> Bool {
    entries.withLock { $0.removeValue(forKey: ObjectIdentifier(connection)) } != nil
  }
}
