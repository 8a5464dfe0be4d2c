import Logging
import RoomProtocol

/// What a session receives: the app's wishes, which are repeated if the server forgot the session, and the server's offers.
///
/// Confined to the session's actor.
final class Subscriptions {
  private let calls: SessionCalls
  private let media: MediaConnections
  private let store: RoomStateStore
  private let logger: Logger
  /// The explicit subscriptions.
  private var chosen = (trackIds: Set<TrackID>(), userIds: Set<UserID>())
  /// The receptions that differ from the default.
  private var receptions: [TrackID: TrackReception] = [:]
  /// Whether `audioLevels` events are requested.
  private(set) var wantsLevels: Bool
  /// Whether tracks are received.
  private var isReceiving: Bool
  /// Whether the server may not know ``isReceiving``, because the connection was lost.
  private var owesReceiving = false
  private var subscriber: Subscriber { media.subscriber }

  init(_ calls: SessionCalls, _ media: MediaConnections, _ store: RoomStateStore, _ logger: Logger, _ options: RoomOptions) {
    self.calls = calls
    self.media = media
    self.store = store
    self.logger = logger
    wantsLevels = options.audioLevels
    isReceiving = options.receivesTracks
  }

  func subscribe(trackIds: [TrackID], userIds: [UserID], isolation: isolated (any Actor)? = #isolation) async throws {
    try await calls.ask(.subscribe(TrackSelection(trackIds: trackIds, userIds: userIds)))
    chosen.trackIds.formUnion(trackIds)
    chosen.userIds.formUnion(userIds)
  }

  func unsubscribe(trackIds: [TrackID], userIds: [UserID], isolation: isolated (any Actor)? = #isolation) async throws {
    try await calls.ask(.unsubscribe(TrackSelection(trackIds: trackIds, userIds: userIds)))
    chosen.trackIds.subtract(trackIds)
    chosen.userIds.subtract(userIds)
  }

  func setReception(_ reception: TrackReception, isolation: isolated (any Actor)? = #isolation) async throws {
    try await calls.ask(.setReception(ReceptionParams(tracks: [reception])))
    receptions[reception.trackId] = reception
  }

  func setAudioLevels(_ enabled: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    try await calls.ask(.setAudioLevels(AudioLevelsParams(enabled: enabled)))
    wantsLevels = enabled
  }

  func setReceiving(_ enabled: Bool, isolation: isolated (any Actor)? = #isolation) async throws {
    let before = isReceiving
    isReceiving = enabled
    do {
      try await calls.ask(.setReceiving(ReceivingParams(enabled: enabled)))
    } catch let error as RoomError {
      isReceiving = before
      throw error
    } catch {
      owesReceiving = true
      throw error
    }
  }

  /// Sends a new or resumed session whether tracks are received, unless the server knows.
  func tellReceiving(resumed: Bool) {
    defer { owesReceiving = false }
    guard resumed ? owesReceiving : !isReceiving else { return }
    calls.tell(.setReceiving(ReceivingParams(enabled: isReceiving)))
  }

  /// Answers an offer for the subscribe transport, and sends the events of its changes.
  /// - Parameters:
  ///   - info: returns the description of a track.
  ///   - receive: sends the server the reception of a track.
  func answer(
    _ offer: OfferData, info: (TrackID) -> TrackInfo?, receive: @escaping @Sendable (TrackReception) async throws -> Void
  ) {
    do {
      let generation = subscriber.generation
      let change = try subscriber.answer(offer, info: info, receive: receive)
      if subscriber.generation != generation { media.subscribeRepair.opened(now: .now) }
      calls.tell(.answer(AnswerParams(offer: offer.offer, sdp: change.answer)))
      show(begun: change.begun, ended: change.ended)
    } catch {
      logger.debug("an offer could not be answered: \(error)")
      media.subscribeRepair.failed(now: .now)
    }
  }

  private func show(begun: [RemoteTrack], ended: [RemoteTrack]) {
    store.change { value in
      for track in ended { value.remoteTracks[track.trackId] = nil }
      for track in begun { value.remoteTracks[track.trackId] = track }
    }
    for track in ended {
      track.end()
      store.say(.trackUnsubscribed(track))
    }
    for track in begun { store.say(.trackSubscribed(track)) }
    if subscriber.isEmpty { media.subscribeRepair.closed() }
  }

  /// Ends all: the server forgot the session.
  func end() {
    show(begun: [], ended: subscriber.close())
    media.subscribeRepair.closed()
  }

  /// Returns the explicit subscriptions to repeat in a session that starts anew, and repeats the receptions.
  func restore(present tracks: Set<TrackID>, _ users: (UserID) -> Bool) -> (trackIds: [TrackID], userIds: [UserID]) {
    receptions = receptions.filter { tracks.contains($0.key) }
    if !receptions.isEmpty { calls.tell(.setReception(ReceptionParams(tracks: Array(receptions.values)))) }
    return (Array(chosen.trackIds.intersection(tracks)), Array(chosen.userIds.filter(users)))
  }
}
