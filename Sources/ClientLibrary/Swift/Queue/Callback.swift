/// A callback of the app with its context.
///
/// Unchecked because of the context pointer: it is never read here, only passed to the callback, on the thread that the app
/// chose. A C function has no state.
struct Callback<Function>: @unchecked Sendable {
  let function: Function
  let context: UnsafeMutableRawPointer?

  init(_ function: Function?, _ context: UnsafeMutableRawPointer?) throws(Refusal) {
    guard let function else { throw .argument("callback", "is NULL") }
    self.function = function
    self.context = context
  }
}
