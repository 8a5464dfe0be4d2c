import Testing

@testable import RoomEngine

@Suite("When a client with a single connection is asked for an offer")
struct LineRequestsTests {
  private var requests = LineRequests()

  @Test("its first offer comes by itself; then one request is open at a time") mutating func order() {
    requests.wanted()
    #expect(requests.next(missing: [.audio]) == nil)
    requests.answered(free: [:], available: 40, isComplete: false)
    #expect(requests.next(missing: [.audio, .video, .video]) == LineRequest(audio: 1, video: 2))
    #expect(requests.next(missing: [.audio, .video, .video]) == nil)
    requests.repeatLast()
    #expect(requests.next(missing: [.audio]) == LineRequest(audio: 1, video: 0))
    requests.answered(free: [:], available: 40, isComplete: true)
    #expect(requests.next(missing: []) == nil)
  }

  @Test("m-lines that it has are not requested again, but an offer is") mutating func free() {
    requests.answered(free: [.video: 2], available: 40, isComplete: true)
    #expect(requests.next(missing: [.video]) == LineRequest(audio: 0, video: 0))
  }

  @Test("an offer is requested for a track that ended") mutating func vacated() {
    requests.answered(free: [:], available: 40, isComplete: true)
    requests.vacated()
    #expect(requests.next(missing: []) == LineRequest(audio: 0, video: 0))
    requests.answered(free: [.audio: 1], available: 40, isComplete: true)
    #expect(requests.next(missing: []) == nil)
  }

  @Test("a client that never offers the m-lines is asked four times, and again for the next track") mutating func attempts() {
    requests.wanted()
    requests.answered(free: [:], available: 40, isComplete: false)
    for _ in 0..<4 {
      #expect(requests.next(missing: [.audio]) != nil)
      requests.answered(free: [:], available: 40, isComplete: false)
    }
    #expect(requests.next(missing: [.audio]) == nil)
    requests.wanted()
    #expect(requests.next(missing: [.audio]) != nil)
  }

  @Test("no more m-lines are requested than the connection may have") mutating func available() {
    requests.answered(free: [:], available: 3, isComplete: false)
    #expect(requests.next(missing: [.audio, .audio, .video, .video]) == LineRequest(audio: 2, video: 1))
  }

  @Test("at most sixteen m-lines of a kind are requested at once") mutating func most() {
    requests.answered(free: [:], available: 40, isComplete: false)
    #expect(requests.next(missing: Array(repeating: .video, count: 40)) == LineRequest(audio: 0, video: 16))
  }
}
