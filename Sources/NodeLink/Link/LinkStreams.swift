import RoomRTP

/// The streams of a link: what each end wants, what each end sends, and the changes that the owner has not taken.
struct LinkStreams {
  /// What this node wants, and what it sends.
  private var wishes = RepeatedStates<StreamWish>()
  private var feeds = RepeatedStates<StreamFeed>()
  /// What the other node wants, and what it sends.
  private var remoteWishes: [UInt32: StreamWish] = [:]
  private var remoteFeeds: Set<UInt32> = []
  /// How the sources of streams are to see the other node's wishes, because the path carries less.
  private var adapted: [UInt32: SentStreams.Change] = [:]
  /// Whether the other node understands when its datagrams arrived.
  private(set) var wantsArrivals = false
  private var events: [LinkEvent] = []
  /// The number of events that were taken.
  private var taken = 0
  private(set) var refused: UInt64 = 0
  private(set) var eventsLost: UInt64 = 0

  mutating func want(_ wish: StreamWish?, of stream: UInt32) -> Bool { counted(wishes.set(wish, of: stream)) }

  mutating func feed(_ isRunning: Bool, stream: UInt32) -> Bool {
    counted(feeds.set(isRunning ? StreamFeed() : nil, of: stream))
  }

  private mutating func counted(_ isSet: Bool) -> Bool {
    if !isSet { refused &+= 1 }
    return isSet
  }

  /// Returns what the other node wants of a stream, as its source is to see this.
  func remoteWish(of stream: UInt32) -> StreamWish? {
    guard var wish = remoteWishes[stream] else { return nil }
    guard let change = adapted[stream] else { return wish }
    wish.keyFrames &+= change.resumptions
    if change.isSubstitute, wish.layers == 0 { wish.layers = 1 }
    return wish
  }

  /// Whether the other node wants a stream.
  func isWanted(_ stream: UInt32) -> Bool { remoteWishes[stream].map { $0.layers != 0 } ?? false }

  /// Lets the source of a stream resume, or send in place of another.
  mutating func adapt(_ change: SentStreams.Change) {
    let before = remoteWish(of: change.stream)
    adapted[change.stream] = change
    guard let wish = remoteWish(of: change.stream), wish != before else { return }
    report(.wished(stream: change.stream, wish))
  }

  mutating func endAdapting(_ stream: UInt32) { adapted[stream] = nil }

  /// Whether a state waits to be sent for the first time.
  var isWaiting: Bool { wishes.isWaiting || feeds.isWaiting }

  func repeatAt(_ retry: Int64) -> Instant? {
    switch (wishes.repeatAt(retry), feeds.repeatAt(retry)) {
    case (let wish?, let feed?): min(wish, feed)
    case (let wish, let feed): wish ?? feed
    }
  }

  /// Writes states that wait, as many as fit.
  mutating func write(into body: inout ControlBody, number: UInt64, now: Instant, retry: Int64) {
    wishes.take(body.room(for: ControlBlock.wishBytes), in: number, now: now, retry: retry) {
      body.append(.wish(stream: $0, $1))
    }
    feeds.take(body.room(for: ControlBlock.feedBytes), in: number, now: now, retry: retry) {
      body.append(.feed(stream: $0, $1))
    }
  }

  mutating func acknowledge(_ newest: UInt64, before: UInt64) {
    var changes: [LinkEvent] = []
    wishes.acknowledge(newest, before: before) {
      switch $0 {
      case .opened(let stream): changes.append(.opened(stream: stream))
      case .closed(let stream): changes.append(.closed(stream: stream))
      }
    }
    feeds.acknowledge(newest, before: before) { _ in }
    for change in changes { report(change) }
  }

  /// Forgets what the other node wants and sends, and sends it this node's states again: it has opened the link anew.
  mutating func restart() {
    for stream in remoteWishes.keys.sorted() { report(.unwished(stream: stream)) }
    for stream in remoteFeeds.sorted() { report(.ended(stream: stream)) }
    remoteWishes = [:]
    remoteFeeds = []
    wantsArrivals = false
    wishes.repeatAll()
    feeds.repeatAll()
  }

  /// Takes what the other node wants.
  mutating func take(_ wish: StreamWish?, of stream: UInt32) {
    guard remoteWishes[stream] != wish else { return }
    let before = remoteWish(of: stream)
    guard let wish else {
      remoteWishes[stream] = nil
      report(.unwished(stream: stream))
      return
    }
    guard remoteWishes[stream] != nil || remoteWishes.count < LinkOptions.maximumStreams else {
      refused &+= 1
      return
    }
    remoteWishes[stream] = wish
    if let wish = remoteWish(of: stream), wish != before { report(.wished(stream: stream, wish)) }
  }

  /// Takes whether the other node sends a stream.
  mutating func take(_ feed: StreamFeed?, of stream: UInt32) {
    if let feed { wantsArrivals = feed.wantsArrivals }
    guard remoteFeeds.contains(stream) != (feed != nil) else { return }
    guard feed != nil else {
      remoteFeeds.remove(stream)
      report(.ended(stream: stream))
      return
    }
    guard remoteFeeds.count < LinkOptions.maximumStreams else {
      refused &+= 1
      return
    }
    remoteFeeds.insert(stream)
    report(.began(stream: stream))
  }

  mutating func report(_ event: LinkEvent) {
    guard events.count < LinkOptions.maximumEvents else {
      eventsLost &+= 1
      return
    }
    events.append(event)
  }

  mutating func nextEvent() -> LinkEvent? {
    guard taken < events.count else {
      events.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    defer { taken += 1 }
    return events[taken]
  }
}
