import RoomRTP
import Testing

@testable import RoomSFU

@Suite struct PlayoutDelayTests {
  @Test("the delay covers one to three round trips, rises at once and falls after ten seconds")
  func levels() {
    var delay = PlayoutDelay()
    var now = Instant(microseconds: 1_000_000)
    func update(_ loss: Double, roundTrip: Int64? = 50_000, seconds: Int64 = 1) -> Bool {
      now = now.advanced(microseconds: seconds * 1_000_000)
      return delay.update(loss: loss, roundTrip: roundTrip, now: now)
    }
    #expect(!update(0.01) && delay.milliseconds == 0)
    #expect(update(0.02) && delay.milliseconds == 150)
    #expect(update(0.1) && delay.milliseconds == 250)
    #expect(!update(0.1, roundTrip: 60_000), "the round trip is never twice the same")
    #expect(update(0.2) && delay.milliseconds == 350)
    #expect(!update(0.05) && !update(0.05, seconds: 8) && delay.milliseconds == 350)
    #expect(!update(0.2), "loss returned within ten seconds")
    #expect(!update(0) && update(0, seconds: 10) && delay.milliseconds == 0)
    #expect(update(0.3, roundTrip: 2_000_000) && delay.milliseconds == 500)
  }

  @Test("an unknown round trip counts as 100 ms, and hostile reports do not overflow")
  func extremes() {
    for roundTrip in [nil, Int64.max, .min, 0] {
      var delay = PlayoutDelay()
      _ = delay.update(loss: 0.05, roundTrip: roundTrip, now: Instant(microseconds: 0))
      #expect((120...500).contains(delay.milliseconds))
    }
  }
}
