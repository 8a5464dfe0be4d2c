import RoomHTTPServer
import RoomProtocol
import RoomEngine

/// Relay jobs over REST.
struct JobsAPI: Sendable {
  let directory: RoomDirectory

  var endpoints: [Endpoint] {
    [
      Endpoint("GET", "/v1/rooms/*/jobs", access: .api, action: .answer { _, names in await list(names) }),
      Endpoint(
        "POST", "/v1/rooms/*/jobs", access: .api, takesBody: true,
        action: .answer { request, names in await start(request, names) }),
      Endpoint(
        "POST", "/v1/rooms/*/merge-jobs", access: .api, takesBody: true,
        action: .answer { request, names in await merge(request, names) }),
      Endpoint(
        "PUT", "/v1/rooms/*/jobs/*/layouts", access: .api, takesBody: true,
        action: .answer { request, names in await arrange(request, names) }),
      Endpoint("DELETE", "/v1/rooms/*/jobs/*", access: .api, action: .answer { _, names in await stop(names) }),
    ]
  }

  /// A job and its state.
  struct Detail: Codable, Sendable {
    var job: JobInfo
    var status: JobStatusData?
  }

  struct List: Codable, Sendable { var jobs: [Detail] }

  private func list(_ names: [String]) async -> HTTPResponse {
    await directory.with(names) { room in
      let status = Dictionary(await room.jobStatus().map { ($0.jobId, $0) }, uniquingKeysWith: { first, _ in first })
      return .json(List(jobs: await room.read(\.jobList).map { Detail(job: $0, status: status[$0.jobId]) }))
    }
  }

  private func start(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let body: ForwardParams
    do throws(RoomError) {
      body = try APIBody.read(ForwardParams.self, from: request)
    } catch { return .error(400, error) }
    return await directory.change(names) { room in
      do throws(RoomError) {
        return .json(try await room.call(.startForward(body)), status: 201)
      } catch {
        return Self.refusal(error)
      }
    }
  }

  private static func refusal(_ error: RoomError) -> HTTPResponse {
    let statuses: [ErrorCode: Int] = [.cdnParameters: 400, .subscribeFailed: 404]
    return .error(statuses[error.code] ?? 409, error)
  }

  /// Returns the merge job that a body describes.
  /// - Throws: 10001
  static func mergeParams(of request: HTTPRequest) throws(RoomError) -> MergeParams {
    try APIBody.read(MergeParams.self, from: request)
  }

  /// Returns the layouts that a body lists.
  /// - Throws: 10001
  static func layouts(of request: HTTPRequest) throws(RoomError) -> [TrackLayout] {
    try APIBody.read(Layouts.self, from: request).layouts
  }

  private struct Layouts: Codable, Sendable { var layouts: [TrackLayout] }

  private func merge(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let body: MergeParams
    do throws(RoomError) { body = try Self.mergeParams(of: request) } catch { return .error(400, error) }
    return await directory.change(names) { room in
      do throws(RoomError) {
        return .json(try await room.call(.startMerge(body)), status: 201)
      } catch {
        return Self.refusal(error)
      }
    }
  }

  private func arrange(_ request: HTTPRequest, _ names: [String]) async -> HTTPResponse {
    let layouts: [TrackLayout]
    do throws(RoomError) { layouts = try Self.layouts(of: request) } catch { return .error(400, error) }
    return await directory.change(names) { room in
      guard await room.read({ $0.hasJob(JobID(names[1])) }) else {
        return .error(404, RoomError(.cdnParameters, "the room has no job \"\(names[1].prefix(64))\""))
      }
      do throws(RoomError) {
        try await room.call(.setLayouts(LayoutsParams(jobId: JobID(names[1]), layouts: layouts)))
        return .noContent
      } catch {
        return Self.refusal(error)
      }
    }
  }

  private func stop(_ names: [String]) async -> HTTPResponse {
    await directory.change(names) { room in
      do throws(RoomError) {
        try await room.call(.stopJob(JobParams(jobId: JobID(names[1]))))
        return .noContent
      } catch {
        return .error(404, error)
      }
    }
  }
}
