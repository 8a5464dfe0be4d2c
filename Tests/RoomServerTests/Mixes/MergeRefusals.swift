import RoomProtocol

/// An invalid merge job: how it differs from a valid one, and what the error message names.
struct MergeRefusal: Sendable, CustomStringConvertible {
  var what: String
  /// Members in JSON that replace those of a valid job; nil removes one. `$audio` and `$video` are replaced by existing tracks.
  var changes: [String: String?]
  var code: ErrorCode
  /// The text that the message names.
  var field: String

  var description: String { what }

  /// Valid in a room where "alice" publishes, with a job "first" that is published as "mix".
  private static let good: [String: String] = [
    "jobId": #""new""#, "publishUrl": #""rtmp://origin/live/new""#, "width": "320", "height": "180", "fps": "15",
    "layouts": layout(),
  ]

  /// Returns the complete job.
  func body(audio: TrackID, video: TrackID) -> String {
    var members = Self.good
    for (name, value) in changes { members[name] = value }
    return "{\(members.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ","))}"
      .replacing("$audio", with: audio.rawValue).replacing("$video", with: video.rawValue)
  }

  /// Returns the layouts of a job that is invalid only in its layouts.
  func layouts(audio: TrackID, video: TrackID) -> String? {
    guard changes.count == 1, let layouts = changes["layouts"] ?? nil else { return nil }
    return layouts.replacing("$audio", with: audio.rawValue).replacing("$video", with: video.rawValue)
  }

  private static func layout(_ whose: String = #""userId":"alice""#, _ more: String = "") -> String {
    #"[{\#(whose),"x":0,"y":0,"width":160,"height":180\#(more.isEmpty ? "" : ",")\#(more)}]"#
  }

  private static func frame(_ x: String, _ y: String, _ width: String, _ height: String) -> String {
    #"[{"userId":"alice","x":\#(x),"y":\#(y),"width":\#(width),"height":\#(height)}]"#
  }

  private static func many(_ count: Int, _ element: String) -> String {
    "[\(Array(repeating: element, count: count).joined(separator: ","))]"
  }

  private init(_ what: String, _ changes: [String: String?], _ field: String) {
    self.init(what, changes, .cdnParameters, field)
  }

  private init(_ what: String, _ changes: [String: String?], _ code: ErrorCode, _ field: String) {
    self.what = what
    self.changes = changes
    self.code = code
    self.field = field
  }

  /// Jobs with invalid layouts.
  static let layouts: [MergeRefusal] = [
    .init("a track that nobody publishes", ["layouts": layout(#""trackId":"none""#)], .subscribeFailed, "layouts[0].trackId"),
    .init(
      "a second track that nobody publishes", ["layouts": #"[{"userId":"alice"},{"trackId":"none"}]"#], .subscribeFailed,
      "layouts[1].trackId"),
    .init("a mix in a mix", ["layouts": layout(#""userId":"mix""#)], .subscribeFailed, "layouts[0].userId"),
    .init("a name that nobody can have", ["layouts": layout(#""userId":"a b""#)], "layouts[0].userId"),
    .init("a track and a user", ["layouts": layout(#""userId":"alice","trackId":"$audio""#)], "layouts[0]"),
    .init("neither track nor user", ["layouts": #"[{"x":0,"y":0,"width":16,"height":16}]"#], "layouts[0]"),
    .init("a frame far left", ["layouts": frame("-8193", "0", "16", "16")], "layouts[0].x"),
    .init("a frame far below", ["layouts": frame("0", "8193", "16", "16")], "layouts[0].y"),
    .init("a frame at the largest number", ["layouts": frame("9223372036854775807", "0", "16", "16")], "layouts[0].x"),
    .init("a frame beyond it", ["layouts": frame("9223372036854775808", "0", "16", "16")], .unknownMessage, "layouts[0].x"),
    .init("a frame without width", ["layouts": frame("0", "0", "0", "16")], "layouts[0].width"),
    .init("a frame of negative width", ["layouts": frame("0", "0", "-160", "16")], "layouts[0].width"),
    .init("a huge frame", ["layouts": frame("0", "0", "16", "100000")], "layouts[0].height"),
    .init("half a pixel", ["layouts": frame("0", "0.5", "16", "16")], .unknownMessage, "layouts[0].y"),
    .init("an endless number", ["layouts": frame("0", "0", "1e999", "16")], .unknownMessage, "layouts[0].width"),
    .init(
      "a frame of three numbers", ["layouts": #"[{"userId":"alice","x":0,"y":0,"width":16}]"#],
      "layouts[0]: a frame has x, y, width and height"),
    .init("a video track without a frame", ["layouts": #"[{"trackId":"$video"}]"#], "layouts[0]: a video track needs a frame"),
    .init("a gain of -1", ["layouts": layout(#""userId":"alice""#, #""gain":-1"#)], "layouts[0].gain"),
    .init("a gain of 4.01", ["layouts": layout(#""userId":"alice""#, #""gain":4.01"#)], "layouts[0].gain"),
    .init("an endless gain", ["layouts": layout(#""userId":"alice""#, #""gain":1e999"#)], .unknownMessage, "layouts[0].gain"),
    .init("a gain in words", ["layouts": layout(#""userId":"alice""#, #""gain":"NaN""#)], .unknownMessage, "layouts[0].gain"),
    .init("another fill mode", ["layouts": layout(#""userId":"alice""#, #""fillMode":"cover""#)], "layouts[0].fillMode"),
    .init("a zIndex of 1001", ["layouts": layout(#""userId":"alice""#, #""zIndex":1001"#)], "layouts[0].zIndex"),
    .init("corners of -1", ["layouts": layout(#""userId":"alice""#, #""cornerRadius":-1"#)], "layouts[0].cornerRadius"),
    .init(
      "a placeholder of 65 characters",
      ["layouts": layout(#""userId":"alice""#, "\"placeholder\":\"\(String(repeating: "爱", count: 65))\"")],
      "layouts[0].placeholder"),
    .init("33 layouts", ["layouts": many(33, #"{"userId":"alice"}"#)], "layouts: at most 32"),
    .init("layouts that are none", ["layouts": #"{"userId":"alice"}"#], .unknownMessage, "layouts is not an array"),
    .init("no layouts", ["layouts": "null"], .unknownMessage, "layouts"),
  ]

  /// Jobs with other errors.
  static let others: [MergeRefusal] = [
    .init("fps 0", ["fps": "0"], "fps"), .init("fps 240", ["fps": "240"], "fps"), .init("fps -1", ["fps": "-1"], "fps"),
    .init("a canvas of 100,000x100,000", ["width": "100000", "height": "100000"], "width"),
    .init("an odd width", ["width": "321"], "width"), .init("an odd height", ["height": "181"], "height"),
    .init("no height", ["height": nil], "height"), .init("a width of 14", ["width": "14"], "width"),
    .init("a width in words", ["width": #""320""#], .unknownMessage, "width is not an integer"),
    .init("an endless width", ["width": "1e999"], .unknownMessage, "width"),
    .init("frames of a mix of sound", ["width": nil, "height": nil], "layouts[0]"),
    .init("the least above the bitrate", ["videoKbps": "500", "minKbps": "501"], "minKbps"),
    .init("a least of 9", ["minKbps": "9"], "minKbps"), .init("a bitrate of 49", ["videoKbps": "49"], "videoKbps"),
    .init("a bitrate of 20001", ["videoKbps": "20001"], "videoKbps"), .init("a GOP of 0", ["gop": "0"], "gop"),
    .init("a GOP of 601", ["gop": "601"], "gop"), .init("sound of 31 kbit/s", ["audioKbps": "31"], "audioKbps"),
    .init("preset placebo", ["preset": #""placebo""#], "preset"),
    .init("colour and image", ["background": ##"{"colour":"#ff0000","image":"back"}"##], "background"),
    .init("a colour of five digits", ["background": ##"{"colour":"#ff000"}"##], "background.colour"),
    .init("an unknown image behind", ["background": #"{"image":"back"}"#], "background.image"),
    .init("an unknown watermark", ["watermarks": #"[{"image":"logo","x":0,"y":0}]"#], "watermarks[0].image"),
    .init("a watermark without a place", ["watermarks": #"[{"image":"logo","x":0}]"#], .unknownMessage, "watermarks[0].y"),
    .init("an opacity of 2", ["watermarks": #"[{"image":"logo","x":0,"y":0,"opacity":2}]"#], "watermarks[0].opacity"),
    .init("a watermark far off", ["watermarks": #"[{"image":"logo","x":0,"y":9000}]"#], "watermarks[0].y"),
    .init("a watermark of no width", ["watermarks": #"[{"image":"logo","x":0,"y":0,"width":0}]"#], "watermarks[0].width"),
    .init("nine watermarks", ["watermarks": many(9, #"{"image":"logo","x":0,"y":0}"#)], "watermarks: at most 8"),
    .init("nine texts", ["texts": many(9, #"{"text":"a","x":0,"y":0}"#)], "texts: at most 8"),
    .init(
      "a text of 65 characters", ["texts": #"[{"text":"\#(String(repeating: "a", count: 65))","x":0,"y":0}]"#], "texts[0].text"),
    .init("a text and a clock", ["texts": #"[{"text":"a","clock":true,"x":0,"y":0}]"#], "texts[0]"),
    .init("a countdown without a clock", ["texts": #"[{"text":"a","until":1,"x":0,"y":0}]"#], "texts[0].until"),
    .init("a countdown to no time", ["texts": #"[{"clock":true,"until":-1,"x":0,"y":0}]"#], "texts[0].until"),
    .init("neither text nor clock", ["texts": #"[{"x":0,"y":0}]"#], "texts[0]"),
    .init("letters of 201", ["texts": #"[{"text":"a","x":0,"y":0,"size":201}]"#], "texts[0].size"),
    .init("a colour in words", ["texts": #"[{"text":"a","x":0,"y":0,"colour":"red"}]"#], "texts[0].colour"),
    .init("the name of one who is there", ["publishAs": #""alice""#], .publishFailed, "publishAs"),
    .init("the name of a mix", ["publishAs": #""mix""#], .publishFailed, "publishAs"),
    .init("a name with a blank", ["publishAs": #""a b""#], "publishAs"), .init("no name", ["publishAs": #""""#], "publishAs"),
    .init(
      "itself in itself", ["publishAs": #""me""#, "layouts": layout(#""userId":"me""#)], .subscribeFailed, "layouts[0].userId"),
    .init("a second job of the same id", ["jobId": #""first""#], .publishFailed, "jobId"),
    .init("no id", ["jobId": #""""#], "jobId"),
    .init("an id of 66 bytes", ["jobId": "\"\(String(repeating: "é", count: 33))\""], "jobId"),
    .init("an id that is missing", ["jobId": nil], .unknownMessage, "jobId is missing"),
    .init("nowhere to go", ["publishUrl": nil], "publishUrl"),
    .init("another protocol", ["publishUrl": #""http://origin/live/new""#], "publishUrl"),
    .init("a serial number in words", ["publishUrl": #""rtmp://origin/live/new?serialnum=two""#], "publishUrl"),
    .init("a recording, where there are none", ["record": #""new.mp4""#], "record"),
    .init("a recording of what goes nowhere", ["publishUrl": nil, "publishAs": #""me""#, "record": #""new.mp4""#], "record"),
  ]

  /// Jobs with misspelt members, which only REST rejects.
  static let misspelt: [MergeRefusal] = [
    .init("a member that is none", ["framerate": "15"], .unknownMessage, "unknown member \"framerate\""),
    .init(
      "a layout's member that is none", ["layouts": #"[{"userId":"alice"},{"userId":"alice","zindex":1}]"#], .unknownMessage,
      "\"zindex\" in layouts"),
    .init(
      "a text's member that is none", ["texts": #"[{"text":"a","x":0,"y":0,"color":"red"}]"#], .unknownMessage,
      "\"color\" in texts"),
    .init(
      "a background's member that is none", ["background": ##"{"color":"#ffffff"}"##], .unknownMessage,
      "\"color\" in background"),
  ]
}
