import RoomRTP
import RoomProtocol
import RoomState
import RoomSFU

// The users on stage, and the mix that the audience receives instead of their tracks.

extension RoomCore {
  /// How long a user that just took a seat is awaited before the picture shows a card instead of its camera.
  private static let seatedTime = Duration.seconds(1)
  /// The tag of a shared screen's tracks.
  static let screenTag = "screen"

  // MARK: People

  /// The users on stage: those on seats, and during a PK all anchors first.
  private mutating func peopleOnStage() -> [StageComposer.Person] {
    var seated = state.allSeats.compactMap { seat in seat.userId.map { (user: $0, seat: seat) } }
    let users = Set(seated.map(\.user))
    program.awaited = program.awaited.filter { users.contains($0.key) }
    let shown = Set(program.content?.people ?? [])
    seated = seated.filter { user, _ in shown.contains(user) || !isAwaited(user) }
    var people = seated.map { user, seat in
      person(user, seat: seat.index, isSilent: seat.muted || !seat.audio)
    }
    guard let pk, !pk.shown.isEmpty else { return people }
    let anchors = [pk.info.host] + pk.shown.map(\.user)
    let host = people.first { $0.user == pk.info.host } ?? person(pk.info.host, seat: 0, isSilent: false)
    people.removeAll { anchors.contains($0.user) }
    return [host] + pk.shown.map { person($0.user, seat: nil, isSilent: $0.isMuted) } + people
  }

  /// Whether a user that just took a seat has no track yet.
  private mutating func isAwaited(_ user: UserID) -> Bool {
    guard settings.audience != .voice, roster[user]?.tracks.isEmpty == true else { return false }
    let until: Instant
    if let known = program.awaited[user] {
      until = known
    } else {
      until = time(in: Self.seatedTime)
      program.awaited[user] = until
      timers.set(.stage, at: until)
    }
    return until > now.instant
  }

  private func person(_ user: UserID, seat: Int?, isSilent: Bool) -> StageComposer.Person {
    var person = StageComposer.Person(user: user, seat: seat, isSilent: isSilent)
    guard let participant = roster[user] else { return person }
    let screens = participant.tracks.filter { $0.info.tag == Self.screenTag && !$0.info.muted }
    person.screen = screens.last { $0.info.kind == .video }?.info.trackId
    person.screenSound = screens.last { $0.info.kind == .audio && !$0.info.master }?.info.trackId
    let cameras = participant.tracks.filter { $0.info.kind == .video && $0.info.tag != Self.screenTag }
    guard let camera = cameras.first(where: { $0.info.master }) ?? cameras.first else { return person }
    person.hasVideo = !camera.info.muted
    person.isLandscape = camera.isLandscape
    return person
  }

  // MARK: Content

  /// Updates what the stage shows to its users, its layout, its style and the PK.
  mutating func updateContent() {
    if let editor = program.editor, roster[editor.user]?.connection != editor.connection { program.editor = nil }
    let people = peopleOnStage()
    guard !people.isEmpty else {
      timers.cancel(.composition)
      (program.content, program.proposed, program.isPending, program.hasPictures) = (nil, nil, false, false)
      return
    }
    if people.contains(where: { $0.hasVideo || $0.screen != nil }) { program.hasPictures = true }
    var composer = StageComposer(people: people, layout: state.layout, style: settings.stage, pairPicture: settings.pk)
    if let pk, !pk.shown.isEmpty {
      let members = pk.info.members ?? []
      let winners = Set(pk.info.result?.winners ?? [])
      func anchor(_ user: UserID, _ room: RoomName, _ guest: PKStage.Guest?) -> StageComposer.Anchor {
        StageComposer.Anchor(
          user: user, score: pk.score(of: guest), team: members.first { $0.room == room }?.team, hasWon: winners.contains(room))
      }
      let all = [(name, anchor(pk.info.host, name, nil))] + pk.shown.map { ($0.room, anchor($0.user, $0.room, $0)) }
      composer.anchors =
        pk.info.rules?.sameOrder == true
        ? members.compactMap { member in all.first { $0.0 == member.room }?.1 } : all.map(\.1)
      if !members.isEmpty, let end = pk.info.endsAt {
        composer.endsAt = end + (pk.info.result == nil ? 0 : Int64(pk.info.rules?.punishment ?? 0) * 1000)
      }
    }
    var single: UserID?
    if people.count == 1, people[0].screen == nil, people[0].hasVideo || !program.hasPictures { single = people[0].user }
    propose(StageProgram.Content(single: single, people: people.map(\.user), composition: composer.composition()))
  }

  // MARK: The audience

  /// The rendition that the audience receives; nil if there is no audience, or if it receives tracks.
  var audienceRendition: StageProgram.Rendition? {
    guard settings.audience != .separate, let people = program.content?.people, hasAudience else { return nil }
    if settings.audience == .voice { return .sound }
    return people.count >= 2 ? .whole : nil
  }

  /// Starts and stops the job that publishes the room's composition for its audience.
  mutating func reconcileAudience() {
    guard newJobs[Self.stageJob] == nil else { return }
    let mix = audienceRendition.flatMap { program.mixes[$0] }
    if let job = jobs[Self.stageJob] {
      // A mix of another size needs other tracks. The mix's job begins when this one has ended.
      if !job.isStopping, audienceRendition == nil || (mix != nil && job.mix != mix) { stop(Self.stageJob) }
      return
    }
    guard let mix, mixes[mix]?.isMade == true else { return }
    mixes[mix]?.uses += 1
    begin(
      NewJob(
        id: Self.stageJob, program: .stage(mix), url: nil, claim: .trusted(name), requester: .room, startedAt: nil, by: ""),
      recording: nil)
  }

  /// Whether any participant would receive the mix.
  private var hasAudience: Bool {
    viewers.ofStage > 0
      || roster.all.contains { participant in
        !participant.isVirtual && participant.grants.contains(.subscribe) && participant.receiving.plan.isReceiving
          && (settings.audience == .voice || state.seat(of: participant.user) == nil)
      }
  }

  /// Returns whether a participant receives a track by default.
  func isMeant(_ track: PublishedTrack, of owner: Participant, for participant: Participant) -> Bool {
    guard settings.audience != .separate, let mix = jobs[Self.stageJob]?.mix, let plan = mixes[mix]?.plan else { return true }
    let isOnStage = state.seat(of: participant.user) != nil
    if owner.presence.mixJob == Self.stageJob { return !isOnStage || settings.audience == .voice }
    // The audience receives what is in the mix as part of the mix.
    let isInMix = plan.layouts.contains { item in
      (track.info.kind == .audio ? item.audio : item.video)?.user == owner.user
    }
    guard isInMix else { return true }
    return isOnStage && settings.audience == .mixed
  }
}
