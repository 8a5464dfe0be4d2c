import Foundation
import RoomCClient
import RoomCodecs
import RoomStudio

/// The largest file of a lookup table in bytes: 64x64x64 lines of text.
private let largestTable = 16 << 20

@c @implementation
public func rc_studio_create(_ studio: UnsafeMutablePointer<OpaquePointer?>?) -> rc_status {
  attempt { try give(studio, "studio") { StudioHandle() } }
}

@c @implementation
public func rc_track_set_studio(_ track: OpaquePointer?, _ studio: OpaquePointer?) -> rc_status {
  attempt { try TrackHandle.named(track).set(try studio.map { try StudioHandle.named($0).studio }) }
}

@c @implementation
public func rc_studio_set_size(_ studio: OpaquePointer?, _ width: Int32, _ height: Int32, _ fill: rc_fill) -> rc_status {
  attempt {
    let handle = try StudioHandle.named(studio)
    let mode: FillMode
    switch fill {
    case RC_FILL_CROP: mode = .fill
    case RC_FILL_BARS: mode = .fit
    case RC_FILL_STRETCH: mode = .stretch
    default: throw Refusal.argument("fill", "is \(fill.rawValue), not 0 to 2")
    }
    let size = width == 0 && height == 0 ? nil : try PictureSize(width: Int(width), height: Int(height), mode: mode)
    handle.change { $0.size = size }
  }
}

@c @implementation
public func rc_studio_set_full_range(_ studio: OpaquePointer?, _ full: Bool) -> rc_status {
  attempt { try StudioHandle.named(studio).change { $0.range = full ? .full : .limited } }
}

@c @implementation
public func rc_studio_set_mirror(_ studio: OpaquePointer?, _ stream: Bool, _ preview: Bool) -> rc_status {
  attempt { try StudioHandle.named(studio).change { $0.mirror = .init(stream: stream, preview: preview) } }
}

@c @implementation
public func rc_studio_set_beauty(
  _ studio: OpaquePointer?, _ smooth: Double, _ whiten: Double, _ redden: Double
) -> rc_status {
  attempt {
    let handle = try StudioHandle.named(studio)
    let beauty = Beauty(
      smooth: try number(smooth, "smooth", in: 0...1), whiten: try number(whiten, "whiten", in: 0...1),
      redden: try number(redden, "redden", in: 0...1))
    handle.change { $0.beauty = smooth + whiten + redden > 0 ? beauty : nil }
  }
}

@c @implementation
public func rc_studio_set_filter(
  _ studio: OpaquePointer?, _ file: UnsafePointer<UInt8>?, _ size: Int, _ strength: Double
) -> rc_status {
  attempt {
    let handle = try StudioHandle.named(studio)
    guard file != nil || size > 0 else { return handle.change { $0.filter = nil } }
    let file = try bytes(file, size, "file", most: largestTable)
    let strength = try number(strength, "strength", in: 0...1)
    // A PNG begins with 0x89, which no text does.
    let table = file.first == 0x89 ? try LookupTable(png: file) : try LookupTable(cube: file)
    let filter = LookupFilter(table, strength: strength)
    handle.change { $0.filter = filter }
  }
}

@c @implementation
public func rc_studio_set_filter_strength(_ studio: OpaquePointer?, _ strength: Double) -> rc_status {
  attempt {
    let handle = try StudioHandle.named(studio)
    let strength = try number(strength, "strength", in: 0...1)
    try handle.change { settings in
      guard let filter = settings.filter else { throw Refusal.argument("studio", "has no filter") }
      settings.filter = filter.with(strength: strength)
    }
  }
}

@c @implementation
public func rc_overlay_create_picture(
  _ file: UnsafePointer<UInt8>?, _ size: Int, _ x: Int32, _ y: Int32, _ width: Int32, _ height: Int32, _ opacity: Double,
  _ overlay: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let picture = try Picture(decoding: try bytes(file, size, "file", most: Picture.maximumFileBytes))
    try give(overlay, "overlay") {
      OverlayHandle(
        try Overlay(
          picture, x: Int(x), y: Int(y), width: width == 0 ? nil : Int(width), height: height == 0 ? nil : Int(height),
          opacity: try number(opacity, "opacity", in: 0...1)))
    }
  }
}

@c @implementation
public func rc_overlay_create_text(
  _ text: UnsafePointer<CChar>?, _ x: Int32, _ y: Int32, _ options: UnsafePointer<rc_text_options>?,
  _ overlay: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let text = try RoomClientLibrary.text(text, "text")
    guard let options else { throw Refusal.argument("options", "is NULL") }
    let given = try structure(options, rc_text_options(), "options")
    let renderer = try TextRenderer(
      font: try optionalText(given.font, "font"), size: try integer(given.font_size, "font_size", in: TextRenderer.sizes))
    let style = TextStyle(
      colour: YUVColour(rgb: given.colour), outline: YUVColour(rgb: given.outline),
      outlineWidth: try integer(given.outline_width, "outline_width", in: 0...8))
    let width = try integer(given.max_width, "max_width", in: 0...TextRenderer.maximumWidth)
    guard
      let drawn = renderer.overlay(
        text, style: style, x: Int(x), y: Int(y), width: width == 0 ? TextRenderer.maximumWidth : width)
    else { throw Refusal.argument("text", "has nothing visible") }
    try give(overlay, "overlay") { OverlayHandle(drawn) }
  }
}

@c @implementation
public func rc_overlay_move(_ overlay: OpaquePointer?, _ x: Int32, _ y: Int32) -> rc_status {
  attempt { try OverlayHandle.named(overlay).move(x: Int(x), y: Int(y)) }
}

@c @implementation
public func rc_studio_set_stickers(
  _ studio: OpaquePointer?, _ overlays: UnsafePointer<OpaquePointer?>?, _ count: Int
) -> rc_status {
  attempt {
    let (handle, overlays) = (try StudioHandle.named(studio), try OverlayHandle.named(overlays, count))
    handle.change { $0.stickers = overlays }
  }
}

@c @implementation
public func rc_studio_set_texts(
  _ studio: OpaquePointer?, _ overlays: UnsafePointer<OpaquePointer?>?, _ count: Int
) -> rc_status {
  attempt {
    let (handle, overlays) = (try StudioHandle.named(studio), try OverlayHandle.named(overlays, count))
    handle.change { $0.texts = overlays }
  }
}

@c @implementation
public func rc_studio_set_watermark(_ studio: OpaquePointer?, _ overlay: OpaquePointer?) -> rc_status {
  attempt {
    let handle = try StudioHandle.named(studio)
    let overlay = try overlay.map { try OverlayHandle.named($0).overlay }
    handle.change { $0.watermark = overlay }
  }
}

@c @implementation
public func rc_studio_set_on_frame(
  _ studio: OpaquePointer?, _ onFrame: rc_on_frame?, _ context: UnsafeMutableRawPointer?
) -> rc_status {
  attempt {
    let handle = try StudioHandle.named(studio)
    handle.set(onFrame == nil ? nil : try Callback(onFrame, context))
  }
}

@c @implementation
public func rc_studio_read_preview(
  _ studio: OpaquePointer?, _ queue: OpaquePointer?, _ onPicture: rc_on_picture?, _ context: UnsafeMutableRawPointer?,
  _ reader: UnsafeMutablePointer<OpaquePointer?>?
) -> rc_status {
  attempt {
    let (handle, queue) = (try StudioHandle.named(studio), try EventQueue.named(queue))
    let callback = try Callback(onPicture, context)
    try ReaderHandle(on: queue).give(to: reader, handle.studio.previews()) { callback.send($0, $1) }
  }
}

@c @implementation
public func rc_studio_snapshot(
  _ studio: OpaquePointer?, _ ofPreview: Bool, _ format: rc_image_format,
  _ bytes: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, _ size: UnsafeMutablePointer<Int>?
) -> rc_status {
  attempt {
    let handle = try StudioHandle.named(studio)
    guard let bytes, let size else { throw Refusal.argument(bytes == nil ? "bytes" : "size", "is NULL") }
    guard let picture = handle.studio.snapshot(ofPreview: ofPreview) else { throw Refusal(RC_DROPPED, "no picture so far") }
    let file: [UInt8]
    switch format {
    case RC_PNG: file = try picture.png()
    case RC_JPEG: file = try picture.jpeg()
    default: throw Refusal.argument("format", "is \(format.rawValue), not 0 or 1")
    }
    guard let copy = malloc(max(1, file.count)) else { throw Refusal(RC_INTERNAL, "no memory") }
    file.withUnsafeBytes { copy.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(copy), byteCount: $0.count) }
    bytes.pointee = copy.assumingMemoryBound(to: UInt8.self)
    size.pointee = file.count
  }
}

extension YUVColour {
  fileprivate init(rgb: UInt32) {
    self.init(
      red: UInt8(truncatingIfNeeded: rgb >> 16), green: UInt8(truncatingIfNeeded: rgb >> 8),
      blue: UInt8(truncatingIfNeeded: rgb))
  }
}
