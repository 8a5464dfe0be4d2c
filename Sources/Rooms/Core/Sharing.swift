import RoomProtocol

// Rooms of a PK with `sameOrder` whose stages show and play the same: one mix is encoded for those of a server.

extension RoomCore {
  /// How long a mix stays unchanged before another room's is sent in its place, or the other way round.
  private static let settlingTime = Duration.seconds(1)

  /// Notes what a mix shows with a plan and with these tracks. If that differs from what other rooms show, the mix is made the room's own
  /// again, before the caller changes it.
  mutating func noteContent(of id: MixID, _ plan: MixPlan, _ tracks: [MixTrackID]) {
    guard let mix = mixes[id], mix.isMade else { return }
    let content = sharedContent(of: mix, plan, tracks)
    guard content != mix.content else { return }
    mixes[id]?.content = content
    if mix.isOffered { separate(id) }
    awaitSharing(id)
  }

  private mutating func awaitSharing(_ id: MixID) {
    guard mixes[id]?.content != nil else { return timers.cancel(.sharing(id)) }
    timers.set(.sharing(id), at: time(in: Self.settlingTime))
  }

  /// Offers a mix to the other rooms of the server.
  mutating func share(_ id: MixID) {
    guard let mix = mixes[id], let content = mix.content, !mix.isOffered else { return }
    mixes[id]?.isOffered = true
    order(.shareMix(id, content))
  }

  /// Makes a mix the room's own again, because the room that encodes it for both changes its own.
  mutating func sharingEnded(_ id: MixID) {
    guard let mix = mixes[id], mix.isOffered else { return }
    separate(id)
    awaitSharing(id)
  }

  private mutating func separate(_ id: MixID) {
    mixes[id]?.isOffered = false
    order(.separateMix(id))
  }

  /// Returns what a mix shows, if other rooms can show the same. Images belong to one room, and so do the names of tracks.
  private func sharedContent(of mix: Mix, _ plan: MixPlan, _ tracks: [MixTrackID]) -> SharedContent? {
    guard plan.owner == .stage, mix.published == nil, program.editor == nil, plan.images.isEmpty, let pk,
      pk.info.rules?.sameOrder == true, !pk.shown.isEmpty
    else { return nil }
    let present = Set(tracks.map(\.input))
    var layouts: [TrackLayout] = []
    var inputs: Set<String> = []
    for item in plan.layouts {
      guard let user = item.layout.userId else { return nil }
      var layout = item.layout
      layout.userId = everywhere(user, pk)
      layouts.append(layout)
      for (kind, choice) in [(TrackKind.audio, item.audio), (.video, item.video)] {
        guard var choice, present.contains(MixPlan.Item.input(kind, choice)) else { continue }
        choice.user = everywhere(choice.user, pk)
        inputs.insert(MixPlan.Item.input(kind, choice))
      }
    }
    layouts.sort { ($0.userId?.rawValue ?? "") < ($1.userId?.rawValue ?? "") }
    return SharedContent(
      pk: pk.info.pkId, picture: plan.picture, background: plan.background, layouts: layouts, texts: settings.stage.texts,
      names: settings.stage.names, scores: settings.stage.scores, inputs: inputs)
  }

  /// The name of a user in the other rooms of the PK.
  private func everywhere(_ user: UserID, _ pk: PKStage) -> UserID { pk[user] == nil ? UserID("\(user)@\(name)") : user }
}
