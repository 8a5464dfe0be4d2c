import Codecs
import Relay
import RoomClient
import WebRTC
import Yams

/// Uses the types that an app names, with no other import than RoomClient's: errors, jobs, PK, seats, encoded frames.
@main
struct App {
  static func main() async throws {
    print(Codecs.name, Relay.name, WebRTC.name, try Yams.dump(object: ["a": 1]))
    do {
      let room = try await Room.connect(to: "ws://127.0.0.1:1", token: "")
      try await room.jobs.start(ForwardParams(jobId: "job", publishUrl: "rtmp://127.0.0.1/live/a"))
      await room.leave()
    } catch let error as RoomError {
      print("refused:", error.code)
    } catch let error as RoomClientError {
      print("not connected:", error)
    }
  }

  static func describe(_ pk: PKInfo, _ job: JobInfo, _ frame: EncodedFrame) -> String {
    "\(pk.pkId) \(job.jobId) \(frame.timestamp)"
  }
}
