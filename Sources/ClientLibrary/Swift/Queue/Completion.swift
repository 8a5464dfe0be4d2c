import RoomCClient

/// The answer to a call of the app.
struct Answer: Sendable {
  var status: Int32
  var message = ""
  var json: String?

  static func success(_ json: String? = nil) -> Answer { Answer(status: Int32(RC_OK), json: json) }

  init(status: Int32, message: String = "", json: String? = nil) {
    self.status = status
    self.message = message
    self.json = json
  }

  init(_ error: any Error) {
    let refusal = Refusal(error)
    self.init(status: refusal.status, message: refusal.message)
  }
}

/// The callback of a call.
///
/// Unchecked because of the context pointer: it is never read here, only passed to the callback, on the thread that the app
/// chose. A C function has no state.
struct Completion: @unchecked Sendable {
  private let done: rc_done?
  private let context: UnsafeMutableRawPointer?

  init(_ done: rc_done?, _ context: UnsafeMutableRawPointer?) {
    self.done = done
    self.context = context
  }

  func call(_ answer: Answer) {
    guard let done else { return }
    answer.message.withCString { message in
      if let json = answer.json {
        json.withCString { done(context, answer.status, message, $0) }
      } else {
        done(context, answer.status, message, nil)
      }
    }
  }
}
