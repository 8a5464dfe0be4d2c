import RoomCPulse

/// A connection to a sound server. One thread uses it.
final class PulseServer {
  let loop: OpaquePointer
  let context: OpaquePointer

  /// Connects. Blocks until the server answers.
  /// - Parameter server: the address of the sound server; nil for the user's.
  init(_ server: String?) throws(PulseError) {
    guard let loop = pa_mainloop_new() else { throw .unavailable("no main loop") }
    guard let context = pa_context_new(pa_mainloop_get_api(loop), "RoomSound") else {
      pa_mainloop_free(loop)
      throw .unavailable("no context")
    }
    (self.loop, self.context) = (loop, context)
    // From here, deinit frees both.
    guard pa_context_connect(context, server, PA_CONTEXT_NOAUTOSPAWN, nil) >= 0 else { throw error }
    while pa_context_get_state(context) != PA_CONTEXT_READY {
      guard isAlive, pa_mainloop_iterate(loop, 1, nil) >= 0 else { throw error }
    }
  }

  deinit {
    pa_context_disconnect(context)
    pa_context_unref(context)
    pa_mainloop_free(loop)
  }

  var isAlive: Bool {
    let state = pa_context_get_state(context)
    return state != PA_CONTEXT_FAILED && state != PA_CONTEXT_TERMINATED
  }

  var error: PulseError { PulseError(code: pa_context_errno(context)) }
}
