import RoomCLinux
import Dispatch
import Glibc
import RoomLinkModel
import Synchronization

/// State shared by a link's owner and its thread.
final class LinkControl: Sendable {
  struct Lane: Sendable {
    var model: LinkModel
    var counters = LossyLink.Counters()
  }

  struct State: Sendable {
    var toTarget: Lane
    var toClient: Lane
    var stopping = false

    subscript(direction: LossyLink.Direction) -> Lane {
      get { direction == .toTarget ? toTarget : toClient }
      set {
        switch direction {
        case .toTarget: toTarget = newValue
        case .toClient: toClient = newValue
        }
      }
    }
  }

  let state: Mutex<State>
  /// An eventfd that interrupts the thread's wait.
  let wake: Int32
  let finished = DispatchSemaphore(value: 0)

  init(toTarget: LinkModel, toClient: LinkModel, wake: Int32) {
    state = Mutex(State(toTarget: Lane(model: toTarget), toClient: Lane(model: toClient)))
    self.wake = wake
  }

  deinit { close(wake) }

  var isStopping: Bool { state.withLock { $0.stopping } }

  /// Returns when the thread has ended; further calls do nothing.
  func stop() {
    let first = state.withLock { state in
      defer { state.stopping = true }
      return !state.stopping
    }
    guard first else { return }
    linux_eventfd_signal(wake)
    finished.wait()
  }
}
