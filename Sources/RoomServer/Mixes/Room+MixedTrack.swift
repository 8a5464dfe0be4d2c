import CLinux
import Foundation
import RTP
import Relay
import RoomProtocol
import RoomToken
import SFU
import WebRTC

// A mix in its own room: a participant that the server is. Who speaks in it hears it without itself.

extension Room {
  /// Publishes a mix as a participant's tracks.
  func publish(_ mix: RoomMix, as user: UserID, _ params: MergeParams) {
    let bitrate = min((params.audioKbps ?? 64) * 1000, 256_000)
    guard jobs[params.jobId] != nil, participants[user] == nil,
      let sink = try? MixedTrackSink(mix.live, audioBitrate: bitrate, now: Instant(microseconds: linux_now_us()))
    else { return }
    let token = RoomToken(room: name, user: user, grants: [.publish], expires: .distantFuture)
    let participant = Participant(token: token, outlet: NoOutlet(), plan: SubscriptionPlan(automatic: false))
    participant.mixed = MixedParticipant(job: params.jobId, mix: mix, sink: sink, audioBitrate: bitrate)
    admit(participant)
    let cname = UUID().uuidString
    var video: TrackInjection?
    if let picture = mix.key.picture {
      var codec = RTPCodec.h264(.constrainedBaseline)
      // Level 3.1, or 4.0 for what is larger.
      codec.parameters["profile-level-id"] = picture.width * picture.height > 1280 * 720 ? "42e028" : "42e01f"
      let new = NewTrack(
        mid: "", kind: .video, tag: "mix", master: true, width: picture.width, height: picture.height, fps: picture.fps)
      video = inject(new, codec, cname, participant)
    }
    let audio = inject(NewTrack(mid: "", kind: .audio, tag: "mix", master: true), .opus, cname, participant)
    sink.begin(video: video, audio: audio)
    mix.live.add(sink)
    announce(participant.tracks.map(\.info), of: participant)
  }

  private func inject(_ new: NewTrack, _ codec: RTPCodec, _ cname: String, _ participant: Participant) -> TrackInjection {
    let parameters = RTPParameters(mid: "", kind: new.kind == .video ? .video : .audio, codecs: [codec], cname: cname)
    let track = PublishedTrack(id: nextTrackID(), info: TrackInfo(new, codec: codec.name), parameters: parameters)
    participant.tracks.append(track)
    log.info("published", metadata: ["user": "\(participant.userId)", "track": "\(track.info.trackId)", "kind": "\(new.kind)"])
    return media.inject(track.id, parameters: parameters)
  }

  /// Brings the mixes that speakers hear to who speaks now.
  func renewOwn(of participant: Participant) {
    guard let mixed = participant.mixed, let whole = participant.tracks.first(where: { $0.info.kind == .audio }) else { return }
    let speakers = Set(mixed.mix.key.layouts.compactMap(\.audio?.user))
    for (user, own) in mixed.own {
      let isCurrent = participants[user] === own.participant && speakers.contains(user)
      guard !isCurrent || !hears(own.participant, whole, of: participant) else { continue }
      mixed.own[user] = nil
      end(own, of: mixed)
      if participants[user] === own.participant { renewSubscriptions(of: own.participant) }
    }
    for user in speakers where mixed.own[user] == nil {
      guard let speaker = participants[user], speaker.mixed == nil, hears(speaker, whole, of: participant),
        speaker.tracks.contains(where: { $0.info.kind == .audio }),
        let sink = try? MixedTrackSink(
          mixed.mix.live, audioBitrate: mixed.audioBitrate, now: Instant(microseconds: linux_now_us()))
      else { continue }
      let track = PublishedTrack(id: nextTrackID(), info: whole.info, parameters: whole.parameters)
      mixed.own[user] = .init(track: track, sink: sink, participant: speaker)
      sink.begin(video: nil, audio: media.inject(track.id, parameters: track.parameters))
      mixed.mix.live.setListener(speaker.clock, sink)
      renewSubscriptions(of: speaker)
    }
  }

  private func hears(_ speaker: Participant, _ track: PublishedTrack, of participant: Participant) -> Bool {
    let isMeant = speaker.plan.automatic && isMeant(track, of: participant, for: speaker)
    return speaker.grants.contains(.subscribe)
      && speaker.plan.wants(track: track.info.trackId, of: participant.userId, automatic: isMeant)
  }

  private func end(_ own: MixedParticipant.Own, of mixed: MixedParticipant) {
    mixed.mix.live.setListener(own.participant.clock, nil)
    media.unpublish(own.track.id)
  }

  /// A participant that is a mix leaves: so does the mix, unless it also goes elsewhere.
  func endMixed(_ participant: Participant) {
    guard let mixed = participant.mixed else { return }
    participant.mixed = nil
    mixed.mix.live.remove(mixed.sink)
    for own in mixed.own.values { end(own, of: mixed) }
    for track in participant.tracks { media.unpublish(track.id) }
    if let job = jobs[mixed.job] { stop(job) }
  }
}
