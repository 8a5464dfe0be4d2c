import RoomProtocol
import RoomSFU

// The composition of the users on stage: what the app may change of it, and the mixes that show it.

extension RoomCore {
  /// Updates what the stage shows, the mixes that compose it, the jobs that follow it and what the audience receives.
  mutating func reconcileProgram() {
    updateContent()
    var wanted: Set<StageProgram.Rendition> = []
    if let rendition = audienceRendition { wanted.insert(rendition) }
    for job in jobs.values { if case .composition(let rendition)? = wish(of: job) { wanted.insert(rendition) } }
    for rendition in StageProgram.Rendition.allCases {
      if wanted.contains(rendition) { prepare(rendition) } else { dismiss(rendition) }
    }
    for id in jobs.keys.sorted() { follow(id) }
    reconcileAudience()
  }

  // MARK: Changes by the app

  /// Shows this content next, or lets the editor change its composition first.
  mutating func propose(_ content: StageProgram.Content) {
    guard content != program.proposed else { return }
    program.proposed = content
    timers.cancel(.composition)
    program.isPending = false
    guard let editor = program.editor, content.single == nil else { return program.content = content }
    program.lastNumber += 1
    program.isPending = true
    timers.set(.composition, at: time(in: .milliseconds(editor.deadline)))
    send(
      .compositionChanging(
        CompositionChangingData(
          number: program.lastNumber, deadline: editor.deadline, composition: content.composition)), to: editor.user)
  }

  /// Shows the pending composition.
  /// - Parameter edited: what to show instead of the proposed composition.
  mutating func showPending(_ edited: StageComposition? = nil) {
    guard program.isPending, var content = program.proposed else { return }
    program.isPending = false
    if let edited { content.composition = edited }
    program.content = content
    changes.stage = true
  }

  /// Starts or ends the editing of compositions by a session. There is one editor; the last call wins.
  /// - Throws: 10003 without the `admin` grant, 80204 for an invalid deadline.
  mutating func editComposition(_ params: EditCompositionParams, by caller: Participant) throws(RoomError) {
    guard caller.grants.contains(.admin) else { throw RoomError(.noPermission, "editing needs the admin grant") }
    guard let deadline = params.deadline else {
      guard program.editor?.user == caller.user else { return }
      program.editor = nil
      return showPending()
    }
    guard (50...2000).contains(deadline) else { throw RoomError(.cdnParameters, "deadline: 50 to 2000 ms") }
    guard let connection = caller.connection else { throw RoomError(.notInRoom, "the session is not connected") }
    program.editor = .init(user: caller.user, connection: connection, deadline: deadline)
  }

  /// Answers a `compositionChanging` event.
  /// - Throws: 10003 for a session that is not the editor; 80204 for an invalid composition, or for a change that is shown already;
  ///   80202 for a track that does not exist.
  mutating func setComposition(_ params: CompositionParams, by caller: Participant) throws(RoomError) {
    guard program.editor?.user == caller.user else {
      throw RoomError(.noPermission, "the session does not edit the composition; call editComposition first")
    }
    guard program.isPending, program.lastNumber == params.number else {
      throw RoomError(.cdnParameters, "number: the change \(params.number) is shown already, or replaced by a later one")
    }
    if let composition = params.composition {
      if let validationError = composition.validationError {
        throw RoomError(.cdnParameters, "composition.\(validationError)")
      }
      _ = try stagePlan(composition, .whole)
    }
    timers.cancel(.composition)
    showPending(params.composition)
  }

  /// Changes the style of the composition.
  /// - Parameter caller: nil for the API.
  /// - Throws: 10003 without the `admin` grant, 80204 for an invalid style or an image that the room does not have.
  mutating func setStage(_ style: StagePicture, by caller: Participant?) throws(RoomError) {
    if let caller, !caller.grants.contains(.admin) {
      throw RoomError(.noPermission, "changing the stage's picture needs the admin grant")
    }
    if let validationError = style.validationError { throw RoomError(.cdnParameters, validationError) }
    var new = settings
    (new.stage, new.options.stage) = (style, style)
    try change(new)
  }

  /// - Throws: 80204 for an image that the room does not have.
  func checkImages(of style: StagePicture) throws(RoomError) {
    try checkImages(
      MergeParams(jobId: Self.stageJob, background: style.background, watermarks: style.watermarks, layouts: []))
  }

  // MARK: Mixes

  private func stagePlan(_ composition: StageComposition, _ rendition: StageProgram.Rendition) throws(RoomError) -> MixPlan {
    var params = composition.merge(Self.stageJob)
    if rendition == .sound {
      params = MergeParams(jobId: Self.stageJob, layouts: params.layouts.filter { $0.userId != nil || $0.width == nil })
      params.layouts = params.layouts.map { TrackLayout(trackId: $0.trackId, userId: $0.userId, gain: $0.gain) }
    }
    try checkImages(params)
    var plan = try plan(params)
    // All browsers decode it.
    plan.picture?.profile = .baseline
    plan.owner = .stage
    return plan
  }

  /// Makes the mix of a rendition, or changes the present one.
  private mutating func prepare(_ rendition: StageProgram.Rendition) {
    guard let composition = program.content?.composition, program.next[rendition] == nil else { return }
    let plan: MixPlan
    do throws(RoomError) { plan = try stagePlan(composition, rendition) } catch {
      // An image was removed. The picture stays as it is.
      return log(.warning, "the composition is unchanged", ["reason": "\(error)"])
    }
    guard program.refused[rendition] != plan else { return }
    if let id = program.mixes[rendition], let mix = mixes[id] {
      guard mix.plan != plan, mixSteps[id] == nil else { return }
      if mix.plan.picture == plan.picture {
        mixSteps[id] = .stage(rendition, plan)
        noteContent(of: id, plan, mix.tracks ?? [])
        return orderLast(.arrange(id, plan))
      }
    }
    let id = newMixID()
    mixes[id] = Mix(plan: plan)
    program.next[rendition] = id
    mixSteps[id] = .stage(rendition, plan)
    orderLast(.makeMix(id, plan))
  }

  private mutating func dismiss(_ rendition: StageProgram.Rendition) {
    program.refused[rendition] = nil
    if let id = program.mixes.removeValue(forKey: rendition) { release(id) }
  }

  /// Handles a new mix of the composition, which is made unless `failure` says why not.
  mutating func madeStage(_ mix: MixID, _ rendition: StageProgram.Rendition, _ plan: MixPlan, _ failure: RoomError?) {
    program.next[rendition] = nil
    changes.stage = true
    if let failure { return refuse(plan, rendition, failure) }
    if let old = program.mixes.updateValue(mix, forKey: rendition) { release(old) }
    setTracks(of: mix)
    changes.mixes = true
  }

  /// Handles a changed mix of the composition.
  mutating func arrangedStage(_ mix: MixID, _ rendition: StageProgram.Rendition, _ plan: MixPlan, _ failure: RoomError?) {
    changes.stage = true
    if let failure { return refuse(plan, rendition, failure) }
    mixes[mix]?.plan = plan
    setTracks(of: mix)
    changes.mixes = true
    if jobs[Self.stageJob]?.mix == mix { changes.allSubscribers = true }
    announcePKOnAir()
  }

  private mutating func refuse(_ plan: MixPlan, _ rendition: StageProgram.Rendition, _ failure: RoomError) {
    program.refused[rendition] = plan
    log(.warning, "the composition is unchanged", ["reason": "\(failure)"])
  }
}
