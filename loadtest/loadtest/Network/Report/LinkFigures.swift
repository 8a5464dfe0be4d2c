import RoomLinkModel
import RoomLossyLink

/// The figures of the direction that has the bottleneck.
enum LinkFigures {
  /// Seconds at the start that the offered share leaves out: a sender needs them to learn the rate.
  static let learning = 3.0

  /// - Parameters:
  ///   - report: the record of a measurement window.
  ///   - isUp: whether packets to the near side are counted.
  static func figures(_ report: LinkReport, _ schedule: LinkSchedule, isUp: Bool = false) -> [NetworkFigure: Double] {
    let direction = isUp ? report.up : report.down
    var figures: [NetworkFigure: Double] = [
      .queueP50: direction.queueP50, .queueP95: direction.queueP95, .lateness: report.latenessP99,
      .media: Double(direction.deliveredBytes) * 8 / 1000 / max(report.seconds, 0.001),
    ]
    figures[.offered] = offered(direction.slots, schedule, isUp: isUp)
    return figures
  }

  /// Returns the bytes sent into the link as a percentage of what it could carry; nil if its rate is not limited.
  static func offered(_ slots: [LinkLog.Slot], _ schedule: LinkSchedule, isUp: Bool) -> Double? {
    let seconds = Double(LinkLog.slot) / 1_000_000
    var (sent, capacity) = (0.0, 0.0)
    for (index, slot) in slots.enumerated().dropFirst(Int(learning / seconds)) {
      let step = schedule.step(at: Int64(index) * LinkLog.slot)
      guard let rate = (isUp ? step.up : step.down).rate else { continue }
      sent += Double(slot.offered)
      capacity += Double(rate) / 8 * seconds
    }
    return capacity > 0 ? sent / capacity * 100 : nil
  }
}
