import RoomLinkModel
import RoomNodeLink
import RoomRTP

/// A room whose audio and videos cross a link in virtual time: publishers at `near`, one viewer of each video at `far`, who chooses
/// layers as the media plane does.
final class VirtualShow {
  /// A layer of a publisher.
  private struct Layer {
    let stream: UInt32
    let kbps: Int
    var frame: UInt32 = 0
    var sequence: Int64 = 0
    /// The wish that was answered with a key frame.
    var keyFrames: UInt16?
    var keyFrameAt = Instant(microseconds: 0)
  }

  static let audioStream: UInt32 = 1
  private static let audioBytes = 160
  private static let audioInterval: Int64 = 20_000
  private static let frameInterval: Int64 = 40_000
  private static let packetBytes = 1_100
  /// How many times as large as others a key frame is, and how often there may be one.
  private static let keyFrameFactor = 4
  private static let keyFrameInterval: Int64 = 500_000
  /// As `LayerSource`: all layers cross at first.
  private static let opening: Int64 = 2_000_000

  let nodes: VirtualNodes
  private var videos: [[Layer]] = []
  private(set) var viewers: [VirtualViewer] = []
  private let began: Instant
  private var audioAt: Instant
  /// Of each video: publishers do not send their pictures at the same moment.
  private var frameAt: [Instant]
  private var audioSequence: Int64 = 0
  private var taken = 0
  /// When each audio record was sent and arrived.
  private(set) var audio: [(sent: Instant, arrived: Instant?)] = []

  /// When each record of video that the link took was sent, by stream and sequence, and how late those arrived that did.
  private var sent: [UInt64: Instant] = [:]
  private var videoDelays: [(sent: Instant, delay: Int64)] = []

  /// - Parameters:
  ///   - videos: the bitrates of each video's layers in kbit/s, the largest first.
  ///   - isAdaptive: whether `near` tells the link what its streams are.
  init(_ nodes: VirtualNodes, videos: [[Int]], isAdaptive: Bool = true) {
    self.nodes = nodes
    began = nodes.now
    audioAt = nodes.now
    frameAt = videos.indices.map {
      nodes.now.advanced(microseconds: Self.frameInterval * Int64($0) / Int64(videos.count))
    }
    if isAdaptive { nodes.near.feed(true, stream: Self.audioStream, place: .audio) }
    nodes.far.want(StreamWish(), of: Self.audioStream)
    for (number, rates) in videos.enumerated() {
      let first = UInt32(number + 1) * 100
      self.videos.append(rates.enumerated().map { Layer(stream: first + UInt32($0.offset), kbps: $0.element) })
      if isAdaptive {
        for layer in self.videos[number] { nodes.near.feed(true, stream: layer.stream, place: .video(track: first)) }
      }
      viewers.append(VirtualViewer(streams: self.videos[number].map(\.stream), now: nodes.now))
    }
  }

  func run(milliseconds: Int64) {
    nodes.run(milliseconds: milliseconds, every: 5_000) { _ in
      self.deliver()
      self.publish()
      for viewer in self.viewers { viewer.decide(self.nodes) }
    }
    deliver()
  }

  private func publish() {
    let now = nodes.now
    while audioAt <= now {
      nodes.write(audioSequence, stream: Self.audioStream, bytes: Self.audioBytes)
      audio.append((now, nil))
      audioSequence += 1
      audioAt = audioAt.advanced(microseconds: Self.audioInterval)
    }
    for video in videos.indices where frameAt[video] <= now {
      frameAt[video] = frameAt[video].advanced(microseconds: Self.frameInterval)
      for layer in videos[video].indices { encode(&videos[video][layer]) }
    }
  }

  private func encode(_ layer: inout Layer) {
    let wish = nodes.near.wish(of: layer.stream)
    let isWanted = wish.map { $0.layers != 0 } ?? true
    let isKey = layer.keyFrames != wish?.keyFrames && nodes.now - layer.keyFrameAt >= Self.keyFrameInterval
    if isKey { (layer.keyFrames, layer.keyFrameAt) = (wish?.keyFrames, nodes.now) }
    layer.frame += 1
    let bytes = layer.kbps * 125 * Int(Self.frameInterval) / 1_000_000 * (isKey ? Self.keyFrameFactor : 1)
    let packets = max(1, (bytes + Self.packetBytes - 1) / Self.packetBytes)
    for packet in 0..<packets {
      defer { layer.sequence += 1 }
      guard isWanted || nodes.now - began < Self.opening else { continue }
      let isTaken = nodes.write(layer.sequence, stream: layer.stream, bytes: min(bytes / packets, Self.packetBytes)) {
        $0.timestamp = layer.frame
        $0.kind = isKey ? VirtualViewer.keyFrame : 0
        $0.time = UInt64(packet) << 32 | UInt64(packets)
      }
      if isTaken { sent[Self.key(layer.stream, layer.sequence)] = nodes.now }
    }
  }

  private func deliver() {
    for delivery in nodes.deliveries[taken...] {
      if delivery.record.stream == Self.audioStream {
        audio[Int(delivery.record.sequence)].arrived = delivery.at
      } else {
        for viewer in viewers { viewer.take(delivery.record, at: delivery.at) }
        if let sent = sent.removeValue(forKey: Self.key(delivery.record.stream, delivery.record.sequence)) {
          videoDelays.append((sent, delivery.at - sent))
        }
      }
    }
    taken = nodes.deliveries.count
  }

  private static func key(_ stream: UInt32, _ sequence: Int64) -> UInt64 { UInt64(stream) << 40 | UInt64(sequence) }

  /// The share of the video's records that arrived within a time in microseconds, of those that crossed in a time.
  func shareOfVideo(within limit: Int64, from: Instant) -> Double {
    let end = nodes.now.advanced(milliseconds: -1_000)
    let lost = sent.values.count { $0 >= from && $0 < end }
    let arrived = videoDelays.filter { $0.sent >= from && $0.sent < end }
    return Double(arrived.count { $0.delay <= limit }) / Double(max(1, arrived.count + lost))
  }

  /// How late each audio record arrived, of those sent from an instant on but for the last second, in microseconds; ascending.
  func audioDelays(from: Instant) -> [Int64] {
    let end = nodes.now.advanced(milliseconds: -1_000)
    return audio.filter { $0.sent >= from && $0.sent < end }.map { sent, arrived in arrived.map { $0 - sent } ?? .max }
      .sorted()
  }

  /// The longest time in microseconds without a new audio record, of those sent from an instant on.
  func longestAudioGap(from: Instant) -> Int64 {
    let arrivals = audio.filter { $0.sent >= from }.compactMap(\.arrived).sorted()
    return zip(arrivals, arrivals.dropFirst()).map { $1 - $0 }.max() ?? .max
  }
}

/// A viewer of one video behind a link. It leaves a layer after half a second without packets, goes to a larger one that has been there
/// for half a second, and changes at a key frame.
final class VirtualViewer {
  static let keyFrame: UInt8 = 1
  private static let livePatience: Int64 = 500_000
  private static let steadyTime: Int64 = 500_000
  private static let interval: Int64 = 100_000
  private static let retry: Int64 = 500_000

  private struct Layer {
    let stream: UInt32
    var wish = StreamWish(layers: 0)
    var lastArrival: Instant?
    var liveSince = Instant(microseconds: 0)
    /// The packets of frames that are not shown yet, and the last frame that was decoded.
    var packets: [UInt32: (count: Int, of: Int, isKey: Bool)] = [:]
    var decoded: UInt32?
  }

  private var layers: [Layer]
  private(set) var current = 0
  private var awaited: Int?
  private var requestedAt = Instant(microseconds: 0)
  private var nextAt: Instant
  private(set) var pictures: [(at: Instant, layer: Int)] = []

  init(streams: [UInt32], now: Instant) {
    layers = streams.map { Layer(stream: $0) }
    layers[0].wish.layers = 1
    nextAt = now
  }

  func take(_ record: LinkRecord, at now: Instant) {
    guard let index = layers.firstIndex(where: { $0.stream == record.stream }) else { return }
    if layers[index].lastArrival.map({ now - $0 >= Self.livePatience }) ?? true { layers[index].liveSince = now }
    layers[index].lastArrival = now
    let frame = record.timestamp
    if let decoded = layers[index].decoded, frame <= decoded { return }
    layers[index].packets[frame, default: (0, Int(record.time & 0xFFFF_FFFF), record.kind == Self.keyFrame)].count += 1
    while let (next, isKey) = decodable(index) {
      layers[index].decoded = next
      layers[index].packets = layers[index].packets.filter { $0.key > next }
      if isKey, index == awaited { (current, awaited) = (index, nil) }
      if index == current { pictures.append((now, index)) }
    }
  }

  private func decodable(_ index: Int) -> (UInt32, Bool)? {
    let complete = layers[index].packets.filter { $0.value.count == $0.value.of }
    if let decoded = layers[index].decoded, complete[decoded + 1] != nil {
      return (decoded + 1, complete[decoded + 1]?.isKey ?? false)
    }
    return complete.filter(\.value.isKey).keys.max().map { ($0, true) }
  }

  func decide(_ nodes: VirtualNodes) {
    let now = nodes.now
    guard now >= nextAt else { return }
    nextAt = now.advanced(microseconds: Self.interval)
    func isLive(_ index: Int) -> Bool { layers[index].lastArrival.map { now - $0 < Self.livePatience } ?? false }
    func isSteady(_ index: Int) -> Bool { index == current || now - layers[index].liveSince >= Self.steadyTime }
    let target =
      layers.indices.first { isLive($0) && isSteady($0) } ?? layers.indices.first { isLive($0) }
    if let target {
      let isStuck = target == current && pictures.last.map { now - $0.at > 300_000 } ?? true
      if target != current || isStuck {
        if awaited != target || now - requestedAt >= Self.retry {
          layers[target].wish.keyFrames &+= 1
          requestedAt = now
        }
        awaited = target
      } else {
        awaited = nil
      }
    }
    for layer in layers { nodes.far.want(layer.wish, of: layer.stream) }
  }

  /// The longest time in microseconds between two pictures in a time.
  func longestFreeze(from: Instant, to: Instant) -> Int64 {
    let times = [from] + pictures.map(\.at).filter { $0 > from && $0 < to } + [to]
    return zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .max
  }

  /// The layer of the last picture before an instant.
  func layer(at time: Instant) -> Int? { pictures.last { $0.at <= time }?.layer }

  /// When a picture of this layer came first, from an instant on.
  func first(of layer: Int, from: Instant) -> Instant? { pictures.first { $0.at >= from && $0.layer == layer }?.at }
}
