import RoomLiveOrigin

/// Is notified when encoders begin and end to publish streams of the origin. The observer's functions are called on threads of
/// the origin, in order for each stream, and must not block.
package struct EncoderObserver: Sendable {
  package typealias Began = @Sendable (_ path: StreamPath, _ address: String) -> Void
  package typealias Ended = @Sendable (_ path: StreamPath) -> Void

  let began: Began
  let ended: Ended

  package init(began: @escaping Began, ended: @escaping Ended) { (self.began, self.ended) = (began, ended) }
}
