import Testing

@testable import RoomServer

@Suite("Alarms in virtual time")
struct AlarmsTests {
  private static let job = Alarm.Subject(kind: .jobFailing, room: "room", job: "live")
  private static let wall: Int64 = 1_800_000_000_000

  /// Feeds alarms at one time after another.
  private struct Clock {
    var alarms = Alarms()
    var now: Int64 = 0

    mutating func pass(_ seconds: Int64, _ symptoms: [Symptom]) -> [Alarms.Change] {
      now += seconds * 1000
      return alarms.take(symptoms, at: now, wall: AlarmsTests.wall + now)
    }

    mutating func pass(_ seconds: Int64, _ level: Symptom.Level, _ message: String = "bad") -> [Alarms.Change] {
      pass(seconds, [Symptom(subject: AlarmsTests.job, level: level, message: message)])
    }
  }

  @Test("ten bad seconds raise an alarm since their beginning, and ten good ones clear it")
  func raiseAndClear() throws {
    var clock = Clock()
    #expect(clock.pass(100, .bad(.critical)) == [])
    #expect(clock.pass(9, .bad(.critical)) == [])
    #expect(clock.alarms.active == [])
    let alarm = Alarm(subject: Self.job, severity: .critical, since: Self.wall + 100_000, message: "bad")
    #expect(clock.pass(1, .bad(.critical)) == [.raised(alarm)])
    #expect(clock.alarms.active == [alarm])
    #expect(clock.pass(3, .good) == [])
    #expect(clock.pass(9, .good) == [])
    var cleared = alarm
    cleared.clearedAt = Self.wall + 123_000
    #expect(clock.pass(1, .good) == [.cleared(cleared)])
    #expect(clock.alarms.active == [])
    #expect(clock.alarms.cleared == [cleared])
  }

  @Test("a short fault raises nothing, and a short recovery clears nothing")
  func hysteresis() {
    var clock = Clock()
    for _ in 0..<20 {
      #expect(clock.pass(5, .bad(.warning)) == [])
      #expect(clock.pass(5, .good) == [])
    }
    _ = clock.pass(5, .bad(.warning))
    #expect(clock.pass(10, .bad(.warning)).count == 1)
    for _ in 0..<20 {
      #expect(clock.pass(5, .good) == [])
      #expect(clock.pass(5, .bad(.warning)) == [])
    }
    #expect(clock.alarms.active.count == 1)
  }

  @Test("between the thresholds a fault neither begins nor ends")
  func between() {
    var clock = Clock()
    #expect(clock.pass(60, .between) == [])
    #expect(clock.pass(60, .between) == [])
    _ = clock.pass(1, .bad(.warning))
    #expect(clock.pass(6, .between) == [])
    #expect(clock.pass(6, .bad(.warning)).count == 1, "the fault lasted for 12 s")
    _ = clock.pass(6, .good)
    #expect(clock.pass(6, .between) == [])
    #expect(clock.pass(6, .good) == [], "good times begin anew")
    #expect(clock.pass(10, .good).count == 1)
  }

  @Test("an alarm keeps its highest severity and the last bad sentence")
  func severity() {
    var clock = Clock()
    _ = clock.pass(1, .bad(.warning))
    _ = clock.pass(10, .bad(.warning), "91%")
    _ = clock.pass(3, .bad(.critical), "98%")
    _ = clock.pass(3, .bad(.warning), "92%")
    _ = clock.pass(3, .good, "10%")
    #expect(clock.alarms.active.map(\.severity) == [.critical])
    #expect(clock.alarms.active.map(\.message) == ["92%"])
  }

  @Test("the alarm of a job that no longer exists is cleared at once")
  func vanished() {
    var clock = Clock()
    _ = clock.pass(1, .bad(.critical))
    _ = clock.pass(10, .bad(.critical))
    #expect(clock.pass(1, []).count == 1)
    #expect(clock.alarms.active == [])
    // A job of the same name is another one.
    #expect(clock.pass(1, .bad(.critical)) == [])
  }

  @Test("at most 200 alarms are active and 100 cleared ones kept; the others are counted")
  func bounds() {
    func symptoms(_ count: Int) -> [Symptom] {
      (0..<count).map {
        Symptom(subject: .init(kind: .jobFailing, room: "room", job: "\($0)"), level: .bad(.critical), message: "bad")
      }
    }
    var clock = Clock()
    _ = clock.pass(1, symptoms(250))
    #expect(clock.pass(10, symptoms(250)).count == 200)
    #expect(clock.alarms.active.count == 200)
    #expect(clock.alarms.unlisted == 50)
    #expect(clock.pass(1, symptoms(250)) == [], "those without a place raise nothing")
    #expect(clock.pass(1, []).count == 200)
    #expect(clock.alarms.unlisted == 0)
    #expect(clock.alarms.cleared.count == 100)
  }

  @Test("critical alarms come first, then the newest")
  func order() {
    var clock = Clock()
    func symptom(_ job: String, _ severity: Alarm.Severity) -> Symptom {
      Symptom(subject: .init(kind: .jobFailing, room: "room", job: job), level: .bad(severity), message: job)
    }
    let first = [symptom("old", .warning)]
    _ = clock.pass(1, first)
    let all = first + [symptom("new", .warning), symptom("worst", .critical)]
    _ = clock.pass(10, all)
    _ = clock.pass(10, all)
    #expect(clock.alarms.active.map(\.message) == ["worst", "new", "old"])
  }
}
