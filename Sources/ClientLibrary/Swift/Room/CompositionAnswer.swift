import RoomCClient
import RoomClient
import Synchronization

/// The app's answer to a composition of the stage. The answer's handle is valid while the callback runs.
final class CompositionAnswer: Handle {
  private let state = Mutex<StageComposition?>(nil)

  /// The composition that the app set; nil for none.
  var composition: StageComposition? { state.withLock { $0 } }

  func set(_ composition: StageComposition) { state.withLock { $0 = composition } }

  func close() {}
}

extension Callback<rc_on_composition> {
  /// Asks the app for the composition to show; nil for the given one.
  func compose(_ composition: StageComposition, on delivery: Delivery) async -> StageComposition? {
    guard let json = try? encoded(composition) else { return nil }
    let answer = CompositionAnswer()
    await delivery.run {
      lend(answer) { handle in json.withCString { function(context, $0, handle) } }
    }
    return answer.composition
  }
}
