import RoomLinkModel

/// A link, who uses it, and what has to come through.
struct NetworkScenario: Sendable {
  enum Play: Sendable, Equatable {
    /// A publisher near the server, and a browser behind the link.
    case watch
    /// The same, and the browser changes the layer again and again.
    case change
    /// People behind the link who meet, and send their video in one or more sizes. The link may narrow only once all receive each
    /// other.
    case meeting(people: Int, layers: Int = 2, narrows: Bool = false)
    /// Two anchors near the server in a PK, and their audience behind the link.
    case pk(audience: Int)
    /// A publisher behind the link, and a browser near the server.
    case publish
  }

  let name: String
  let about: String
  var play = Play.watch
  /// Length of the measurement window in seconds.
  var seconds = 40.0
  let schedule: LinkSchedule
  /// Whether a TCP flow uses the link too.
  var hasTCP = false
  /// When the link is interrupted, in seconds since the window's start.
  var interruption: ClosedRange<Double>?
  let limits: [NetworkLimit]

  /// All scenarios, in the order of the tables.
  static let all: [NetworkScenario] = watching + others

  /// Returns the scenarios with these names.
  static func named(_ names: [String]) throws(ScenarioError) -> [NetworkScenario] {
    var found: [NetworkScenario] = []
    for name in names {
      guard let scenario = all.first(where: { $0.name == name }) else {
        throw ScenarioError(unknown: "scenario", name, known: all.map(\.name))
      }
      found.append(scenario)
    }
    return found
  }

  /// Whether the recording is published.
  var usesRecording: Bool { play == .watch || play == .change }

  /// The link while people join.
  var joining: LinkSchedule {
    guard case .meeting(_, _, narrows: true) = play else { return schedule }
    var first = schedule.step(at: 0)
    first.down.rate = nil
    return LinkSchedule(down: first.down, up: first.up)
  }

  /// 50 ms in each direction, and a queue of 300 ms before the rate.
  static func path(
    kbps: Int? = nil, loss: Double = 0, burst: Double = 1, jitter: Int64 = 0, delay: Int64 = 50
  ) -> LinkConditions {
    var conditions = LinkConditions(loss: loss, burst: burst, delay: delay * 1000, jitter: jitter * 1000)
    if let kbps { conditions.limit(rate: Int64(kbps) * 1000, queueing: 300) }
    return conditions
  }

  /// The sound must be good everywhere.
  private static let audible = NetworkLimit.most(.concealed, 1)

  private static let watching: [NetworkScenario] = [
    NetworkScenario(
      name: "n1-thin", about: "500 kbit/s for a subscriber of layers of 1200, 400 and 120 kbit/s",
      schedule: LinkSchedule(down: path(kbps: 500), up: path()),
      limits: [
        .most(.frozen, 2), audible, .most(.delayP95, 400), .most(.settled, 3), .most(.resent, 15), .most(.offered, 105),
      ]),
    NetworkScenario(
      name: "n2-steps", about: "RFC 8867 §5.1: 1.0, 2.5, 0.6 and 1.0 Mbit/s", seconds: 100,
      schedule: RFC8867.variableCapacity.schedule(down: path(), up: path()),
      limits: [.most(.frozen, 2), audible, .most(.offered, 105)]),
    loss(5, frozen: 1, concealed: 0.5), loss(10, frozen: 2, concealed: 0.5), loss(20, frozen: 8, concealed: 1.5),
    NetworkScenario(
      name: "n4-burst", about: "5 % of packets lost in bursts of five on 3 Mbit/s",
      schedule: LinkSchedule(down: path(kbps: 3000, loss: 0.05, burst: 5), up: path(loss: 0.05, burst: 5)),
      limits: [.most(.frozen, 2), .most(.concealed, 2)]),
    NetworkScenario(
      name: "n5-tcp", about: "a CUBIC TCP flow on the same 2 Mbit/s",
      schedule: LinkSchedule(down: path(kbps: 2000), up: path()), hasTCP: true,
      limits: [.most(.frozen, 5), audible, .least(.media, 300)]),
    NetworkScenario(
      name: "n8-blackout", about: "nothing passes for 5 s",
      schedule: LinkSchedule([
        .init(at: 0, down: path(kbps: 3000), up: path()),
        .init(at: 15_000_000, down: path(kbps: 3000, loss: 1), up: path(loss: 1)),
        .init(at: 20_000_000, down: path(kbps: 3000), up: path()),
      ]) ?? LinkSchedule(down: path(), up: path()), interruption: 15...20,
      limits: [.most(.soundBack, 0.5), .most(.pictureBack, 1.5)]),
    NetworkScenario(
      name: "n10-jitter", about: "30 ms of jitter on 3 Mbit/s",
      schedule: LinkSchedule(down: path(kbps: 3000, jitter: 30), up: path(jitter: 30)),
      limits: [.most(.frozen, 1), audible, .least(.height, 360)]),
  ]

  private static func loss(_ percent: Int, frozen: Double, concealed: Double) -> NetworkScenario {
    let conditions = path(loss: Double(percent) / 100, delay: 25)
    return NetworkScenario(
      name: "n3-loss-\(percent)", about: "\(percent) % of packets lost in each direction, 50 ms round trip",
      schedule: LinkSchedule(down: conditions, up: conditions), limits: [.most(.frozen, frozen), .most(.concealed, concealed)])
  }

  private static let others: [NetworkScenario] = [
    meeting(3), meeting(6), single, narrowing(3), narrowing(6),
    NetworkScenario(
      name: "n7-uplink", about: "a publisher behind 2.5, 0.5 and 2.5 Mbit/s", play: .publish, seconds: 60,
      schedule: LinkSchedule([
        .init(at: 0, down: path(), up: path(kbps: 2500)), .init(at: 20_000_000, down: path(), up: path(kbps: 500)),
        .init(at: 40_000_000, down: path(), up: path(kbps: 2500)),
      ]) ?? LinkSchedule(down: path(), up: path()),
      limits: [.most(.frozen, 2), audible, .least(.fpsP5, 10)]),
    NetworkScenario(
      name: "n9-pk", about: "two anchors in a PK, and an audience of four behind 1 Mbit/s", play: .pk(audience: 4), seconds: 30,
      schedule: LinkSchedule(down: path(kbps: 1000, delay: 25), up: path(delay: 25)),
      limits: [.most(.waitMax, 2000), .most(.silenceMax, 60), .most(.offered, 105), .most(.resent, 5)]),
    NetworkScenario(
      name: "n12-switches", about: "1000 changes of layer, with 2 % of packets lost in each direction", play: .change,
      seconds: 400, schedule: LinkSchedule(down: path(loss: 0.02, delay: 25), up: path(loss: 0.02, delay: 25)),
      limits: [
        .most(.layerChangesMissed, 0), .most(.longestFreeze, 500), .most(.decoderFaults, 0), .most(.paused, 0),
      ]),
  ]

  private static func meeting(_ people: Int) -> NetworkScenario {
    // The audio of six leaves no room for video.
    let pictures: [NetworkLimit] = people < 6 ? [.least(.fpsP5, 10)] : []
    return NetworkScenario(
      name: "n6-meeting-\(people)", about: "\(people) people who meet behind 1.5 Mbit/s, each with 300 kbit/s of video",
      play: .meeting(people: people), seconds: 30, schedule: meetingLink,
      limits: pictures + [
        .most(.stillMax, 0), .most(.silenceMax, 60), .most(.soundDelayP95, people < 6 ? 150 : 200), .most(.offered, 105),
        .most(.resent, 5),
      ])
  }

  private static let single = NetworkScenario(
    name: "n6-single-3", about: "three people who meet behind 1.5 Mbit/s, each with one layer of 300 kbit/s of video",
    play: .meeting(people: 3, layers: 1), seconds: 40, schedule: meetingLink,
    limits: [
      .most(.stillMax, 0), .most(.silenceMax, 60), .most(.soundDelayP95, 150), .most(.offered, 105), .most(.resent, 5),
    ])

  private static func narrowing(_ people: Int) -> NetworkScenario {
    NetworkScenario(
      name: "n6-narrowing-\(people)", about: "the same, but the link has no limit until all receive each other",
      play: .meeting(people: people, narrows: true), seconds: 30, schedule: meetingLink,
      limits: [.most(.waitMax, 2000), .most(.soundDelayP95, 400), .most(.offered, 105), .most(.resent, 5)])
  }

  private static let meetingLink = LinkSchedule(down: path(kbps: 1500, delay: 25), up: path(delay: 25))
}
