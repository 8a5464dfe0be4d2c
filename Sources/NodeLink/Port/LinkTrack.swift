public import RoomRTP

/// The records of a stream to send, such as a ring that a media worker fills. Its owner attaches it to a link, and wakes the port
/// when there are new records.
public protocol LinkSource: AnyObject, Sendable {
  /// Passes the oldest record to `body` and removes it. Returns false if there is none. The link sets the stream's number.
  ///
  /// Called on the port's thread for each record, so it allocates and locks nothing.
  func read(_ body: (LinkRecord, UnsafeRawBufferPointer) -> Void) -> Bool

  /// Takes what the other node wants; nil if it wants the stream no more. Called on the port's thread at each change, and at the
  /// start if the other node wants the stream already.
  ///
  /// On a link that carries less than its streams need, a smaller layer is wanted in place of one that is held back, and what is resumed
  /// has a key frame request more.
  func wished(_ wish: StreamWish?)

  /// What the stream is among those of the link. The default is audio.
  var place: StreamPlace { get }
}

extension LinkSource {
  public var place: StreamPlace { .audio }
}

/// The receiver of a stream's records, such as a ring that a media worker reads.
public protocol LinkSink: AnyObject, Sendable {
  /// Takes a record; its bytes are valid during the call. Records may be out of order, but never come twice.
  ///
  /// Called on the port's thread for each record, so it allocates and locks nothing.
  func write(_ record: LinkRecord, _ payload: UnsafeRawBufferPointer)

  /// Called after a group of records.
  func commit()

  /// What the subscribers want now. The port reads it every 5 ms while datagrams arrive, else every 20 ms, and informs the other
  /// node of changes.
  var wish: StreamWish { get }
}
