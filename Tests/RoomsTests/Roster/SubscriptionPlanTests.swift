import Testing

@testable import RoomEngine

@Suite("Subscription plans")
struct SubscriptionPlanTests {
  @Test("a choice for a track precedes one for its user, which precedes the default")
  func precedence() {
    var plan = SubscriptionPlan(automatic: false)
    #expect(!plan.wants(track: "a1", of: "a"))
    plan.set(true, user: "a", existing: [])
    #expect(plan.wants(track: "a1", of: "a"))
    #expect(!plan.wants(track: "b1", of: "b"))
    plan.set(false, track: "a1")
    #expect(!plan.wants(track: "a1", of: "a"))
    #expect(plan.wants(track: "a2", of: "a"))
  }

  @Test("a choice for a user overrides earlier choices for its tracks")
  func userOverTracks() {
    var plan = SubscriptionPlan(automatic: true)
    plan.set(false, track: "a1")
    plan.set(true, user: "a", existing: ["a1"])
    #expect(plan.wants(track: "a1", of: "a"))
  }

  @Test("a failed track is wanted again after a new request")
  func failure() {
    var plan = SubscriptionPlan(automatic: true)
    plan.fail(track: "t")
    #expect(!plan.wants(track: "t", of: "u"))
    plan.set(true, track: "t")
    #expect(plan.wants(track: "t", of: "u"))
    plan.fail(track: "t")
    plan.retry()
    #expect(plan.wants(track: "t", of: "u"))
  }

  @Test("an automatic track waits for its confirmation; a requested one does not")
  func confirmation() {
    var plan = SubscriptionPlan(automatic: true, confirms: true)
    #expect(!plan.wants(track: "a1", of: "a"))
    plan.confirm(track: "a1")
    #expect(plan.wants(track: "a1", of: "a"))
    #expect(!plan.wants(track: "a1", of: "a", automatic: false), "a confirmed track is not a requested one")
    #expect(!plan.wants(track: "a2", of: "a"))
    plan.set(true, track: "a2")
    #expect(plan.wants(track: "a2", of: "a"))
    plan.set(false, track: "a1")
    #expect(!plan.wants(track: "a1", of: "a"))
    plan.forget(track: "a1")
    #expect(!plan.wants(track: "a1", of: "a"), "the next track with that id is a new one")
  }

  @Test("a forgotten choice has no effect")
  func forget() {
    var plan = SubscriptionPlan(automatic: true)
    plan.set(false, track: "t")
    plan.set(false, user: "u", existing: [])
    plan.forget(track: "t")
    plan.forget(user: "u")
    #expect(plan == SubscriptionPlan(automatic: true))
  }
}
