import RoomCodecs
import RoomProtocol

/// The images that a room's mixes may show, by name. The app's server uploads them, so that no mix fetches anything.
package struct RoomImages: Sendable {
  /// Maximum number of images in one room.
  static let limit = 16
  /// Maximum size of a file in bytes.
  package static let fileBytes = 2 << 20
  /// Maximum number of pixels of one image.
  static let pixels = 1920 * 1920

  /// An image with its version.
  package struct Image: Sendable {
    package var picture: Picture
    package var version: Int
    package var bytes: Int
  }

  private(set) var all: [String: Image] = [:]
  private var versions = 0

  /// Decodes a file.
  /// - Throws: 80204 with a description of the error.
  package static func read(_ file: [UInt8]) throws(RoomError) -> Picture {
    let picture: Picture
    do throws(CodecError) {
      picture = try Picture(decoding: file)
    } catch .unsupportedSize(let width, let height) where width > 0 && height > 0 {
      throw tooLarge(width, height)
    } catch {
      throw RoomError(.cdnParameters, "the image can't be read: \(error)")
    }
    guard picture.width * picture.height <= pixels else { throw tooLarge(picture.width, picture.height) }
    return picture
  }

  private static func tooLarge(_ width: Int, _ height: Int) -> RoomError {
    RoomError(
      .cdnParameters,
      "the image has \(width)x\(height) pixels; the maximum area is 1920x1920, and the maximum side \(VideoFrame.maximumSide)")
  }

  /// Adds an image, replacing one of that name; running mixes keep showing the old one.
  /// - Throws: 80204 for an invalid name, 80302 if the room has too many images.
  mutating func set(_ name: String, _ picture: Picture, bytes: Int) throws(RoomError) {
    guard Self.isName(name) else {
      throw RoomError(.cdnParameters, "an image name must have \(Self.nameRule)")
    }
    guard all[name] != nil || all.count < Self.limit else {
      throw RoomError(.updateRoomFailed, "a room has at most \(Self.limit) images")
    }
    versions += 1
    all[name] = Image(picture: picture, version: versions, bytes: bytes)
  }

  /// Removes an image. Returns false if there is none.
  mutating func remove(_ name: String) -> Bool { all.removeValue(forKey: name) != nil }

  /// Returns the image that a field names.
  func image(_ name: String, _ field: String) throws(RoomError) -> Image {
    guard let image = all[name] else { throw Self.missing(name, field) }
    return image
  }

  static func missing(_ name: String, _ field: String) -> RoomError {
    RoomError(
      .cdnParameters, "\(field): the room has no image \"\(name.prefix(64))\"; PUT it to /v1/rooms/{room}/images/{name}")
  }

  /// The rule for names, as part of an error message.
  package static let nameRule = "1 to 64 letters, digits, dots, hyphens and underscores"

  package static func isName(_ name: String) -> Bool {
    (1...64).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }
}
