import RoomRTP
import RoomProtocol
import RoomWebRTC

/// Many subscribers that only read packet headers: each is a complete client with ICE, DTLS and signalling that decodes
/// nothing.
actor RoomGuests {
  /// Sleep of the threads between two polls, in microseconds: far below a packet's duration of 20 ms.
  private static let rest: Int64 = 1000
  private static let patience = 20.0
  private static let codecs: Set<String> = ["h264", "vp8", "opus"]

  /// A connected guest.
  struct Member: Sendable {
    let end: SubscriberHandle
    let seat: any BotSession
    let kind: String
  }

  private let stage: Stage
  private let settings: BotSettings
  private let loops: [BotLoop]
  private var members: [String: Member] = [:]
  private var number = 0

  init(_ stage: Stage, threads: Int = 1) throws {
    self.stage = stage
    settings = BotSettings(
      certificate: try Certificate(), profiles: FanoutProfile.gcm.profiles, feedbackInterval: 0)
    loops = try (0..<max(1, threads)).map { try BotLoop(name: "audience-\($0)", rest: Self.rest) }
  }

  var count: Int { members.count }

  /// Joins a room and accepts everything that the server offers. Returns with the first packet.
  func join(_ room: RoomName, as name: String) async throws {
    let end = try makeEnd(name)
    let recorder = stage.recorder
    end.outcome.begin()
    let token = try stage.tokens.token(for: UserID(name), in: room, grants: .subscribe)
    let seat = try await recorder.time(.join) { [stage] in
      let seat = try await RoomserverSession(stage.signalling)
      _ = try await seat.call(.join(JoinParams(token: token)), as: JoinResult.self)
      return seat
    }
    await seat.attend { offer in
      do { try await seat.tell(.answer(AnswerParams(offer: offer.offer, sdp: end.answer(offer.sdp)))) } catch {
        end.outcome.failed("\(error)")
      }
    }
    try await settle(Member(end: end, seat: seat, kind: "room"), name)
  }

  /// Watches a user over WHEP. Returns with the first packet.
  func watch(_ user: UserID, in room: RoomName, as name: String) async throws {
    let end = try makeEnd(name)
    let token = try stage.tokens.token(for: UserID(name), in: room, grants: .subscribe)
    let seat = WHEPSession(stage.base.appending(path: "whep/\(room)/\(user)"), token: token)
    let offer = try end.makeOffer([.opus, .h264()])
    end.outcome.begin()
    try end.accept(try await stage.recorder.time(.join, of: "whep") { try await seat.post(offer.sdp) }, to: offer)
    try await settle(Member(end: end, seat: seat, kind: "whep"), name)
  }

  private func makeEnd(_ name: String) throws -> SubscriberHandle {
    number += 1
    return try SubscriberHandle(
      name: name, settings: settings, controlling: true, codecs: Self.codecs, network: stage.network,
      loop: loops[number % loops.count])
  }

  private func settle(_ member: Member, _ name: String) async throws {
    do {
      try await member.end.outcome.firstPacket(within: Self.patience)
    } catch {
      await Self.close(member)
      throw error
    }
    let times = member.end.outcome.times
    if let begun = times.begun, let media = times.media {
      stage.recorder.record(.firstMedia, Double(media - begun) / 1000, of: member.kind)
    }
    // What arrived during the setup is not part of the first second's figures.
    _ = await member.end.takeSlice()
    members[name] = member
  }

  /// Disconnects one guest.
  func leave(_ name: String) async {
    guard let member = members.removeValue(forKey: name) else { return }
    await Self.close(member)
  }

  private static func close(_ member: Member) async {
    await member.end.close()
    await member.seat.leave()
  }

  /// Records what each guest received since the last call.
  /// - Parameter hearing: whether each guest has a single audio track that never pauses.
  func tell(hearing: Bool, seconds: Double = 1) async {
    let members = Array(members.values)
    // Concurrently, because each call waits for its thread's next poll.
    let slices = await withTaskGroup(of: (Int, SubscriberBot.Slice?).self) { group in
      for (index, member) in members.enumerated() { group.addTask { (index, await member.end.takeSlice()) } }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
    for (index, member) in members.enumerated() {
      guard let slice = slices[index] else { continue }
      if hearing { stage.recorder.record(.audioGap, Double(slice.gap) / 1000) }
      let all = slice.received + max(0, slice.lost)
      if all > 0 { stage.recorder.record(.loss, 100 * Double(max(0, slice.lost)) / Double(all), of: member.kind) }
      if slice.pictures > 0 { stage.recorder.record(.fps, Double(slice.pictures) / seconds, of: member.kind) }
    }
  }

  /// Returns the number of pictures of which each guest received a packet since the last call, by name.
  func takePictures() async -> [String: Int] {
    let members = members
    return await withTaskGroup(of: (String, Int?).self) { group in
      for (name, member) in members { group.addTask { (name, await member.end.takeSlice()?.pictures) } }
      return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
  }

  /// Disconnects all guests and ends the threads.
  func leave() async {
    for loop in loops { await loop.stop() }
    for member in members.values { await member.seat.leave() }
    members = [:]
  }
}
