import Foundation
import RoomProtocol
import RoomWebRTC

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A room of this server with an audio-only merge job that is published into the room.
struct RoomserverVoice: VoiceTarget {
  private static let mix: UserID = "mix"

  let server: RoomserverAddress
  let room: RoomName
  /// Bitrate of each mix, in kbps.
  let kbps: Int

  let hasOneConnection = false
  let speakerRole = DTLSRole.client
  let listenerRole = DTLSRole.client

  private struct NewRoom: Encodable { var name: RoomName }

  func open(_ speakers: [String]) async throws {
    try await post("v1/rooms", NewRoom(name: room))
    let job = MergeParams(
      jobId: "voice", publishAs: Self.mix, audioKbps: kbps, layouts: speakers.map { TrackLayout(userId: UserID($0)) })
    try await post("v1/rooms/\(room)/merge-jobs", job)
  }

  func speak(_ speaker: VoiceHandle, mixDecoder: VoiceHandle?) async throws -> any BotSession {
    let (seat, mix) = try await join(speaker.name)
    speaker.outcome.begin()
    mixDecoder?.outcome.begin()
    let result = try await seat.call(
      .publish(
        PublishParams(
          sdp: speaker.makeOffer(hears: false), tracks: [NewTrack(mid: "0", kind: .audio, tag: "microphone")])),
      as: PublishResult.self)
    try speaker.accept(result.sdp, hears: false)
    if let mixDecoder { try await hear(mix, mixDecoder, seat) }
    return seat
  }

  func listen(_ listener: any ReceivingHandle) async throws -> any BotSession {
    listener.outcome.begin()
    let (seat, mix) = try await join(listener.name)
    try await hear(mix, listener, seat)
    return seat
  }

  /// Joins and finds the mix's audio track.
  private func join(_ name: String) async throws -> (RoomserverSession, mix: TrackID) {
    let seat = try await RoomserverSession(server.signalling)
    let params = JoinParams(token: try server.tokens.token(for: UserID(name), in: room), autoSubscribe: false)
    let joined = try await seat.call(.join(params), as: JoinResult.self)
    let track = joined.participants.first { $0.userId == Self.mix }?.tracks.first { $0.kind == .audio }
    guard let track else { throw LoadtestError.refused("the room has no mix") }
    return (seat, track.trackId)
  }

  private func hear(_ track: TrackID, _ end: any ReceivingHandle, _ seat: RoomserverSession) async throws {
    await seat.attend { offer in
      do {
        try await seat.tell(.answer(AnswerParams(offer: offer.offer, sdp: end.answer(offer.sdp))))
      } catch {
        end.outcome.failed("\(error)")
      }
    }
    try await seat.tell(.subscribe(TrackSelection(trackIds: [track])))
  }

  private func post(_ path: String, _ body: some Encodable) async throws {
    var request = URLRequest(url: server.base.appending(path: path))
    request.httpMethod = "POST"
    request.httpBody = try JSONEncoder().encode(body)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.setValue("Bearer \(try server.tokens.apiToken())", forHTTPHeaderField: "Authorization")
    let (answer, response) = try await URLSession.shared.fetch(request)
    guard (200..<300).contains(response.statusCode) else {
      throw LoadtestError.refused("\(path): \(String(decoding: answer, as: UTF8.self))")
    }
  }
}
