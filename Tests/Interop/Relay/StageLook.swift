import RoomCodecs

/// Who is visible in a picture of the stage, and whose clocks it shows.
///
/// The pictures of single users have 320x180 pixels. Compositions have 640x360: two frames of 320x180 side by side in the middle,
/// so that the clocks stay legible, and below them the users that a PK moves aside.
struct StageLook {
  /// The users by their colours: "host", "host|guest", or "host|peer+guest".
  let label: String
  /// The frame numbers by user, of those whose clock is legible.
  let clocks: [String: UInt16]

  static let users = ["host", "guest", "peer"]

  init(_ picture: VideoFrame) {
    guard picture.width > 320 else {
      let user = Self.user(picture, x: 4, y: picture.height * 6 / 10)
      label = user
      clocks = Self.clock(picture).map { [user: $0] } ?? [:]
      return
    }
    let halves = [0, 320].map { left in
      (user: Self.user(picture, x: left + 4, y: 90 + 108), clock: Self.crop(picture, left: left, top: 90).flatMap(Self.clock))
    }
    let aside = Self.user(picture, x: 12, y: 310)
    label = halves.map(\.user).joined(separator: "|") + (aside == "none" ? "" : "+\(aside)")
    clocks = Dictionary(halves.compactMap { half in half.clock.map { (half.user, $0) } }) { first, _ in first }
  }

  private static func clock(_ picture: VideoFrame) -> UInt16? { ClockBlocks.read(picture)?.frame }

  /// Returns the user whose pattern has this colour.
  private static func user(_ picture: VideoFrame, x: Int, y: Int) -> String {
    let (u, v) = picture.withPlanes { planes in
      let place = min(y / 2, planes.chromaHeight - 1) * planes.chromaStride + min(x / 2, planes.chromaWidth - 1)
      return (Int(planes.u[place]), Int(planes.v[place]))
    }
    for (index, name) in users.enumerated() {
      let colour = TestPattern.colours[index]
      if abs(u - Int(colour.u)) < 20, abs(v - Int(colour.v)) < 20 { return name }
    }
    return "none"
  }

  private static func crop(_ picture: VideoFrame, left: Int, top: Int) -> VideoFrame? {
    guard var part = try? VideoFrame(width: 320, height: 180, timestamp: picture.timestamp) else { return nil }
    picture.withPlanes { whole in
      part.withMutablePlanes { planes in
        for row in 0..<180 {
          for column in 0..<320 {
            planes.y[row * planes.yStride + column] = whole.y[(top + row) * whole.yStride + left + column]
          }
        }
      }
    }
    return part
  }
}

/// The looks of a stream in order.
struct StageLooks {
  private(set) var labels: [String] = []
  /// The number of consecutive pictures with each label.
  private(set) var runs: [Int] = []
  /// Pictures of a composition in which the clock of a user did not advance for over half a second, by user.
  private(set) var frozen: [String: Int] = [:]
  private(set) var pictures = 0
  private(set) var compositions = 0
  /// Compositions in which both clocks were legible.
  private(set) var legible = 0
  private var clocks: [String: (frame: UInt16, pictures: Int)] = [:]

  mutating func add(_ look: StageLook) {
    pictures += 1
    if labels.last != look.label {
      labels.append(look.label)
      runs.append(0)
    }
    runs[runs.count - 1] += 1
    if look.label.contains("|") { compositions += 1 }
    if look.clocks.count == 2 { legible += 1 }
    for (user, frame) in look.clocks {
      if let last = clocks[user], last.frame == frame {
        clocks[user] = (frame, last.pictures + 1)
        if last.pictures > 8 { frozen[user, default: 0] += 1 }
      } else {
        clocks[user] = (frame, 0)
      }
    }
  }

  /// The looks without those in which a user was missing: a picture or a frame may be empty for a moment.
  var shown: [String] {
    var shown: [String] = []
    for label in labels where !label.contains("none") && label != shown.last { shown.append(label) }
    return shown
  }
}
