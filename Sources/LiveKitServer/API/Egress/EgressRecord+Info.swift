import RoomLiveKitProtocol
import RoomRelay
import RoomServer

extension EgressRecord {
  /// The egress as app servers see it. Its URLs contain no keys.
  var info: LiveKit.EgressInfo {
    var info = (try? LiveKit.EgressInfo(protobuf: request)) ?? LiveKit.EgressInfo()
    (info.egressID, info.roomID, info.roomName, info.status) = (id, roomID, roomName, status)
    (info.startedAt, info.endedAt) = (Self.nanoseconds(startedAt), Self.nanoseconds(endedAt))
    info.updatedAt = Self.nanoseconds(updatedAt)
    info.details = details
    info.error = status == .failed ? outputs.lazy.map(\.error).first { !$0.isEmpty } ?? "" : ""
    info.sourceType = .sdk
    if let layout {
      switch info.request {
      case .roomComposite(var request)?:
        request.layout = layout
        info.request = .roomComposite(request)
      case .egress(var request)?:
        if case .template(var template)? = request.source {
          template.layout = layout
          request.source = .template(template)
        }
        info.request = .egress(request)
      default: break
      }
    }
    for output in outputs {
      switch output.kind {
      case .stream(let id, let url): info.streamResults.append(output.stream(id, url))
      case .segments(let name, let url):
        info.segmentResults.append(
          LiveKit.SegmentsInfo {
            ($0.livePlaylistName, $0.livePlaylistLocation) = (name, url)
            ($0.startedAt, $0.endedAt) = (Self.nanoseconds(output.startedAt), Self.nanoseconds(output.endedAt))
            $0.duration = output.duration
          })
      case .file(let name): info.fileResults += output.files.isEmpty ? [output.file(name)] : output.files.map(\.info)
      case .track: info.fileResults += output.files.map(\.info)
      }
    }
    // The form of older app servers.
    if !info.streamResults.isEmpty {
      info.result = .stream(LiveKit.StreamInfoList { [streams = info.streamResults] in $0.info = streams })
    } else if let file = info.fileResults.first {
      info.result = .file(file)
    } else if let segments = info.segmentResults.first {
      info.result = .segments(segments)
    }
    return info
  }

  /// Returns nanoseconds since 1970; 0 for no time.
  fileprivate static func nanoseconds(_ milliseconds: Int64) -> Int64 {
    milliseconds.multipliedReportingOverflow(by: 1_000_000).partialValue
  }

  /// Returns a URL without its key; the text itself if it is no URL of a stream.
  static func shown(_ url: String) -> String { PublishURL(url)?.description ?? url }
}

extension EgressRecord.Output {
  /// Nanoseconds.
  fileprivate var duration: Int64 {
    startedAt == 0 || endedAt < startedAt ? 0 : EgressRecord.nanoseconds(endedAt - startedAt)
  }

  fileprivate func stream(_ id: String, _ url: String) -> LiveKit.StreamInfo {
    LiveKit.StreamInfo {
      ($0.id, $0.url) = (id, EgressRecord.shown(url))
      ($0.startedAt, $0.endedAt) = (EgressRecord.nanoseconds(startedAt), EgressRecord.nanoseconds(endedAt))
      ($0.duration, $0.error) = (duration, error)
      $0.status = state == .failed ? .failed : state == .ended ? .finished : .active
      ($0.retries, $0.lastRetryAt) = (retries, EgressRecord.nanoseconds(retriedAt))
    }
  }

  /// A file that is being written.
  fileprivate func file(_ name: String) -> LiveKit.FileInfo {
    LiveKit.FileInfo {
      ($0.filename, $0.location) = (name, EgressRecord.File.location(of: name))
      ($0.startedAt, $0.endedAt) = (EgressRecord.nanoseconds(startedAt), EgressRecord.nanoseconds(endedAt))
      $0.duration = duration
    }
  }
}

extension EgressRecord.File {
  /// The path at which this server sends the file.
  fileprivate static func location(of name: String) -> String { "/v1/recordings/\(name)/file" }

  fileprivate var info: LiveKit.FileInfo {
    LiveKit.FileInfo {
      ($0.filename, $0.location, $0.size) = (name, Self.location(of: name), bytes)
      ($0.startedAt, $0.endedAt) = (EgressRecord.nanoseconds(startedAt), EgressRecord.nanoseconds(endedAt))
      $0.duration = EgressRecord.nanoseconds(duration)
    }
  }
}
