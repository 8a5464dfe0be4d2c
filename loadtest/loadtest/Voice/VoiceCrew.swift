import RoomRTP
import RoomWebRTC

/// The bots of one run, their threads and their connections.
actor VoiceCrew {
  /// Sleep of the listeners' thread between two polls, in microseconds: far below a packet's duration of 20 ms.
  private static let rest: Int64 = 1000

  private let plan: VoicePlan
  private let tones: SpokenTones
  private let settings: BotSettings
  private let speaking: BotLoop
  private let listening: BotLoop
  private var seats: [any BotSession] = []
  /// The bots that decode: the speakers and the first listener.
  private var speakerEars: [VoiceHandle] = []
  private var listenerEar: VoiceHandle?

  init(plan: VoicePlan, tones: SpokenTones) throws {
    self.plan = plan
    self.tones = tones
    settings = BotSettings(certificate: try Certificate(), profiles: plan.profile.profiles, feedbackInterval: 0)
    speaking = try BotLoop(name: "speak", rest: 0)
    listening = try BotLoop(name: "listen", rest: Self.rest)
  }

  /// Returns when the speaker is connected: a speaker alone in the room receives no audio.
  func speak(number: Int, to target: any VoiceTarget, within seconds: Double) async throws {
    let name = plan.speakerNames[number]
    let role = target.speakerRole
    let voice = tones.packets[number]
    if target.hasOneConnection {
      let end = try VoiceHandle(name: name, settings: settings, role: role, voice: voice, tones: tones, loop: speaking)
      speakerEars.append(end)
      seats.append(try await target.speak(end, mixDecoder: nil))
      return
    }
    let mouth = try VoiceHandle(name: name, settings: settings, role: role, voice: voice, tones: nil, loop: speaking)
    let mixDecoder = try VoiceHandle(
      name: name, settings: settings, role: target.listenerRole, voice: nil, tones: tones, loop: speaking)
    speakerEars.append(mixDecoder)
    seats.append(try await target.speak(mouth, mixDecoder: mixDecoder))
    try await mouth.outcome.firstPacket(within: seconds)
  }

  /// Returns when all speakers receive audio.
  func speakersHear(within seconds: Double) async throws {
    for mixDecoder in speakerEars { try await mixDecoder.outcome.firstPacket(within: seconds) }
  }

  /// Returns when the listener receives its first packet.
  func listen(number: Int, to target: any VoiceTarget, within seconds: Double) async throws {
    let name = "listener-\(number)"
    let end: any ReceivingHandle
    if number == 1 {
      let mixDecoder = try VoiceHandle(
        name: name, settings: settings, role: target.listenerRole, voice: nil, tones: tones, loop: speaking)
      listenerEar = mixDecoder
      end = mixDecoder
    } else {
      end = try SubscriberHandle(
        name: name, settings: settings, controlling: true, role: target.listenerRole, loop: listening)
    }
    seats.append(try await target.listen(end))
    try await end.outcome.firstPacket(within: seconds)
  }

  /// Returns the counters of all listeners, including the first one.
  func counts() async -> PacketCounts {
    var counts = await listening.run { crew in
      var sum = PacketCounts()
      let now = BotSet.now
      for case let bot as SubscriberBot in crew.bots { sum += bot.counts(now: now) }
      return sum
    }
    counts.drops = SocketDrops.ofThisProcess()
    guard let report = await listenerEar?.report() else { return counts }
    counts.received += report.packets
    counts.lost += report.missing
    counts.pauses += report.pauses
    counts.liveStreams += report.packets > 0 ? 1 : 0
    return counts
  }

  /// Returns which speakers each decoding bot receives.
  func heard() async -> VoiceDetection {
    var heard = VoiceDetection()
    if let report = await listenerEar?.report() { heard.byListener = report.loudness.count { $0 > VoiceDetection.threshold } }
    for (number, mixDecoder) in speakerEars.enumerated() {
      guard let report = await mixDecoder.report(), report.loudness.indices.contains(number) else { continue }
      let all = report.loudness.count { $0 > VoiceDetection.threshold }
      let itself = report.loudness[number] > VoiceDetection.threshold
      if itself { heard.echoes += 1 }
      heard.bySpeakers = min(heard.bySpeakers ?? .max, itself ? all - 1 : all)
    }
    return heard
  }

  /// Disconnects all bots.
  func leave() async {
    await listening.stop()
    await speaking.stop()
    for seat in seats { await seat.leave() }
    seats = []
  }
}

/// Which speakers the decoding bots receive.
struct VoiceDetection: Sendable, Equatable {
  /// The minimum loudness of a detected tone, relative to its original level.
  static let threshold = 0.25

  /// Number of speakers that the first listener receives.
  var byListener = 0
  /// The lowest number of other speakers that any speaker receives; nil if there are no speakers.
  var bySpeakers: Int?
  /// Number of speakers that receive their own voice.
  var echoes = 0
}
