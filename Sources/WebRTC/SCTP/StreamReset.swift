import RoomRTP

/// Resets of streams by RE-CONFIG (RFC 6525): requests of this side, one at a time, and answers to those of the other side.
///
/// Of its requests only Outgoing SSN Reset exists in data channels (RFC 8831 §6.7); others are denied.
struct StreamReset {
  enum Parameter {
    static let outgoing: UInt16 = 13
    static let incoming: UInt16 = 14
    static let all: UInt16 = 15
    static let response: UInt16 = 16
    static let addOutgoing: UInt16 = 17
    static let addIncoming: UInt16 = 18
  }

  enum Result: UInt32 {
    case nothingToDo = 0, performed, denied, wrongNumber, alreadyInProgress, badSequence, inProgress
  }

  /// What a received chunk means.
  enum Outcome {
    /// The other side reset these streams; all if empty.
    case remote([UInt16])
    case local([UInt16], isAccepted: Bool)
  }

  private struct Request {
    var sequence: UInt32
    var lastTSN: TSN
    var streams: [UInt16]
    /// When the request is repeated; nil if it was not yet sent.
    var deadline: Instant?
  }

  /// As many streams as fit into one packet beside other chunks.
  private static let maximumStreams = 256

  private var pending: Set<UInt16> = []
  private var request: Request?
  private var nextSequence: UInt32
  /// The next sequence number of the other side's requests, and the answer to the last one.
  private var expected: UInt32
  private var lastResult = Result.nothingToDo
  /// Answers that are not yet sent.
  private var answers: [(sequence: UInt32, result: Result)] = []

  init(local: TSN, remote: TSN) {
    nextSequence = local.rawValue
    expected = remote.rawValue
  }

  /// The streams that wait for their messages to be sent.
  var isWaiting: Bool { !pending.isEmpty && request == nil }
  var deadline: Instant? { request?.deadline }
  var isDue: Bool { !answers.isEmpty || (request != nil && request?.deadline == nil) }

  mutating func add(_ streams: [UInt16]) { pending.formUnion(streams) }

  /// Makes a request of the streams that are ready, if none is under way.
  mutating func begin(lastTSN: TSN, isReady: (UInt16) -> Bool) {
    guard request == nil, !pending.isEmpty else { return }
    let ready = pending.filter(isReady).sorted().prefix(Self.maximumStreams)
    guard !ready.isEmpty else { return }
    pending.subtract(ready)
    request = Request(sequence: nextSequence, lastTSN: lastTSN, streams: Array(ready))
    nextSequence &+= 1
  }

  /// Repeats the request if its time has come; returns whether it has.
  mutating func expire(now: Instant) -> Bool {
    guard let due = request?.deadline, due <= now else { return false }
    request?.deadline = nil
    return true
  }

  /// Writes what is due, as RE-CONFIG chunks.
  mutating func write(to writer: inout SCTPWriter, now: Instant, timeout: Int64) {
    for answer in answers {
      writer.chunk(.reconfiguration) { writer in
        writer.parameter(Parameter.response) { writer in
          writer.append(answer.sequence)
          writer.append(answer.result.rawValue)
        }
      }
    }
    answers.removeAll()
    guard let due = request, due.deadline == nil, writer.space >= 20 + due.streams.count * 2 + 3 else { return }
    request?.deadline = now.advanced(microseconds: timeout)
    writer.chunk(.reconfiguration) { writer in
      writer.parameter(Parameter.outgoing) { writer in
        writer.append(due.sequence)
        writer.append(expected &- 1)
        writer.append(due.lastTSN.rawValue)
        for stream in due.streams { writer.append(stream) }
      }
    }
  }

  /// Processes a RE-CONFIG chunk: at most two parameters (RFC 6525 §3.1).
  mutating func receive(_ chunk: SCTPChunk, cumulative: TSN, now: Instant, timeout: Int64) -> [Outcome] {
    var outcomes: [Outcome] = []
    for parameter in TLVSequence<SCTPParameter>(chunk.value).prefix(2) {
      let value = parameter.value
      guard value.count >= 4 else { continue }
      let sequence = value.bigEndian32(at: 0)
      switch parameter.type {
      case Parameter.response where value.count >= 8:
        if let outcome = receiveResponse(sequence, value.bigEndian32(at: 4), now, timeout) { outcomes.append(outcome) }
      case Parameter.outgoing where value.count >= 12:
        let streams = stride(from: 12, to: value.count - 1, by: 2).map { value.bigEndian16(at: $0) }
        let isComplete = TSN(value.bigEndian32(at: 8)).distance(from: cumulative) <= 0
        if answer(sequence, isComplete ? .performed : .inProgress) { outcomes.append(.remote(streams)) }
      case Parameter.incoming, Parameter.all, Parameter.addOutgoing, Parameter.addIncoming:
        _ = answer(sequence, .denied)
      default: break
      }
    }
    return outcomes
  }

  /// Answers a request of the other side. Returns whether it is performed now. A repetition gets the same answer, unless the first
  /// was "in progress".
  private mutating func answer(_ sequence: UInt32, _ result: Result) -> Bool {
    guard answers.count < 4 else { return false }
    let isNew = sequence == expected
    guard isNew || sequence == expected &- 1 else {
      answers.append((sequence, .badSequence))
      return false
    }
    let isOpen = isNew || lastResult == .inProgress
    if isNew { expected &+= 1 }
    if isOpen { lastResult = result }
    answers.append((sequence, lastResult))
    return isOpen && result == .performed
  }

  private mutating func receiveResponse(_ sequence: UInt32, _ code: UInt32, _ now: Instant, _ timeout: Int64) -> Outcome? {
    guard let current = request, current.sequence == sequence, current.deadline != nil else { return nil }
    switch Result(rawValue: code) {
    case .inProgress:
      request?.deadline = now.advanced(microseconds: timeout)
      return nil
    case .performed, .nothingToDo:
      request = nil
      return .local(current.streams, isAccepted: true)
    default:
      request = nil
      return .local(current.streams, isAccepted: false)
    }
  }
}
