import RoomLinkModel
import RoomRTP
import RoomWebRTC

@testable import RoomSFU

/// People behind one link who publish audio and video and receive each other.
final class VirtualMeeting {
  private struct Source {
    var video: UInt16 = 1
    var audio: UInt16 = 1
    var frame = 0
    var turn = 0
    var answered = 0
    /// The bytes by which the last frames were larger than their bitrate allows.
    var debt = 0
  }

  static let seconds: Int64 = 1_000_000
  private static let framesPerSecond = 15

  let network: VirtualNetwork
  let people: [VirtualClient]
  private let kbps: Int
  private let audioBytes: Int
  private let obeys: Bool
  /// What RoomClient leaves for audio, of 50 packets a second.
  private var audioKbps: Int { (audioBytes + 50) * 50 * 8 / 1000 }
  private var random: RoomLinkModel.SeededGenerator
  private var sources: [Source]
  private var nextFrame: Instant
  private var nextAudio: Instant
  /// The bytes that the server sent in each second, with IP headers.
  private(set) var offered: [Int: Int] = [:]
  private let start: Instant
  /// What each person sees of each other.
  private var screens: [(receiver: Int, sender: Int, screen: VirtualScreen)] = []

  /// - Parameters:
  ///   - kbps: the bitrate of each video.
  ///   - audioBytes: the payload of each audio packet, of 20 ms.
  ///   - obeys: whether they send no more than they are asked for.
  init(people count: UInt32, kbps: Int, audioBytes: Int = 80, obeys: Bool = true, seed: UInt64) throws {
    self.kbps = kbps
    self.audioBytes = audioBytes
    self.obeys = obeys
    random = RoomLinkModel.SeededGenerator(seed: seed)
    network = try VirtualNetwork(sharesAddress: true)
    people = try network.connectedClients(count)
    sources = people.map { _ in Source() }
    (nextFrame, nextAudio, start) = (network.now, network.now, network.now)
    for (index, person) in people.enumerated() {
      network.order(
        .publish(Self.video(index), on: person.id, Parameters.video(ssrc: 1111, rtx: 1112)),
        .publish(
          Self.audio(index), on: person.id, Parameters.audio(ssrc: 3333, feedback: [.nack, .transportCC])))
    }
    for (index, person) in people.enumerated() {
      for other in people.indices where other != index {
        network.order(
          .subscribe(
            Self.video(index, other), to: Self.video(other), on: person.id,
            Parameters.video(mid: "v\(other)", ssrc: Self.ssrc(9000, other), rtx: Self.ssrc(9001, other), payloadType: 100),
            continues: false),
          .subscribe(
            Self.audio(index, other), to: Self.audio(other), on: person.id,
            Parameters.audio(
              mid: "a\(other)", ssrc: Self.ssrc(8000, other), rtx: Self.ssrc(8001, other), feedback: [.nack, .transportCC]),
            continues: false))
      }
      screens += people.indices.filter { $0 != index }.map { (index, $0, VirtualScreen(Self.ssrc(9000, $0))) }
      person.reportPath(
        nacks: people.indices.filter { $0 != index }.flatMap { [Self.ssrc(9000, $0), Self.ssrc(8000, $0)] })
      network.behind[person.id] = people[0].id
    }
    network.links[people[0].id] = LinkModel(LinkConditions(delay: 25_000), seed: seed)
    network.onSend = { [weak self] _, datagram in
      guard let self else { return }
      offered[Int((network.now - start) / Self.seconds), default: 0] += datagram.count + 28
    }
  }

  private static func video(_ index: Int) -> MediaTrackID { MediaTrackID(UInt32(index * 2 + 1)) }
  private static func audio(_ index: Int) -> MediaTrackID { MediaTrackID(UInt32(index * 2 + 2)) }
  private static func video(_ receiver: Int, _ sender: Int) -> SubscriptionID {
    SubscriptionID(UInt32(receiver * 100 + sender * 2 + 1))
  }
  private static func audio(_ receiver: Int, _ sender: Int) -> SubscriptionID {
    SubscriptionID(UInt32(receiver * 100 + sender * 2 + 2))
  }
  private static func ssrc(_ base: UInt32, _ index: Int) -> SSRC { SSRC(base + UInt32(index) * 10) }

  /// Limits the link to all of them, in bits per second.
  func limit(to rate: Int64) {
    var conditions = LinkConditions(delay: 25_000)
    conditions.limit(rate: rate, queueing: 300)
    network.links[people[0].id]?.conditions = conditions
  }

  func run(seconds: Int64) {
    let end = network.now.advanced(microseconds: seconds * Self.seconds)
    while network.now < end {
      if network.now >= nextFrame {
        nextFrame = nextFrame.advanced(microseconds: Self.seconds / Int64(Self.framesPerSecond))
        for index in people.indices { sendFrame(index) }
      }
      if network.now >= nextAudio {
        nextAudio = nextAudio.advanced(microseconds: 20_000)
        for index in people.indices { sendAudio(index) }
      }
      network.run(milliseconds: max(1, (min(nextFrame, nextAudio, end) - network.now) / 1000))
      for index in screens.indices {
        screens[index].screen.update(people[screens[index].receiver], now: network.now)
      }
    }
  }

  private func sendFrame(_ index: Int) {
    let person = people[index]
    let asked = person.estimates.last.map { Int(min($0.bitrate, 10_000_000)) / 1000 - audioKbps } ?? kbps
    let rate = obeys ? max(30, min(kbps, asked)) : kbps
    sources[index].turn += 1
    // Below its minimum bitrate RoomClient sends fewer frames.
    let fps = rate >= kbps * 40 / 100 ? Self.framesPerSecond : rate >= kbps * 32 / 100 ? 12 : 10
    guard sources[index].turn * fps / Self.framesPerSecond != (sources[index].turn - 1) * fps / Self.framesPerSecond else {
      return
    }
    let isAsked = person.pictureLosses.count > sources[index].answered
    let isKey = sources[index].frame % (2 * Self.framesPerSecond) == 0 || isAsked
    sources[index].answered = person.pictureLosses.count
    let fair = rate * 125 / fps
    let wanted = Int(Double(fair) * (0.6 + 0.8 * random.fraction())) * (isKey ? 4 : 1) - min(sources[index].debt, fair * 2 / 3)
    var left = max(60, wanted)
    sources[index].debt = max(-fair, sources[index].debt + left - fair)
    var isFirst = true
    while left > 0 {
      let length = min(left, 1100)
      left -= length
      let payload = isFirst && isKey ? VP8Payload.key() : isFirst ? VP8Payload.delta() : [0x00, 0x55]
      person.sendRTP(
        payloadType: 96, sequence: sources[index].video, timestamp: UInt32(sources[index].turn) &* 6000, ssrc: 1111,
        marker: left <= 0, payload: payload + [UInt8](repeating: 7, count: max(0, length - payload.count)))
      sources[index].video &+= 1
      isFirst = false
    }
    sources[index].frame += 1
  }

  private func sendAudio(_ index: Int) {
    people[index].sendRTP(
      payloadType: 111, sequence: sources[index].audio, timestamp: UInt32(sources[index].audio) &* 960, ssrc: 3333,
      payload: [UInt8](repeating: 1, count: audioBytes))
    sources[index].audio &+= 1
  }

  // MARK: What arrived

  /// The times at which a subscription was paused or active again, according to the events.
  private func changes(of id: SubscriptionID) -> [(at: Instant, isPaused: Bool)] {
    network.events.compactMap { entry in
      guard case .streamChanged(id, _, let state) = entry.event else { return nil }
      return (entry.at, state.isPaused)
    }
  }

  /// Whether a subscription was paused at any time between these times, or up to a second before.
  private func wasPaused(_ id: SubscriptionID, from start: Instant, to end: Instant) -> Bool {
    let changes = changes(of: id).filter { $0.at <= end }
    return changes.last?.isPaused ?? false || changes.contains { start - $0.at < Self.seconds }
  }

  /// The longest gap in ms in the audio of one of the streams in the last seconds, without those for which it was paused.
  func longestSilence(last seconds: Int64) -> Int64 {
    let start = network.now.advanced(microseconds: -seconds * Self.seconds)
    var longest: Int64 = 0
    for (index, person) in people.enumerated() {
      for other in people.indices where other != index {
        var last = start
        var number: UInt16?
        for entry in person.packets where entry.at >= start && entry.packet.header.ssrc == Self.ssrc(8000, other) {
          let next = entry.packet.header.sequenceNumber
          if let number, !wasPaused(Self.audio(index, other), from: last, to: entry.at) {
            longest = max(longest, Int64(next &- number &- 1) * 20)
          }
          (last, number) = (entry.at, next)
        }
        if !wasPaused(Self.audio(index, other), from: last, to: network.now) {
          longest = max(longest, (network.now - last) / 1000 - 300)
        }
      }
    }
    return longest
  }

  /// The number of audio streams that each person received in the last seconds.
  func audioStreams(last seconds: Int64) -> [Int] {
    let start = network.now.advanced(microseconds: -seconds * Self.seconds)
    return people.map { person in
      people.indices.count { other in
        person.packets.contains { $0.at >= start && $0.packet.header.ssrc == Self.ssrc(8000, other) }
      }
    }
  }

  /// The bitrate that the server sent in the last seconds, in bits per second.
  func offeredRate(last seconds: Int) -> Double {
    let end = Int((network.now - start) / Self.seconds)
    return Double((end - seconds..<end).reduce(0) { $0 + (offered[$1] ?? 0) } * 8) / Double(seconds)
  }

  /// The frames per second of each video that was not paused in the last seconds.
  func framesPerSecond(last seconds: Int64) -> [Double] {
    let start = network.now.advanced(microseconds: -seconds * Self.seconds)
    return people.indices.flatMap { index in
      people.indices.filter { $0 != index && !wasPaused(Self.video(index, $0), from: start, to: network.now) }.map { other in
        let frames = Set(
          people[index].packets.filter { $0.at >= start && $0.packet.header.ssrc == Self.ssrc(9000, other) }
            .map(\.packet.header.timestamp))
        return Double(frames.count) / Double(seconds)
      }
    }
  }

  /// What each person saw of each other in one second.
  struct Second {
    var pictures: Int
    /// Whether the server stated that it sends none, at any time since a second before.
    var isPaused: Bool
    /// Whether the picture stood still, and the server did not state it.
    var isStuck: Bool { pictures == 0 && !isPaused }
  }

  /// The last seconds of each picture.
  func seconds(last count: Int64) -> [[Second]] {
    screens.map { entry in
      (0..<count).reversed().map { back in
        let begin = network.now.advanced(microseconds: -(back + 1) * Self.seconds)
        let end = begin.advanced(microseconds: Self.seconds)
        return Second(
          pictures: entry.screen.pictures.count { $0 >= begin && $0 < end },
          isPaused: wasPaused(Self.video(entry.receiver, entry.sender), from: begin, to: end))
      }
    }
  }
}
