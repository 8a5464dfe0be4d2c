import RoomLinkModel
import RoomRTP
import RoomWebRTC
import Testing

@testable import RoomSFU

@Suite("the spread of a room over workers")
struct RoomSpreadTests {
  private let number = RoomNumber(rawValue: 1)
  private let track = MediaTrackID(1)

  private func spread(transportsPerWorker: Int = 2) throws -> RoomSpread {
    let wakeup = try Wakeup()
    return RoomSpread(number: number, home: 1, transportsPerWorker: transportsPerWorker) {
      member, isVideo, layers, isContinued in
      TrackInjection(
        isVideo: isVideo, layers: layers, isLink: true, isContinued: isContinued, isReported: false,
        reader: min(member, Forwarder.networkWorker),
        wakeup: wakeup)
    }
  }

  /// Opens a transport at a worker.
  private func open(_ id: UInt32, at worker: Int, of spread: inout RoomSpread) -> TransportID {
    _ = spread.open(
      TransportID(id), TransportParameters(credentials: .random(), fingerprints: [], role: .server), at: worker)
    return TransportID(id)
  }

  private func loads(_ scores: Int...) -> [WorkerLoad.Reading] { scores.map { WorkerLoad.Reading(score: $0) } }

  /// The commands as "worker:name".
  private func names(_ posts: [RoomSpread.Post]) -> [String] {
    posts.map { post in
      let name =
        switch post.command {
        case .order(_, let order): "\(order)"
        case .annex(let command): "\(command)"
        default: "\(post.command)"
        }
      return "\(post.worker):" + (name.split(separator: "(").first ?? "")
    }
  }

  @Test("a small room stays at its home; a larger one takes the least busy of the other workers, then fills them evenly")
  func placement() throws {
    var spread = try spread()
    #expect(spread.next(loads(0, 0, 0)) == 1)
    _ = open(1, at: 1, of: &spread)
    #expect(spread.next(loads(0, 6, 0)) == 1)
    _ = open(2, at: 1, of: &spread)
    #expect(spread.next(loads(9, 12, 3)) == 2)
    _ = open(3, at: 2, of: &spread)
    #expect(spread.next(loads(9, 12, 3)) == 2, "its load is not reported yet")
    _ = open(4, at: 2, of: &spread)
    #expect(spread.next(loads(9, 12, 12)) == 0)
    #expect(spread.next(loads(13, 12, 12)) == 1, "the third is busier than those in use")
    #expect(spread.used == [1, 2])
  }

  @Test("a room whose worker is busy takes one that is less busy, however few transports it has")
  func busy() throws {
    var spread = try spread(transportsPerWorker: 100)
    _ = open(1, at: 1, of: &spread)
    func next(_ busy: Int...) -> Int { spread.next(busy.map { WorkerLoad.Reading(score: $0, busy: $0) }) }
    #expect(next(0, RoomSpread.busy - 1, 0) == 1)
    #expect(next(20, RoomSpread.busy, 10) == 2)
    #expect(next(60, RoomSpread.busy, 70) == 1, "the others are busier")
  }

  @Test("a track is linked once to each worker with subscriptions, and the link ends with the last of them")
  func links() throws {
    var spread = try spread()
    let (alice, bob, carol, dora) = (
      open(1, at: 1, of: &spread), open(2, at: 2, of: &spread), open(3, at: 2, of: &spread), open(4, at: 1, of: &spread)
    )
    let sent = Parameters.video(ssrc: 1)
    #expect(names(spread.perform(.publish(track, on: alice, sent))) == ["1:publish"])
    func subscribe(_ id: UInt32, on transport: TransportID) -> [String] {
      names(spread.perform(.subscribe(SubscriptionID(id), to: track, on: transport, sent, continues: false)))
    }
    #expect(subscribe(1, on: dora) == ["1:subscribe"])
    #expect(subscribe(2, on: bob) == ["2:inject", "1:link", "2:subscribe"])
    #expect(subscribe(3, on: carol) == ["2:subscribe"])
    #expect(Set(names(spread.perform(.mute(track, true)))) == ["1:mute", "2:mute"])
    #expect(
      Set(names(spread.perform(.publish(track, on: alice, sent)))) == ["1:publish", "2:inject"], "its parameters change at both"
    )
    #expect(names(spread.perform(.unsubscribe(SubscriptionID(2)))) == ["2:unsubscribe"])
    #expect(names(spread.perform(.close(carol))) == ["1:unlink", "2:unpublish", "2:close"])
    #expect(subscribe(4, on: bob) == ["2:inject", "1:link", "2:mute", "2:subscribe"])
    #expect(Set(names(spread.perform(.close(alice)))) == ["2:unpublish", "1:close"], "with the tracks that it publishes")
    #expect(names(spread.perform(.unsubscribe(SubscriptionID(4)))) == [], "it ended with the track")
  }

  @Test("an annex is a member: its tracks are always linked to the home, from where they go to others, and not back")
  func annex() throws {
    var spread = try spread()
    let (near, far) = (spread.addAnnex(), spread.addAnnex())
    let (alice, bob, carol, dora) = (
      open(1, at: near, of: &spread), open(2, at: near, of: &spread), open(3, at: far, of: &spread), open(4, at: 2, of: &spread)
    )
    #expect(spread.used == [1, 2])
    #expect(spread.transports(at: near) == [alice, bob])
    let sent = Parameters.video(ssrc: 1)
    #expect(names(spread.perform(.publish(track, on: alice, sent))) == ["\(near):publish", "1:inject", "\(near):link"])
    #expect(spread.receives(track, at: near))
    func subscribe(_ id: UInt32, on transport: TransportID) -> [String] {
      names(spread.perform(.subscribe(SubscriptionID(id), to: track, on: transport, sent, continues: false)))
    }
    #expect(subscribe(1, on: bob) == ["\(near):subscribe"])
    #expect(subscribe(2, on: carol) == ["\(far):carry", "\(far):feed", "1:link", "\(far):subscribe"])
    #expect(subscribe(3, on: dora) == ["2:inject", "1:link", "2:subscribe"])
    #expect(names(spread.perform(.requestKeyFrame(track))) == ["1:requestKeyFrame"], "programs use the home's")
    #expect(names(spread.perform(.unsubscribe(SubscriptionID(2)))) == ["\(far):unsubscribe", "1:unlink", "\(far):unpublish"])
    let ends = Set(names(spread.perform(.close(alice))))
    #expect(ends == ["\(near):unpublish", "\(near):close", "1:unpublish", "2:unpublish"])
    #expect(spread.nextWorker(ofAnnex: near, workers: 2) == 0)
    _ = (open(5, at: near, of: &spread), open(6, at: near, of: &spread))
    #expect(spread.nextWorker(ofAnnex: near, workers: 2) == 1, "two transports for each worker")
  }

  @Test("an annex gets its tracks from its parent, which has them for that; a new parent sends before the old one stops")
  func tree() throws {
    var spread = try spread()
    let (near, other, far) = (spread.addAnnex(), spread.addAnnex(), spread.addAnnex())
    let (alice, bob) = (open(1, at: 1, of: &spread), open(2, at: far, of: &spread))
    let sent = Parameters.video(ssrc: 1)
    _ = spread.perform(.publish(track, on: alice, sent))
    #expect(spread.place(far, under: near)?.isEmpty == true)
    #expect(spread.place(near, under: far) == nil, "a loop")
    let subscribes = spread.perform(.subscribe(SubscriptionID(1), to: track, on: bob, sent, continues: false))
    #expect(
      names(subscribes) == [
        "\(near):carry", "\(near):feed", "1:link", "\(far):carry", "\(far):relay", "\(far):subscribe",
      ])
    #expect(Set(names(spread.perform(.mute(track, true)))) == ["1:mute", "\(near):mute", "\(far):mute"])
    _ = spread.perform(.mute(track, false))

    let moved = spread.place(far, under: other)
    #expect(names(moved ?? []) == ["\(other):carry", "\(other):feed", "1:link", "\(far):relay"])
    #expect(names(spread.settled(track, at: far, from: near)) == [], "the former parent")
    #expect(names(spread.settled(track, at: far, from: other)) == ["\(near):endRelaying", "1:unlink", "\(near):unpublish"])
    let home = spread.place(far, under: nil)
    #expect(names(home ?? []) == ["\(far):feed", "1:link"])
    #expect(names(spread.removeAnnex(other)) == ["1:unlink", "\(other):unpublish"])
    #expect(names(spread.settled(track, at: far, from: nil)) == ["\(other):endRelaying"])
    #expect(names(spread.perform(.unsubscribe(SubscriptionID(1)))) == ["\(far):unsubscribe", "1:unlink", "\(far):unpublish"])
  }

  /// Who copies the track to whom, by the commands given so far.
  private struct Copies {
    var feeds: Set<[Int]> = []
    var rings: [ObjectIdentifier: Int] = [:]

    mutating func take(_ posts: [RoomSpread.Post]) {
      for post in posts {
        switch post.command {
        case .annex(.relay(_, let parent, _)): feeds.insert([parent.member, post.worker])
        case .annex(.endRelaying(_, let child)): feeds.remove([post.worker, child.member])
        case .annex(.feed(_, let injection)), .inject(_, _, _, let injection):
          rings[ObjectIdentifier(injection)] = post.worker
        case .link(_, _, let injection):
          if let end = rings[ObjectIdentifier(injection)] { feeds.insert([post.worker, end]) }
        case .unlink(_, _, let injection):
          if let end = rings[ObjectIdentifier(injection)] { feeds.remove([post.worker, end]) }
        default: break
        }
      }
    }
  }

  @Test("whatever parents annexes get in which order, each that subscribes is fed, and nothing is copied in the end")
  func anyTree() throws {
    var random = SeededGenerator(seed: 36)
    for _ in 0..<50 {
      var spread = try spread()
      let annexes = (0..<6).map { _ in spread.addAnnex() }
      let publisher = open(100, at: annexes[0], of: &spread)
      let sent = Parameters.video(ssrc: 1)
      var copies = Copies()
      copies.take(spread.perform(.publish(track, on: publisher, sent)))
      var parents: [Int: Int?] = [:]
      var subscribed: Set<Int> = []
      for (number, annex) in annexes.enumerated() { _ = open(UInt32(number + 1), at: annex, of: &spread) }
      for _ in 0..<40 {
        let number = Int.random(in: 0..<annexes.count, using: &random)
        let annex = annexes[number]
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let parent = ([nil] + annexes.map { $0 }).randomElement(using: &random) ?? nil
          if let posts = spread.place(annex, under: parent) {
            parents[annex] = parent
            copies.take(posts)
          }
        case 1: copies.take(spread.settled(track, at: annex, from: parents[annex] ?? nil))
        case 2:
          guard subscribed.insert(number).inserted else { continue }
          let id = SubscriptionID(UInt32(number + 1))
          copies.take(
            spread.perform(.subscribe(id, to: track, on: TransportID(UInt32(number + 1)), sent, continues: false)))
        default:
          guard subscribed.remove(number) != nil else { continue }
          copies.take(spread.perform(.unsubscribe(SubscriptionID(UInt32(number + 1)))))
        }
        // The home has the track of the first annex; each other one that subscribes is reached from there, or from that annex.
        var reached: Set<Int> = [annexes[0]]
        while let next = copies.feeds.first(where: { reached.contains($0[0]) && !reached.contains($0[1]) }) {
          reached.insert(next[1])
        }
        for number in subscribed { #expect(reached.contains(annexes[number])) }
      }
      for number in subscribed { copies.take(spread.perform(.unsubscribe(SubscriptionID(UInt32(number + 1))))) }
      for annex in annexes { copies.take(spread.settled(track, at: annex, from: parents[annex] ?? nil)) }
      #expect(copies.feeds == [[annexes[0], 1]], "only the home still has the track")
    }
  }

  @Test("an annex reports what happens to its own transports and tracks, and to no others")
  func forged() throws {
    var spread = try spread()
    let (near, far) = (spread.addAnnex(), spread.addAnnex())
    let (alice, bob) = (open(1, at: near, of: &spread), open(2, at: far, of: &spread))
    _ = spread.perform(.publish(track, on: alice, Parameters.video(ssrc: 1)))
    _ = spread.perform(
      .subscribe(SubscriptionID(1), to: track, on: bob, Parameters.video(ssrc: 1), continues: false))
    let message = DataMessage(label: "chat", isReliable: true, isText: true, payload: [1])
    let events: [MediaEvent] = [
      .transportFailed(alice, .timeout), .transportClosed(alice), .messageReceived(alice, message), .firstPacket(track),
      .layersWanted(track, []),
    ]
    for event in events {
      #expect(spread.concerns(event, near))
      #expect(!spread.concerns(event, far), "\(event)")
    }
    #expect(!spread.concerns(.transportClosed(TransportID(9)), near), "unknown")
    #expect(!spread.concerns(.activeSpeakers([track]), far), "the home ranks")
  }

  @Test("a track away from home is withdrawn there too; what concerns the unknown goes to the home")
  func home() throws {
    var spread = try spread()
    let alice = open(1, at: 0, of: &spread)
    _ = spread.perform(.publish(track, on: alice, Parameters.audio(ssrc: 1)))
    #expect(spread.receives(track, at: 0) && !spread.receives(track, at: 1))
    #expect(Set(names(spread.perform(.unpublish(track)))) == ["0:unpublish", "1:unpublish"])
    #expect(names(spread.perform(.unpublish(track))) == [])
    #expect(names(spread.perform(.requestKeyFrame(track))) == ["1:requestKeyFrame"])
    #expect(names(spread.perform(.publish(track, on: TransportID(9), Parameters.audio(ssrc: 1)))) == ["1:publish"])
    #expect(!spread.receives(track, at: 1), "the worker refuses it")
  }
}
