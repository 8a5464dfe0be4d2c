import Foundation
import RoomProtocol
import Synchronization

/// Records what happens in a room, and makes a report of it that an app can send to its support.
///
/// The object remembers the last ``mostEvents`` events and ``mostSamples`` statistics. Released, it stops.
public final class Diagnostics: Sendable {
  /// The number of remembered events.
  public static let mostEvents = 300
  /// The number of remembered statistics: five minutes at the default interval of 3 s.
  public static let mostSamples = 100

  private struct Memory: Sendable {
    var events: [DiagnosticsReport.Entry] = []
    var samples: [DiagnosticsReport.Sample] = []
  }

  private final class Shared: Sendable {
    let memory = Mutex(Memory())
  }

  private let room: Room
  private let log: DiagnosticsLog?
  private let shared = Shared()
  private let task: Task<Void, Never>

  /// Starts to record.
  /// - Parameters:
  ///   - room: the room.
  ///   - log: the app's log; its lines become part of the report.
  public init(_ room: Room, log: DiagnosticsLog? = nil) {
    self.room = room
    self.log = log
    let events = room.laterEvents()
    task = Task { [shared] in
      for await event in events { Self.remember(event, in: shared) }
    }
  }

  deinit { task.cancel() }

  /// Makes a report.
  /// - Parameters:
  ///   - url: the signalling address whose path is checked; nil for no check. A check takes at most 15 s and the time of a lookup.
  ///   - trust: the accepted certificates.
  /// - Throws: ``RoomClientError/invalidURL(_:)``.
  public func report(checking url: String? = nil, trust: ServerTrust = .system) async throws -> DiagnosticsReport {
    let network: NetworkCheck? = if let url { try await NetworkCheck.run(url, trust: trust) } else { nil }
    let latest = DiagnosticsReport.Sample(await room.statistics())
    let memory = shared.memory.withLock { $0 }
    return DiagnosticsReport(
      room: DiagnosticsReport.RoomPart(
        room: "\(room.name)", user: room.me.map { "\($0.userId)" }, state: "\(room.state)",
        options: Self.text(of: room.options), participants: room.participants.count,
        remoteTracks: room.remoteTracks.count,
        jobs: room.jobs.all.map { "\($0.jobId) \($0.kind) \($0.state) \($0.failure?.message ?? "")" }),
      events: memory.events, statistics: memory.samples + [latest], log: log?.lines ?? [], network: network)
  }

  /// Returns the options that matter for support. The certificates are not among them.
  private static func text(of options: RoomOptions) -> String {
    """
    autoSubscribe=\(options.autoSubscribe) receivesTracks=\(options.receivesTracks) preferSmall=\(options.preferSmall) \
    mediaProtocol=\(options.mediaProtocol) timeout=\(options.timeout) \
    tries=\(options.reconnect.tries.map(String.init) ?? "unlimited") \
    codecs=\(options.videoCodecs.map(\.rawValue).joined(separator: ","))
    """
  }

  private static func remember(_ event: RoomEvent, in shared: Shared) {
    let text: String
    switch event {
    case .statistics(let statistics):
      return shared.memory.withLock { $0.samples.append(DiagnosticsReport.Sample(statistics), most: mostSamples) }
    // What users say is not for support, and levels come five times a second.
    case .message, .attributesChanged, .audioLevels, .activeSpeakers, .refreshed, .jobStatus, .pkToken: return
    case .stateChanged(let state): text = "state \(state)"
    case .joined(let participant): text = "joined \(participant.userId)"
    case .left(let userId, let reason): text = "left \(userId) \(reason)"
    case .published(let userId, let tracks):
      text = "published \(userId) " + tracks.map { "\($0.trackId) \($0.kind)" }.joined(separator: ", ")
    case .trackSubscribed(let track): text = "subscribed \(track.trackId) of \(track.userId)"
    case .trackUnsubscribed(let track): text = "unsubscribed \(track.trackId) of \(track.userId)"
    case .firstFrame(let track): text = "first frame of \(track.trackId)"
    case .firstVideoFrameDecoded(let track): text = "first picture of \(track.trackId)"
    case .jobChanged(let job): text = "job \(job.jobId) \(job.state)"
    case .stageChanged: text = "stage changed"
    default: text = String("\(event)".prefix(DiagnosticsLog.longestLine))
    }
    let entry = DiagnosticsReport.Entry(at: Date(), event: Redaction.apply(to: text))
    shared.memory.withLock { $0.events.append(entry, most: mostEvents) }
  }
}

extension DiagnosticsReport.Sample {
  fileprivate init(_ statistics: RoomStatistics) {
    func rounded(_ value: Double) -> Double { (value * 10).rounded() / 10 }
    func milliseconds(_ duration: Duration) -> Double { rounded(duration / .milliseconds(1)) }
    func track(_ track: TrackStatistics, isLocal: Bool) -> Track {
      Track(
        trackId: "\(track.trackId)", user: "\(track.userId)", isLocal: isLocal, fps: rounded(track.fps),
        kbps: rounded(track.kbps), loss: (track.loss * 1000).rounded() / 1000, jitter: milliseconds(track.jitter),
        packetsLost: track.packetsLost)
    }
    self.init(
      at: Date(),
      transports: statistics.transports.map { transport in
        Transport(
          direction: "\(transport.direction)", connected: transport.connected, overTCP: transport.overTCP,
          kbps: rounded(transport.kbps), targetKbps: transport.targetKbps.map(rounded),
          roundTripTime: transport.roundTripTime.map(milliseconds))
      },
      tracks: statistics.localTracks.map { track($0, isLocal: true) }
        + statistics.remoteTracks.map { track($0, isLocal: false) })
  }
}
