import RoomProtocol

/// The picture that the server composes of the users on stage, for broadcasts, recordings and the audience.
///
/// ```swift
/// try await room.stage.set(StagePicture(background: MergeBackground(colour: "#101418"), names: true))
/// try await room.stage.edit { composition in           // before a changed composition is shown
///   var mine = composition
///   mine.texts.append(MergeText(text: "Friday night", x: 24, y: 24))
///   return mine
/// }
/// ```
///
/// Every call needs the `admin` grant. The call throws `RoomError` if the server rejects it, and ``RoomClientError`` if the
/// server cannot be reached.
public struct RoomStage: Sendable {
  let session: RoomSession

  /// The style of the composition; nil before the join. ``RoomEvent/stageChanged(_:)`` announces a change.
  public var style: StagePicture? { session.store.value.room?.stage }

  /// Changes the style at once for all that show the stage.
  /// - Throws: `RoomError` 80204 for an invalid style, or for an image that the room does not have; 10003 without the grant.
  public func set(_ style: StagePicture) async throws { let _: Empty = try await session.request(.setStage(style)) }

  /// Lets this client change each composition before it is shown: when a user sits down or leaves, is muted or shares a screen, or
  /// when a PK begins or ends. The picture of a single user, which is not composed, does not change.
  ///
  /// A room has one editor; a later call, also of another client, replaces it. The editor remains set after a reconnect.
  /// - Parameters:
  ///   - deadline: the time to answer, 50 ms to 2 s. Afterwards the server shows its own composition.
  ///   - change: returns the composition to show; nil for the given one. An invalid composition is ignored.
  /// - Throws: `RoomError` 10003 without the grant, 80204 for an invalid deadline.
  public func edit(
    within deadline: Duration = .milliseconds(300), _ change: @escaping @Sendable (StageComposition) async -> StageComposition?
  ) async throws {
    try await session.edit(CompositionEditing(deadline: Int(deadline.milliseconds), change: change))
  }

  /// Ends the editing: the server shows its own compositions.
  /// - Throws: `RoomError` 10003 without the grant.
  public func stopEditing() async throws { try await session.edit(nil) }
}
