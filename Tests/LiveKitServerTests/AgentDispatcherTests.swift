import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP
import Testing

@testable import RoomLiveKitServer
@testable import RoomServer

/// The dispatch of agents in virtual time.
@Suite("The dispatch of agents")
struct AgentDispatcherTests {
  /// A dispatcher, its clock, and what it has said.
  private final class Scene {
    var dispatcher: AgentDispatcher
    var now = Instant(microseconds: 0)
    var time: Int64 { now.microseconds / 1000 }

    init(_ limits: AgentDispatcher.Limits = .init()) { dispatcher = AgentDispatcher(limits) }

    func worker(_ agent: String = "", _ kind: AgentJob.Kind = .room, namespace: String = "") throws -> String {
      let role = AgentWorker.Role(agent: agent, namespace: namespace, kind: kind)
      let registered = dispatcher.register(role)
      let worker = try #require(registered)
      dispatcher.placeWaiting(role, at: now, time)
      return worker.id
    }

    func open(_ room: RoomName, session: String = "s") {
      dispatcher.open(room, session: session, at: now, time)
    }

    /// Asks an agent into a room. Returns the id of the dispatch.
    func dispatch(_ agent: String, to room: RoomName = "demo", restarts: Bool = true) -> String {
      var dispatch = AgentDispatch(agent: agent, room: room, roomName: room.rawValue, session: "s", createdAt: time)
      dispatch.restarts = restarts
      #expect(add(dispatch))
      return dispatch.id
    }

    func meet(
      _ identity: String, sid: String? = nil, publishes: Bool = false, kind: LiveKit.ParticipantKind = .standard
    ) {
      let person = LiveKit.ParticipantInfo {
        ($0.identity, $0.sid, $0.isPublisher, $0.kind) = (identity, sid ?? "PA_" + identity, publishes, kind)
      }
      dispatcher.meet(person, in: "demo", session: "s", at: now, time)
    }

    /// The offers since the last call: the jobs by worker.
    func offers() -> [(job: String, worker: String)] {
      dispatcher.takeOutputs().compactMap { if case .offer(let job, _, let worker) = $0 { (job, worker) } else { nil } }
    }

    func offer(sourceLocation: SourceLocation = #_sourceLocation) throws -> (job: String, worker: String) {
      let offers = offers()
      #expect(offers.count == 1, sourceLocation: sourceLocation)
      return try #require(offers.first, sourceLocation: sourceLocation)
    }

    func answer(_ offer: (job: String, worker: String), _ takes: Bool = true, as identity: String = "robot") {
      let answer = LiveKit.AvailabilityResponse {
        ($0.jobID, $0.available, $0.participantIdentity) = (offer.job, takes, identity)
      }
      dispatcher.answer(answer, from: offer.worker, at: now, time)
    }

    /// Has a job done by the worker to which it is offered.
    func begin() throws -> (job: String, worker: String) {
      let offer = try offer()
      answer(offer)
      dispatcher.appear("robot", in: "demo")
      return offer
    }

    func report(_ status: LiveKit.JobStatus, _ job: (job: String, worker: String)) {
      let update = LiveKit.UpdateJobStatus { ($0.jobID, $0.status) = (job.job, status) }
      dispatcher.update(update, from: job.worker, at: now, time)
    }

    func load(_ load: Float, _ worker: String, isAvailable: Bool = true) {
      let update = LiveKit.UpdateWorkerStatus { ($0.load, $0.status) = (load, isAvailable ? .available : .full) }
      dispatcher.update(worker, update, at: now, time)
    }

    func pass(seconds: Double) {
      let end = now.advanced(microseconds: Int64(seconds * 1_000_000))
      while let next = dispatcher.next, next <= end {
        now = max(now, next)
        dispatcher.advance(to: now, at: time)
      }
      now = end
    }

    func state(_ id: String, _ index: Int = 0) -> AgentJob? { dispatcher.dispatches[id]?.jobs[index] }
    func takeOutputs() -> [AgentDispatcher.Output] { dispatcher.takeOutputs() }
    func add(_ dispatch: AgentDispatch) -> Bool { dispatcher.add(dispatch, at: now, time) }
    func delete(_ id: String, in room: RoomName, at time: Int64) -> AgentDispatch? { dispatcher.delete(id, in: room, at: time) }
    var jobs: [AgentJob] { dispatcher.dispatches(of: "demo").flatMap(\.jobs) }
  }

  @Test("each new room gets one agent of the unnamed workers, and its end ends the job") func automatic() throws {
    let scene = Scene()
    scene.open("before")
    let worker = try scene.worker()
    _ = try scene.worker("named")
    scene.open("demo")
    scene.open("demo")
    let offer = try scene.offer()
    #expect(offer.worker == worker)
    scene.answer(offer)
    let outputs = scene.takeOutputs()
    #expect(
      outputs.contains {
        if case .assign(offer.job, _, let answer, worker) = $0 { answer.participantIdentity == "robot" } else { false }
      })
    scene.dispatcher.close("demo", session: "another", at: 1)
    #expect(scene.jobs.map(\.status) == [.running])
    scene.dispatcher.close("demo", session: "s", at: 1)
    #expect(scene.takeOutputs().first == .terminate(job: offer.job, at: worker))
    #expect(scene.dispatcher.dispatches.isEmpty && scene.dispatcher.counts.ended == [.success: 1])
  }

  @Test("workers for participants and publishers get a job for each, once for each stay") func people() throws {
    let scene = Scene()
    let each = try scene.worker("", .participant)
    let publishers = try scene.worker("", .publisher)
    scene.open("demo")
    scene.meet("ann")
    scene.meet("ann")
    scene.meet("robot", kind: .agent)
    #expect(scene.offers().map(\.worker) == [each])
    scene.meet("ann", publishes: true)
    scene.meet("ann", publishes: true)
    #expect(scene.offers().map(\.worker) == [publishers])
    scene.meet("ann", sid: "PA_again")
    #expect(scene.offers().map(\.worker) == [each])
    let info = try #require(scene.dispatcher.dispatches(of: "demo").first?.info)
    #expect(info.state?.jobs.map(\.type) == [.participant, .publisher, .participant])
    #expect(info.state?.jobs.first?.participant?.identity == "ann")
  }

  @Test("a named agent joins only when it is dispatched, and a room that began with agents gets no others")
  func explicit() throws {
    let scene = Scene()
    let named = try scene.worker("named")
    scene.open("demo")
    #expect(scene.offers().isEmpty)
    let id = scene.dispatch("named")
    #expect(try scene.offer().worker == named)
    #expect(scene.state(id)?.status == .waiting)

    _ = try scene.worker()
    var first = AgentDispatch(agent: "named", room: "other", roomName: "other", session: "s", createdAt: 0)
    first.isFromBeginning = true
    #expect(scene.add(first))
    scene.open("other")
    #expect(scene.offers().map(\.worker) == [named])
    #expect(scene.dispatcher.dispatches(of: "other").count == 1)
  }

  @Test("an agent that was asked before its worker is there comes with it, and each namespace has its own") func late() throws {
    let scene = Scene()
    let id = scene.dispatch("named")
    #expect(scene.takeOutputs() == [.store(id)])
    let role = AgentWorker.Role(agent: "named", namespace: "", kind: .room)
    let worker = try scene.worker("named")
    let other = try scene.worker("named", namespace: "b")
    #expect(scene.dispatcher.concerns(role, "demo") && !scene.dispatcher.concerns(role, "other"))
    scene.open("demo")
    #expect(Set(scene.offers().map(\.worker)) == [worker, other])
  }

  @Test("the worker with the lowest load gets the job, and none that is full") func load() throws {
    let scene = Scene()
    let workers = try (0..<3).map { _ in try scene.worker("a") }
    for (load, worker) in zip([0.5, 0.2, 0.1], workers) { scene.load(Float(load), worker) }
    scene.load(0.1, workers[2], isAvailable: false)
    _ = scene.dispatch("a")
    #expect(try scene.offer().worker == workers[1])
    for worker in workers { scene.load(.nan, worker, isAvailable: false) }
    let id = scene.dispatch("a")
    #expect(scene.offers().isEmpty && scene.state(id)?.state.reason == .noCapacity)
    scene.load(0.9, workers[0])
    #expect(try scene.offer().worker == workers[0])
  }

  @Test("equal workers share jobs, and one has a bounded number of offers at a time") func bounded() throws {
    let scene = Scene()
    let workers = try (0..<2).map { _ in try scene.worker("a") }
    for index in 0..<20 { _ = scene.dispatch("a", to: RoomName("r\(index)")) }
    let offers = scene.offers()
    for worker in workers { #expect(offers.count { $0.worker == worker } == AgentWorker.maximumOffers) }
    scene.answer(offers[0])
    #expect(try scene.offer().worker == offers[0].worker)
  }

  @Test("a job that is declined, or not answered, is offered to another worker, and later again") func declined() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    _ = try scene.worker("a")
    let id = scene.dispatch("a")
    let first = try scene.offer()
    scene.answer(first, false)
    let second = try scene.offer()
    #expect(second.worker != first.worker)
    scene.pass(seconds: 10)
    #expect(scene.offers().isEmpty)
    // Too late: the offer is withdrawn.
    scene.answer(second)
    #expect(scene.state(id)?.status == .waiting)
    scene.pass(seconds: 10)
    #expect(try scene.offer().worker == second.worker)
    #expect(scene.dispatcher.counts.declined == 1 && scene.dispatcher.counts.unanswered == 1)
    scene.answer((second.job, second.worker), as: "@room")
    #expect(scene.dispatcher.counts.declined == 2)
    let third = try scene.worker("a")
    #expect(try scene.offer().worker == third)
  }

  @Test("a job that waits for a silent worker goes to one that registers meanwhile") func silent() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    _ = scene.dispatch("a")
    let offer = try scene.offer()
    scene.pass(seconds: 15)
    #expect(scene.offers().isEmpty)
    let other = try scene.worker("a")
    #expect(try scene.offer() == (offer.job, other))
  }

  @Test("a worker may end a job that it is offered") func terminated() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    let id = scene.dispatch("a")
    let offer = try scene.offer()
    let answer = LiveKit.AvailabilityResponse { ($0.jobID, $0.terminate) = (offer.job, true) }
    scene.dispatcher.answer(answer, from: offer.worker, at: scene.now, 5)
    #expect(scene.state(id)?.status == .success && scene.state(id)?.endedAt == 5)
    scene.pass(seconds: 60)
    #expect(scene.offers().isEmpty)
  }

  @Test("a failed job starts again after a pause, a few times; not if the dispatch says never") func failures() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    let id = scene.dispatch("a")
    for failures in 0..<3 {
      scene.report(.failed, try scene.begin())
      #expect(scene.state(id)?.state.reason == .retrying)
      scene.pass(seconds: Double(1 << failures) - 0.1)
      #expect(scene.offers().isEmpty)
      scene.pass(seconds: 0.2)
    }
    scene.report(.failed, try scene.begin())
    #expect(scene.state(id)?.status == .failed && scene.dispatcher.counts.restarts == 3)

    let never = scene.dispatch("a", restarts: false)
    scene.report(.failed, try scene.begin())
    #expect(scene.state(never)?.status == .failed)
    let done = scene.dispatch("a")
    scene.report(.success, try scene.begin())
    #expect(scene.state(done)?.status == .success)
    #expect(scene.dispatcher.workers.values.allSatisfy { $0.running.isEmpty && $0.offered.isEmpty })
  }

  @Test("the agent of a lost worker continues; when it leaves, another worker does the job") func lostWorker() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    let id = scene.dispatch("a")
    let first = try scene.begin()
    scene.dispatcher.lose(first.worker, at: scene.now, 0)
    let other = try scene.worker("a")
    scene.pass(seconds: 600)
    #expect(scene.state(id)?.status == .running && scene.offers().isEmpty)
    scene.dispatcher.leave("robot", "demo", isRemoved: false, at: scene.now, 0)
    scene.pass(seconds: 1)
    #expect(try scene.offer() == (first.job, other))
  }

  @Test("the job of a worker that is lost before its agent joins goes to another after a time, an offer at once")
  func lostEarly() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    _ = scene.dispatch("a")
    let offer = try scene.offer()
    let second = try scene.worker("a")
    scene.dispatcher.lose(offer.worker, at: scene.now, 0)
    let again = try scene.offer()
    #expect(again == (offer.job, second))
    scene.answer(again)
    let third = try scene.worker("a")
    scene.dispatcher.lose(second, at: scene.now, 0)
    scene.pass(seconds: 9.9)
    #expect(scene.offers().isEmpty)
    scene.pass(seconds: 1.2)
    #expect(try scene.offer() == (offer.job, third))
  }

  @Test("a worker that returns has its jobs again, and ends those that another has by now") func migration() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    let id = scene.dispatch("a")
    let job = try scene.begin()
    scene.dispatcher.lose(job.worker, at: scene.now, 0)
    let returned = try scene.worker("a")
    let stranger = try scene.worker("b")
    scene.dispatcher.migrate([job.job], to: stranger)
    #expect(scene.takeOutputs().last == .terminate(job: job.job, at: stranger))
    scene.dispatcher.migrate([job.job, "AJ_unknown"], to: returned)
    #expect(scene.takeOutputs().contains(.terminate(job: "AJ_unknown", at: returned)))
    #expect(scene.state(id)?.worker == returned)
    scene.report(.success, (job.job, stranger))
    #expect(scene.state(id)?.status == .running)
    scene.report(.success, (job.job, returned))
    #expect(scene.state(id)?.status == .success)
  }

  @Test("an agent that leaves may return; if its worker does not say why, the job has failed") func leaves() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    let id = scene.dispatch("a")
    let job = try scene.begin()
    scene.dispatcher.leave("robot", "demo", isRemoved: false, at: scene.now, 0)
    scene.pass(seconds: 5)
    scene.dispatcher.appear("robot", in: "demo")
    scene.pass(seconds: 60)
    #expect(scene.state(id)?.status == .running)
    scene.dispatcher.leave("robot", "demo", isRemoved: false, at: scene.now, 0)
    scene.pass(seconds: 10)
    #expect(scene.takeOutputs().contains(.terminate(job: job.job, at: job.worker)))
    #expect(scene.state(id)?.status == .failed)
  }

  @Test("deleting a dispatch ends its jobs, also of an agent whose worker is gone") func deleted() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    let (first, second) = (scene.dispatch("a"), scene.dispatch("a"))
    let offers = scene.offers()
    scene.answer(offers[0], as: "one")
    scene.answer(offers[1], as: "two")
    for agent in ["one", "two"] as [UserID] { scene.dispatcher.appear(agent, in: "demo") }
    _ = scene.takeOutputs()
    #expect(scene.delete(first, in: "other", at: 0) == nil)
    let deleted = try #require(scene.delete(first, in: "demo", at: 7))
    #expect(deleted.jobs.first?.state.reason == .dispatchDeleted && deleted.jobs.first?.endedAt == 7)
    #expect(scene.takeOutputs().first == .terminate(job: offers[0].job, at: offers[0].worker))
    scene.dispatcher.lose(offers[0].worker, at: scene.now, 0)
    _ = scene.delete(second, in: "demo", at: 7)
    #expect(scene.takeOutputs().contains(.remove(identity: "two", from: "demo")))
    #expect(scene.dispatcher.isIdle && scene.dispatcher.next == nil)
  }

  @Test("after a restart of the server an agent has time to return, and then its job starts again") func restored() throws {
    let scene = Scene()
    _ = try scene.worker("a")
    let (running, waiting) = (scene.dispatch("a"), scene.dispatch("b"))
    let job = try scene.begin()
    let next = Scene()
    next.dispatcher.restore(
      scene.dispatcher.dispatches(of: "demo"), at: next.now, next.time)
    let worker = try next.worker("a")
    next.open("demo")
    #expect(next.offers().isEmpty)
    next.dispatcher.appear("robot", in: "demo")
    next.pass(seconds: 600)
    #expect(next.state(running)?.status == .running && next.state(running)?.id == job.job)
    #expect(next.dispatcher.dispatches[waiting]?.jobs.isEmpty == true)

    let absent = Scene()
    absent.dispatcher.restore(scene.dispatcher.dispatches(of: "demo"), at: absent.now, absent.time)
    let other = try absent.worker("a")
    absent.pass(seconds: 29)
    #expect(absent.offers().isEmpty)
    absent.pass(seconds: 3)
    #expect(try absent.offer() == (job.job, other))
    #expect(worker != other)
  }

  @Test("workers, dispatches and jobs have limits") func limits() throws {
    var limits = AgentDispatcher.Limits()
    (limits.workers, limits.jobs, limits.dispatchesPerRoom) = (1, 2, 3)
    let scene = Scene(limits)
    _ = try scene.worker("a")
    let refused = scene.dispatcher.register(AgentWorker.Role(agent: "a", namespace: "", kind: .room))
    #expect(refused == nil)
    for _ in 0..<3 { _ = scene.dispatch("a") }
    #expect(scene.jobs.count == 2)
    let excess = AgentDispatch(agent: "a", room: "demo", roomName: "demo", session: "s", createdAt: 0)
    #expect(!scene.add(excess))
    #expect(scene.dispatcher.counts.refused == 3)
  }

  @Test("whatever workers say and rooms do, the books of workers and jobs agree") func walk() {
    // A linear congruential generator.
    var state: UInt64 = 1
    func next(_ count: UInt64) -> UInt8 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8((state >> 33) % count)
    }
    for _ in 0..<2000 {
      let steps = (0..<60).flatMap { _ -> [UInt8] in
        let length = next(4) + 1
        return [length, next(9)] + [UInt8](repeating: 0, count: Int(length) - 1)
      }
      steps.withUnsafeBytes { fuzzAgents($0) }
    }
  }

  @Test("a dispatch keeps a bounded number of jobs that have ended") func kept() throws {
    let scene = Scene()
    _ = try scene.worker("", .participant)
    scene.open("demo")
    for index in 0..<50 {
      scene.meet("p\(index)")
      scene.report(.success, try scene.begin())
    }
    #expect(scene.jobs.count == AgentDispatch.keptJobs && scene.dispatcher.counts.ended == [.success: 50])
  }
}
