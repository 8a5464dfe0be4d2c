import Testing

@testable import Rooms

@Suite("Which tracks are wanted")
struct SubscriptionPlanTests {
  @Test("what was said of a track counts more than of its user, and that more than the default")
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

  @Test("a word on a user counts for what was said of its tracks before")
  func userOverTracks() {
    var plan = SubscriptionPlan(automatic: true)
    plan.set(false, track: "a1")
    plan.set(true, user: "a", existing: ["a1"])
    #expect(plan.wants(track: "a1", of: "a"))
  }

  @Test("a track that failed is wanted again when asked for")
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

  @Test("an automatic track waits for its confirmation; one that was asked for does not")
  func confirmation() {
    var plan = SubscriptionPlan(automatic: true, confirms: true)
    #expect(!plan.wants(track: "a1", of: "a"))
    plan.confirm(track: "a1")
    #expect(plan.wants(track: "a1", of: "a"))
    #expect(!plan.wants(track: "a1", of: "a", automatic: false), "confirmed is not asked for")
    #expect(!plan.wants(track: "a2", of: "a"))
    plan.set(true, track: "a2")
    #expect(plan.wants(track: "a2", of: "a"))
    plan.set(false, track: "a1")
    #expect(!plan.wants(track: "a1", of: "a"))
    plan.forget(track: "a1")
    #expect(!plan.wants(track: "a1", of: "a"), "the next track of that id is another")
  }

  @Test("what is forgotten is as never said")
  func forget() {
    var plan = SubscriptionPlan(automatic: true)
    plan.set(false, track: "t")
    plan.set(false, user: "u", existing: [])
    plan.forget(track: "t")
    plan.forget(user: "u")
    #expect(plan == SubscriptionPlan(automatic: true))
  }
}
