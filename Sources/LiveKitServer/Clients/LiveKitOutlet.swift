import NIOCore
import RoomEngine
import RoomLiveKitProtocol
import RoomProtocol
import RoomServer

/// Passes what a room sends to the conversation of a LiveKit client, which translates it.
final class LiveKitOutlet: ValueOutlet {
  /// What a conversation handles, one after the other.
  enum Input: Sendable {
    case message(ByteBuffer)
    case delivery(RoomDelivery)
    /// The outcome of a change of the own profile. It follows the event about the change: clients repeat what they know of
    /// themselves in the next one.
    case profileAnswer(LiveKit.UpdateParticipantMetadata, RoomError?)
    /// The room's state, for the answer to an RPC.
    case state(String, RoomSnapshot)
    /// The room has closed the session.
    case close(CloseReason)
    /// It is time for another token.
    case tokenIsDue
    /// The client is gone.
    case gone
  }

  /// What waits for the conversation, at most. More than a full room sends at once; a conversation that can't keep up is ended.
  static let capacity = 8192

  private let inputs: AsyncStream<Input>.Continuation
  private let overflow: @Sendable () -> Void

  init(_ inputs: AsyncStream<Input>.Continuation, overflow: @escaping @Sendable () -> Void) {
    self.inputs = inputs
    self.overflow = overflow
  }

  func add(_ input: Input) {
    if case .dropped = inputs.yield(input) {
      overflow()
      inputs.finish()
    }
  }

  func deliver(_ value: RoomDelivery) { add(.delivery(value)) }
  func close(_ reason: CloseReason) { add(.close(reason)) }
  /// A room sends this client values only.
  func send(_ message: ByteBuffer) {}
}
