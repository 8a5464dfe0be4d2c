import RoomHTTPServer
import RoomServer

extension AgentDispatcher {
  func addMetrics(to text: inout PrometheusText) {
    text.add("roomserver_agent_workers", .gauge, "Workers of agents that are connected.", workers.count)
    text.add(
      "roomserver_agent_jobs", .gauge, "Jobs of agents that have not ended, by state.", label: "state", jobCounts)
    text.add(
      "roomserver_agent_jobs_ended_total", .counter, "Jobs of agents that have ended, by outcome.", label: "outcome",
      [AgentJob.Status.success, .failed, .cancelled].map { ($0.rawValue, counts.ended[$0] ?? 0) })
    text.add("roomserver_agent_restarts_total", .counter, "Jobs of agents that started again.", counts.restarts)
    text.add(
      "roomserver_agent_offers_total", .counter, "Offers of jobs to workers, by answer.", label: "answer",
      [("accepted", counts.accepted), ("declined", counts.declined), ("none", counts.unanswered)])
    text.add(
      "roomserver_agent_refused_total", .counter, "Workers, jobs and dispatches of agents beyond a limit.", counts.refused)
  }
}
