import Foundation
import RoomFuzzSupport
import RoomProtocol

@testable import RoomToken

/// The fuzz targets by name. The tests run the stored inputs through the same code.
let roomProtocolFuzzTargets: [String: @Sendable (UnsafeRawBufferPointer) -> Void] = [
  "signalling": fuzzRequest, "events": fuzzServerMessage, "tokens": fuzzToken,
  "data-frame": fuzzDataFrame,
]

/// A message over a data channel. What is read is written and read again.
@Sendable private func fuzzDataFrame(_ bytes: UnsafeRawBufferPointer) {
  guard let frame = DataFrame(Array(bytes)) else { return }
  precondition(frame.payload.count <= DataFrame.maximumPayload && (frame.header.to?.count ?? 0) <= DataFrame.maximumReceivers)
  // Escaped characters may make the header longer than it was.
  guard let written = frame.bytes else { return }
  precondition(DataFrame(written) == frame, "what is written can be read")
}

/// Client messages. A decoded message is encoded and decoded again.
@Sendable private func fuzzRequest(_ bytes: UnsafeRawBufferPointer) {
  guard let request = try? SignalRequest.decode(bytes) else { return }
  guard let text = try? JSONEncoder().encode(request) else { preconditionFailure("what is read can be written") }
  guard let again = try? JSONDecoder().decode(SignalRequest.self, from: text) else {
    preconditionFailure("what is written can be read")
  }
  precondition(again == request)
}

/// Server messages: events, and the answers to each kind of call.
@Sendable private func fuzzServerMessage(_ bytes: UnsafeRawBufferPointer) {
  let text = Data(bytes)
  if let event = try? JSONDecoder().decode(SignalEvent.self, from: text) {
    precondition((try? JSONEncoder().encode(event)) != nil, "what is read can be written")
    if case .changed(let numbered) = event {
      var snapshot = RoomSnapshot(name: "fuzz", createdAt: 0)
      snapshot.apply(numbered, limits: RoomLimits())
      snapshot.apply(numbered, limits: RoomLimits())
    }
  }
  _ = try? JSONDecoder().decode(SignalAnswer<JoinResult>.self, from: text)
  _ = try? JSONDecoder().decode(SignalAnswer<PublishResult>.self, from: text)
  _ = try? JSONDecoder().decode(SignalAnswer<Empty>.self, from: text)
}

/// A token as is; if the input begins with a brace, one line of header and one of claims, which are signed correctly.
@Sendable private func fuzzToken(_ bytes: UnsafeRawBufferPointer) {
  let now = Date(timeIntervalSince1970: 1_700_000_000)
  var text = String(decoding: bytes, as: UTF8.self)
  if bytes.first == UInt8(ascii: "{") {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
    guard lines.count == 2,
      let signed = try? tokenFuzzKeys.sign(header: Data(lines[0]), payload: Data(lines[1]), key: "fuzz")
    else { return }
    text = signed
  }
  _ = try? tokenFuzzKeys.verifyAPI(text, now: now)
  _ = try? tokenFuzzKeys.verify(text, room: "demo", now: now)
  if let token = try? tokenFuzzKeys.verifyLiveKit(text, now: now) { fuzzLiveKit(token, now: now) }
  guard let token = try? tokenFuzzKeys.verify(text, now: now) else { return }
  precondition(!token.room.isEmpty && !token.user.isEmpty && token.expires > now)
  guard let again = try? tokenFuzzKeys.sign(token, key: "fuzz"), again.utf8.count <= TokenKeys.maximumTokenBytes else { return }
  precondition((try? tokenFuzzKeys.verify(again, now: now))?.grants == token.grants, "what is signed is verified")
}

/// A LiveKit token is signed again with the same claims, and its names give back their ids.
private func fuzzLiveKit(_ token: LiveKitToken, now: Date) {
  for name in [token.identity, token.grants.room, token.grants.destinationRoom].compactMap(\.self) {
    precondition(NameRule.allows(name.id))
    if let again = ForeignName(id: name.id) { precondition(again == name) }
  }
  if let own = try? token.roomToken { precondition(NameRule.allows(own.room) && NameRule.allows(own.user)) }
  // The token of a webhook has no grants.
  guard token.sha256.isEmpty, let again = try? tokenFuzzKeys.sign(token),
    again.utf8.count <= TokenKeys.maximumLiveKitTokenBytes, let read = try? tokenFuzzKeys.verifyLiveKit(again, now: now)
  else { return }
  precondition(read.grants == token.grants && read.identity == token.identity, "what is signed is verified")
}

private let tokenFuzzKeys: TokenKeys = {
  guard let keys = runToEnd({ try? TokenKeys(["fuzz": "a secret of thirty-two bytes, it"]) }) else {
    preconditionFailure("the secret is long enough")
  }
  return keys
}()
