import RoomCClient
import RoomClient

@c @implementation
public func rc_attributes_change(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let params = try RoomClientLibrary.json(json, "json", as: AttributeParams.self)
    return { room in try await room.attributes.change(set: params.set, remove: params.remove) }
  }
}

@c @implementation
public func rc_jobs_start_forward(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let params = try RoomClientLibrary.json(json, "json", as: ForwardParams.self)
    return { room in try await room.jobs.start(params) }
  }
}

@c @implementation
public func rc_jobs_start_merge(
  _ room: OpaquePointer?, _ json: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  fetch(room, done, context) {
    let params = try RoomClientLibrary.json(json, "json", as: MergeParams.self)
    return { room in try await room.jobs.start(params) }
  }
}

@c @implementation
public func rc_jobs_set_layouts(
  _ room: OpaquePointer?, _ jobId: UnsafePointer<CChar>?, _ json: UnsafePointer<CChar>?, _ done: rc_done?,
  _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let job = JobID(try text(jobId, "job_id"))
    let params = try RoomClientLibrary.json(json, "json", as: [TrackLayout].self)
    return { room in try await room.jobs.setLayouts(params, of: job) }
  }
}

@c @implementation
public func rc_jobs_stop(
  _ room: OpaquePointer?, _ jobId: UnsafePointer<CChar>?, _ done: rc_done?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  perform(room, done, context) {
    let job = JobID(try text(jobId, "job_id"))
    return { room in try await room.jobs.stop(job) }
  }
}
