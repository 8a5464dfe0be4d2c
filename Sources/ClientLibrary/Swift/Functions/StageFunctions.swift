import RoomCClient
import RoomClient

@c @implementation
public func rc_stage_set(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let params = try RoomClientLibrary.json(json, "json", as: StagePicture.self)
    return { room in try await room.stage.set(params) }
  }
}

@c @implementation
public func rc_stage_edit(
  _ room: OpaquePointer?, _ deadline: Int32, _ onComposition: rc_on_composition?, _ editContext: UnsafeMutableRawPointer?,
  _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let handle = try RoomHandle.named(room)
    let callback = try Callback(onComposition, editContext)
    let deadline = Duration.milliseconds(try integer(deadline, "deadline_ms", in: 50...2000))
    let delivery = Delivery(handle.queue)
    return { room in
      try await room.stage.edit(within: deadline) { await callback.compose($0, on: delivery) }
      handle.setEditing(delivery)
    }
  }
}

@c @implementation
public func rc_stage_stop_editing(
  _ room: OpaquePointer?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let handle = try RoomHandle.named(room)
    return { room in
      try await room.stage.stopEditing()
      handle.setEditing(nil)
    }
  }
}

@c @implementation
public func rc_composition_set(_ composition: OpaquePointer?, _ json: UnsafePointer<CChar>?) -> rc_status {
  attempt {
    let answer = try HandleTable.shared.find(composition, CompositionAnswer.self, "composition")
    answer.set(try RoomClientLibrary.json(json, "json", as: StageComposition.self))
  }
}
