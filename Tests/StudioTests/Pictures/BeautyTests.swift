import RoomCodecs
import RoomStudio
import Testing

@Suite("Beauty")
struct BeautyTests {
  private static func apply(_ beauty: Beauty, to frame: VideoFrame) -> VideoFrame {
    var result = frame
    beauty.apply(to: &result)
    return result
  }

  @Test("skin becomes smooth, light or dark", arguments: [YUVColour.skin, .darkSkin])
  func smooth(skin: YUVColour) throws {
    let frame = try VideoFrame.of(skin, 320, 180).withNoise(-6...6)
    let smooth = Self.apply(Beauty(smooth: 1, whiten: 0, redden: 0), to: frame)
    #expect(smooth.roughness(40..<280, 40..<140) < frame.roughness(40..<280, 40..<140) / 3)
    // As light as it was.
    #expect(abs(Int(smooth.meanColour.y) - Int(frame.meanColour.y)) <= 1)
    let less = Self.apply(Beauty(smooth: 0.4, whiten: 0, redden: 0), to: frame)
    #expect(less.roughness(40..<280, 40..<140) < frame.roughness(40..<280, 40..<140) * 0.8)
    #expect(less.roughness(40..<280, 40..<140) > smooth.roughness(40..<280, 40..<140) * 1.5)
  }

  @Test("what is not skin keeps its structure")
  func background() throws {
    let frame = try VideoFrame.of(.green, 320, 180).withNoise(-6...6)
    #expect(Self.apply(Beauty(smooth: 1, whiten: 0, redden: 1), to: frame).psnr(to: frame) ?? 0 > 60)
  }

  @Test("an edge in skin stays sharp")
  func edge() throws {
    let dark = YUVColour(y: 60, u: YUVColour.skin.u, v: YUVColour.skin.v)
    let frame = try VideoFrame.halves(.skin, dark, 320, 180)
    let smooth = Self.apply(Beauty(smooth: 1, whiten: 0, redden: 0), to: frame)
    for row in [20, 90, 160] {
      #expect(Int(smooth.colour(158, row).y) - Int(smooth.colour(161, row).y) > 75)
    }
  }

  @Test("whitening lightens the middle of the range; black and white stay")
  func whiten() throws {
    let white = Beauty(smooth: 0, whiten: 1, redden: 0)
    #expect(Self.apply(white, to: try .of(.black, 33, 17)).isColour(.black, 32, 16, within: 0))
    #expect(Self.apply(white, to: try .of(.white, 33, 17)).isColour(.white, 32, 16, within: 0))
    var last: UInt8 = 15
    for luma in UInt8(16)...235 {
      let colour = YUVColour(y: luma, u: 128, v: 128)
      let seen = Self.apply(white, to: try .of(colour, 16, 2)).colour(15, 1)
      // A lighter pixel stays the lighter one.
      #expect(seen.y >= last && seen.y >= luma)
      last = seen.y
    }
    #expect(Self.apply(white, to: try .of(.grey, 33, 17)).colour(32, 16).y > 140)
    let half = Beauty(smooth: 0, whiten: 0.5, redden: 0)
    #expect((115...130).contains(Self.apply(half, to: try .of(.grey, 33, 17)).colour(32, 16).y))
  }

  @Test("reddening makes skin redder, and nothing else")
  func redden() throws {
    let red = Beauty(smooth: 0, whiten: 0, redden: 1)
    let frame = try VideoFrame.halves(.skin, .green, 320, 180)
    let result = Self.apply(red, to: frame)
    #expect(result.colour(40, 90).v >= YUVColour.skin.v + 15)
    #expect(result.colour(40, 90).y == YUVColour.skin.y)
    #expect(result.isColour(.green, 300, 90, within: 0))
  }

  @Test("at 0 nothing changes; values out of range are limited")
  func limits() throws {
    let frame = try VideoFrame.of(.skin, 320, 180).withNoise(-6...6)
    #expect(Self.apply(Beauty(smooth: 0, whiten: 0, redden: 0), to: frame).psnr(to: frame) == 128)
    var beauty = Beauty(smooth: 7, whiten: -1, redden: .nan)
    #expect(beauty == Beauty(smooth: 1, whiten: 0, redden: 0))
    beauty.redden = .infinity
    #expect(beauty.redden == 1)
  }
}
