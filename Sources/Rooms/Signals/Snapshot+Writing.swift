import RoomProtocol

// The answer to a join lists all participants of the room. Keys are in alphabetical order, as with `sortedKeys`.

extension JoinResult {
  /// Writes the answer, copying the participants that were written before.
  /// - Throws: the error of `JSONEncoder` for a value that JSON can't represent.
  func write(to output: inout JSONOutput, _ written: inout WrittenParticipants) throws {
    output.raw("{")
    if let iceServers {
      output.raw("\"iceServers\":")
      try output.encoded(iceServers)
      output.raw(",")
    }
    output.raw("\"limits\":")
    try output.encoded(limits)
    output.raw(",\"me\":")
    me.write(to: &output)
    output.raw(",\"participants\":")
    written.write(participants, to: &output)
    output.raw(",\"pingInterval\":")
    output.number(pingInterval)
    if let moved {
      output.raw(",\"moved\":")
      output.flag(moved)
    }
    if let replayed {
      output.raw(",\"replayed\":")
      output.flag(replayed)
    }
    output.raw(",\"resumed\":")
    output.flag(resumed)
    output.raw(",\"room\":")
    try output.encoded(room)
    output.raw(",\"sessionId\":")
    output.text(sessionId)
    output.raw(",\"version\":")
    output.number(version)
    output.raw("}")
  }
}

extension ParticipantInfo {
  func write(to output: inout JSONOutput) {
    output.raw("{\"connected\":")
    output.flag(connected)
    output.raw(",\"grants\":")
    output.list(grants.names) { $0.text($1) }
    output.raw(",\"joinedAt\":")
    output.number(joinedAt)
    if let kind {
      output.raw(",\"kind\":")
      output.text(kind.rawValue)
    }
    if let permissions {
      output.raw(",\"permissions\":")
      permissions.write(to: &output)
    }
    if let profile {
      output.raw(",\"profile\":")
      profile.write(to: &output)
    }
    output.raw(",\"tracks\":")
    output.list(tracks) { $1.write(to: &$0) }
    output.raw(",\"userId\":")
    output.text(userId)
    output.raw("}")
  }
}

extension Permissions {
  func write(to output: inout JSONOutput) {
    output.raw("{")
    if let data {
      output.raw("\"data\":")
      output.flag(data)
      output.raw(",")
    }
    output.raw("\"grants\":")
    output.list(grants.names) { $0.text($1) }
    if let ownProfile {
      output.raw(",\"ownProfile\":")
      output.flag(ownProfile)
    }
    if let sources {
      output.raw(",\"sources\":")
      output.list(sources) { $0.text($1) }
    }
    output.raw("}")
  }
}

extension ParticipantProfile {
  func write(to output: inout JSONOutput) {
    output.raw("{\"attributes\":{")
    for (index, (key, value)) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
      if index > 0 { output.raw(",") }
      output.text(key)
      output.raw(":")
      output.text(value)
    }
    output.raw("},\"metadata\":")
    output.text(metadata)
    output.raw(",\"name\":")
    output.text(name)
    output.raw("}")
  }
}

extension TrackInfo {
  func write(to output: inout JSONOutput) {
    output.raw("{")
    if let bitrate {
      output.raw("\"bitrate\":")
      output.number(bitrate)
      output.raw(",")
    }
    if let codec {
      output.raw("\"codec\":")
      output.text(codec.rawValue)
      output.raw(",")
    }
    if let fps {
      output.raw("\"fps\":")
      output.number(fps)
      output.raw(",")
    }
    if let height {
      output.raw("\"height\":")
      output.number(height)
      output.raw(",")
    }
    output.raw("\"kind\":")
    output.text(kind.rawValue)
    output.raw(",\"master\":")
    output.flag(master)
    output.raw(",\"muted\":")
    output.flag(muted)
    if let name {
      output.raw(",\"name\":")
      output.text(name)
    }
    output.raw(",\"tag\":")
    output.text(tag)
    output.raw(",\"trackId\":")
    output.text(trackId)
    if let width {
      output.raw(",\"width\":")
      output.number(width)
    }
    output.raw("}")
  }
}
