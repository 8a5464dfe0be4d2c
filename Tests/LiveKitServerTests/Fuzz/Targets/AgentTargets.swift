import NIOCore
import RoomFuzzSupport
import RoomLiveKitProtocol
import RoomProtocol
import RoomRTP

@testable import RoomLiveKitServer

/// Feeds messages of two workers, with what happens in their rooms in between. The books of workers and jobs agree after each.
@Sendable func fuzzAgents(_ bytes: UnsafeRawBufferPointer) {
  var dispatcher = AgentDispatcher(.init())
  var now = Instant(microseconds: 0)
  var workers: [String] = []
  var offered: [String] = []
  func register() {
    let role = AgentWorker.Role(agent: "", namespace: "", kind: .room)
    guard workers.count < 8, let worker = dispatcher.register(role) else { return }
    workers.append(worker.id)
    dispatcher.placeWaiting(role, at: now, 0)
  }
  for _ in 0..<2 { register() }
  for room in ["a", "b"] as [RoomName] { dispatcher.open(room, session: "s", at: now, 0) }
  for piece in pieces(bytes) {
    guard let first = piece.first, let worker = workers.last else { continue }
    switch first {
    case 0: dispatcher.lose(workers.removeFirst(), at: now, 0)
    case 1: register()
    case 2:
      now = now.advanced(microseconds: 5_000_000)
      dispatcher.advance(to: now, at: 0)
    case 3: dispatcher.appear("robot", in: "a")
    case 4: dispatcher.leave("robot", "a", isRemoved: piece.count > 1, at: now, 0)
    case 5: dispatcher.close("b", session: "s", at: 0)
    case 6:
      let answer = LiveKit.AvailabilityResponse {
        ($0.jobID, $0.available, $0.participantIdentity) = (offered.last ?? "", piece.count < 3, "robot")
      }
      dispatcher.answer(answer, from: worker, at: now, 0)
    case 7: dispatcher.migrate(offered, to: worker)
    case 8:
      let update = LiveKit.UpdateJobStatus {
        ($0.jobID, $0.status) = (offered.last ?? "", LiveKit.JobStatus(rawValue: Int32(piece.count)))
      }
      dispatcher.update(update, from: worker, at: now, 0)
    default:
      switch AgentConversation.read(ByteBuffer(bytes: piece)) {
      case .availability(let answer): dispatcher.answer(answer, from: worker, at: now, 0)
      case .updateWorker(let update): dispatcher.update(worker, update, at: now, 0)
      case .updateJob(let update): dispatcher.update(update, from: worker, at: now, 0)
      case .migrateJob(let jobs): dispatcher.migrate(jobs.jobIDs, to: worker)
      default: break
      }
    }
    for case .offer(let job, _, _) in dispatcher.takeOutputs() { offered.append(job) }
    if workers.isEmpty { register() }
    check(dispatcher)
  }
}

private func check(_ dispatcher: AgentDispatcher) {
  for worker in dispatcher.workers.values {
    precondition(worker.offered.count <= AgentWorker.maximumOffers)
    for job in worker.offered { precondition(dispatcher.jobs[job]?.phase == .offered(worker.id)) }
    for job in worker.running {
      let phase = dispatcher.jobs[job]?.phase
      precondition(phase == .running(worker.id) || phase == .leaving(worker.id))
    }
  }
  let open = dispatcher.dispatches.values.flatMap(\.jobs).filter { !$0.isOver }
  precondition(Set(open.map(\.id)) == Set(dispatcher.jobs.keys))
  for job in open { precondition((job.status == .running) == (dispatcher.jobs[job.id]?.phase.isRunning == true)) }
}

extension AgentDispatcher.Phase {
  fileprivate var isRunning: Bool {
    switch self {
    case .running, .leaving, .orphaned: true
    case .waiting, .offered: false
    }
  }
}
