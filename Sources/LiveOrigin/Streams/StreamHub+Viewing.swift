import RoomRTMP

// Moving a viewer's position through the kept messages.

extension StreamHub {
  /// Returns the position of a new viewer: the last key frame if there is one, otherwise recent audio, without video up to the
  /// next key frame.
  func begin(_ state: borrowing State, _ options: StreamViewer.Options) -> StreamViewer.Position {
    if let key = options.wantsPast ? state.keyFrames.first : state.keyFrames.last, let latest = state.timeline.latest {
      // The initial backlog does not count as the viewer's lag.
      return StreamViewer.Position(
        next: key.number, awaitsKeyFrame: false, allowance: latest.time.milliseconds(since: key.time))
    }
    guard state.statistics.isPublished, let latest = state.timeline.latest else {
      return StreamViewer.Position(next: state.ring.end, awaitsKeyFrame: true)
    }
    var next = state.ring.end
    let start = options.wantsPast ? limits.past : limits.soundStart
    while let item = state.ring[next - 1], latest.time.milliseconds(since: item.media.time) < start { next -= 1 }
    return StreamViewer.Position(next: next, awaitsKeyFrame: true)
  }

  /// Returns the next message for a viewer, or `nothing` or `end` if it is up to date.
  func next(for options: StreamViewer.Options, at position: inout StreamViewer.Position) -> StreamViewer.Next {
    state.withLock { state in
      if position.next < state.ring.start {
        // The viewer did not even receive the audio in time.
        position.counters.overruns &+= 1
        let beginning = begin(state, options)
        let next = max(beginning.next, state.ring.start)
        position.counters.missed &+= next - position.next
        position.next = next
        position.awaitsKeyFrame = beginning.awaitsKeyFrame
        position.allowance = beginning.allowance
      }
      while let item = state.ring[position.next] {
        if position.headers !== item.headers {
          if let header = nextHeader(for: options, at: &position, before: item, &state) { return .media(header) }
        }
        position.next += 1
        if admits(item.media, options: options, at: &position, state) { return .media(item.media) }
      }
      position.allowance = 0
      return state.isClosed ? .end : .nothing
    }
  }

  /// Moves a viewer past all kept messages.
  func skip(_ position: inout StreamViewer.Position) {
    position.next = state.withLock { $0.ring.end }
    position.awaitsKeyFrame = true
    position.allowance = 0
  }

  /// Returns the first header that the viewer lacks, with the time of the message that follows it.
  private func nextHeader(
    for options: StreamViewer.Options, at position: inout StreamViewer.Position, before item: MediaRing.Item,
    _ state: inout State
  ) -> LiveMedia? {
    for header in item.headers.all where !position.sentHeaders.contains(header.version) && options.wants(header.media.kind) {
      position.sentHeaders.append(header.version)
      if let copy = state.copies[header.version], copy.time == item.media.time { return copy }
      // ffmpeg treats metadata at any time but 0 as a subtitle.
      let timestamp = header.media.kind == .data ? 0 : item.media.media.timestamp
      let media = MediaMessage(header.media.kind, timestamp: timestamp, payload: header.media.payload)
      let copy = LiveMedia(media, time: item.media.time, isKeyFrame: false)
      state.copies[header.version] = copy
      return copy
    }
    let versions = item.headers.all.map(\.version)
    position.sentHeaders.removeAll { !versions.contains($0) }
    position.headers = item.headers
    let current = state.headers.all.map(\.version)
    state.copies = state.copies.filter { current.contains($0.key) || versions.contains($0.key) }
    return nil
  }

  /// Returns whether the viewer receives the message, based on its options and its lag.
  private func admits(
    _ media: LiveMedia, options: StreamViewer.Options, at position: inout StreamViewer.Position, _ state: borrowing State
  ) -> Bool {
    guard options.wants(media.media.kind) else { return false }
    guard media.media.kind == .video else { return true }
    let lag = (state.timeline.latest?.time ?? media.time).milliseconds(since: media.time)
    let limit = (options.lag ?? limits.lag) + position.allowance
    if position.awaitsKeyFrame {
      // Half of the limit, so that the viewer does not lose the next group at once.
      if media.isKeyFrame, lag <= max(limit / 2, position.allowance) {
        position.awaitsKeyFrame = false
        return true
      }
    } else if lag <= limit {
      return true
    } else {
      position.awaitsKeyFrame = true
      position.counters.thinnings &+= 1
    }
    position.counters.droppedFrames &+= 1
    return false
  }
}
