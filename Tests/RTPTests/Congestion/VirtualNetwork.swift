import RoomLinkModel
import RoomRTP

/// Links and the flows that share them, in virtual time: nothing waits, and a seed always gives the same run.
final class VirtualNetwork {
  /// The links by index; packets pass one in one direction.
  var links: [LinkModel]
  private var flows: [any Flow] = []
  private var changes: [(at: Int64, change: (VirtualNetwork) -> Void)] = []
  private(set) var now: Int64 = 0
  /// The waiting time at the first link each 10 ms, in microseconds.
  private(set) var queue: [Int32] = []

  init(links: [LinkModel]) { self.links = links }

  /// Creates a network with one bottleneck, and a way back without one.
  convenience init(_ conditions: LinkConditions, seed: UInt64) {
    self.init(links: [LinkModel(conditions, seed: seed), LinkModel(LinkConditions(delay: conditions.delay), seed: seed &+ 1)])
  }

  func add(_ flow: any Flow) { flows.append(flow) }

  /// Changes the network at a time, in seconds.
  func at(_ seconds: Double, _ change: @escaping (VirtualNetwork) -> Void) {
    changes.append((Int64(seconds * 1_000_000), change))
  }

  /// Sets the rate of a link in bits per second, and its queue to the length of `queue` milliseconds.
  func setRate(_ rate: Double, link: Int = 0, queue milliseconds: Double = 300) {
    links[link].conditions.rate = Int64(rate)
    links[link].conditions.queue = Int(rate * milliseconds / 8000)
  }

  /// Sends a packet at `now`. Returns its arrival; nil if it was lost.
  func send(_ bytes: Int, link: Int) -> Int64? {
    switch links[link].send(bytes: bytes, at: Instant(microseconds: now)) {
    case .arrives(let arrival), .arrivesTwice(let arrival, _): arrival.microseconds
    case .lost, .overflowed: nil
    }
  }

  func run(seconds: Double) {
    let end = Int64(seconds * 1_000_000)
    changes.sort { $0.at < $1.at }
    while now < end {
      let sample = Int64(queue.count) * 10_000
      var due = min(sample, changes.first?.at ?? end, end)
      var next: (any Flow)?
      for flow in flows where flow.due < due {
        due = flow.due
        next = flow
      }
      now = max(now, due)
      if let next {
        next.act(in: self)
      } else if let change = changes.first, change.at <= now {
        changes.removeFirst()
        change.change(self)
      } else if sample <= now {
        queue.append(Int32(links[0].wait(at: Instant(microseconds: now))))
      }
    }
  }

  /// The share of samples, as a percentile of the waiting times in milliseconds between two times in seconds.
  func queue(percentile: Double, from: Double, to: Double) -> Double {
    let sorted = queue[Int(from * 100)..<min(Int(to * 100), queue.count)].sorted()
    return Double(sorted[min(Int(Double(sorted.count) * percentile), sorted.count - 1)]) / 1000
  }

  /// The seconds after `from` until the queue stays below `milliseconds` for a second.
  func calm(after from: Double, below milliseconds: Double) -> Double {
    var since = Int(from * 100)
    for index in Int(from * 100)..<queue.count {
      if Double(queue[index]) > milliseconds * 1000 { since = index + 1 }
      if index - since >= 100 { break }
    }
    return Double(since) / 100 - from
  }
}

/// A sender and its receiver.
protocol Flow: AnyObject {
  /// When `act` is due, in microseconds.
  var due: Int64 { get }
  func act(in network: VirtualNetwork)
}

extension CubicFlow: Flow {
  func act(in network: VirtualNetwork) { act(now: network.now) { network.send($0, link: 0) } }
}
