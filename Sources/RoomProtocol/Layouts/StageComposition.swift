/// The picture and the sound that a room composes of the users on stage, for its broadcasts, its recordings and its audience.
public struct StageComposition: Codable, Sendable, Hashable {
  /// The canvas width in pixels: even, 16…1920.
  public var width: Int
  /// The canvas height in pixels: even, 16…1920.
  public var height: Int
  /// Frames per second, 1…60.
  public var fps: Int
  /// The video bitrate in kbit/s, 50…20000.
  public var videoKbps: Int
  /// The x264 preset.
  public var preset: EncoderPreset
  /// The background behind all frames; nil means black.
  public var background: MergeBackground?
  /// Images over the frames, the last one on top.
  public var watermarks: [Watermark]
  /// Texts over the watermarks.
  public var texts: [MergeText]
  /// The frames of the users and of their screens, at most 32.
  public var layouts: [TrackLayout]

  /// Creates a composition. The composition is not validated; see ``validationError``.
  public init(
    width: Int, height: Int, fps: Int = 24, videoKbps: Int = 1500, preset: EncoderPreset = .superfast,
    background: MergeBackground? = nil, watermarks: [Watermark] = [], texts: [MergeText] = [], layouts: [TrackLayout] = []
  ) {
    self.width = width
    self.height = height
    self.fps = fps
    self.videoKbps = videoKbps
    self.preset = preset
    self.background = background
    self.watermarks = watermarks
    self.texts = texts
    self.layouts = layouts
  }

  /// The largest number of texts: those of the app, a name for each seat and for eight anchors of other rooms, nine scores, and the time
  /// that is left.
  public static let maximumTexts = MergeParams.maximumTexts + Layout.maximumSeats + 18

  /// The first validation error, in a sentence that names the field; nil if the value is valid. The limits are those of
  /// ``MergeParams``, with ``maximumTexts`` texts.
  public var validationError: String? {
    var params = merge("stage")
    params.texts = nil
    return params.validationError ?? MergeParams.validationError(about: texts, atMost: Self.maximumTexts)
  }

  /// Returns the parameters of a merge job with this picture and sound.
  public func merge(_ jobId: JobID) -> MergeParams {
    MergeParams(
      jobId: jobId, width: width, height: height, fps: fps, videoKbps: videoKbps, preset: preset, background: background,
      watermarks: watermarks, texts: texts, layouts: layouts)
  }
}

/// The data of a `compositionChanging` event: the composition that the room shows next, unless the app changes it.
public struct CompositionChangingData: Codable, Sendable, Hashable {
  /// The number of the change, for ``CompositionParams``.
  public var number: Int
  /// The time until the composition is shown unchanged, in milliseconds.
  public var deadline: Int
  /// The composition.
  public var composition: StageComposition

  /// Creates the data of the event.
  public init(number: Int, deadline: Int, composition: StageComposition) {
    self.number = number
    self.deadline = deadline
    self.composition = composition
  }
}

/// The parameters that answer a `compositionChanging` event.
public struct CompositionParams: Codable, Sendable, Hashable {
  /// The number of the change.
  public var number: Int
  /// The composition to show; nil for the proposed one.
  public var composition: StageComposition?

  /// Creates the parameters.
  public init(number: Int, composition: StageComposition? = nil) {
    self.number = number
    self.composition = composition
  }
}

/// The parameters that start or end the editing of the room's composition by the calling session.
public struct EditCompositionParams: Codable, Sendable, Hashable {
  /// The time to answer a change in milliseconds, 50…2000; nil ends the editing.
  public var deadline: Int?
  /// Creates the parameters.
  public init(deadline: Int?) { self.deadline = deadline }
}
