import Foundation

@testable import RoomServer

/// The answers of the history's endpoints.
enum HistoryPages {
  struct Event: Decodable, Equatable {
    var id: Int64
    var time: Int64
    var kind: String
    var room: String?
    var user: String?
    var by: String?
    var job: String?
    var reason: String?
    var detail: String?
  }

  struct Session: Decodable {
    var id: Int64
    var room: String
    var user: String
    var joinedAt: Int64
    var leftAt: Int64?
    var reason: String?
    var by: String?
  }

  struct Live: Decodable {
    var id: Int64
    var room: String?
    var job: String?
    var stream: String?
    var target: String?
    var user: String?
    var startedAt: Int64
    var endedAt: Int64?
    var duration: Int64?
    var reason: String?
    var detail: String?
    var peakViewers: Int?
  }

  struct Events: Decodable {
    var events: [Event]
    var next: String?
  }

  struct Sessions: Decodable {
    var sessions: [Session]
    var next: String?
  }

  struct Lives: Decodable {
    var lives: [Live]
    var next: String?
  }
}

extension TestServer {
  func history(_ query: String = "") async throws -> HistoryPages.Events {
    try await api("GET", "/v1/history/events\(query)").decoded()
  }

  func historySessions(_ query: String = "") async throws -> [HistoryPages.Session] {
    try await api("GET", "/v1/history/sessions\(query)").decoded(HistoryPages.Sessions.self).sessions
  }

  func historyLives(_ query: String = "") async throws -> [HistoryPages.Live] {
    try await api("GET", "/v1/history/lives\(query)").decoded(HistoryPages.Lives.self).lives
  }
}
