import Foundation
import RoomChromium
import RoomTestSupport
import Testing

extension RealMedia {
  @Suite("The player's parsers")
  struct PlayerModulesTests {
    /// Evaluates the body of a function of the player's modules.
    private static func evaluate<Result: Decodable>(_ modules: [String], _ body: String) async throws -> Result {
      var result: Result?
      try await withServer { server in
        let viewer = try await WatchUser.open(server.http("/watch/demo"))
        let imports = modules.map { "import('/console/\($0).js')" }.joined(separator: ", ")
        result = try await viewer.page.evaluate("Promise.all([\(imports)]).then(modules => { \(body) })")
        try await viewer.page.close()
      }
      return try #require(result)
    }

    @Test("a playlist with parts begins at the last independent part before the hold-back, and continues part by part")
    func parts() async throws {
      struct Outcome: Decodable {
        var begin: [Int]
        var urls: [String]
        var waits: Bool
      }
      let outcome: Outcome = try await Self.evaluate(
        ["playlist"],
        """
        const [{ parse, beginning, upcoming }] = modules
        const text = ['#EXTM3U', '#EXT-X-TARGETDURATION:2', '#EXT-X-PART-INF:PART-TARGET=0.5',
          '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.5', '#EXT-X-MEDIA-SEQUENCE:7', '#EXT-X-MAP:URI="init.mp4"',
          '#EXTINF:2,', 'seg-7.m4s',
          '#EXT-X-PART:DURATION=0.5,URI="p8.0",INDEPENDENT=YES', '#EXT-X-PART:DURATION=0.5,URI="p8.1"',
          '#EXT-X-PART:DURATION=0.5,URI="p8.2",BYTERANGE="10@20"', '#EXT-X-PART:DURATION=0.5,URI="p8.3"', '#EXTINF:2,', 'seg-8.m4s',
          '#EXT-X-PART:DURATION=0.5,URI="p9.0",INDEPENDENT=YES', '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p9.1"'].join('\\n')
        const list = parse(text, 'http://host/live/a.m3u8').media
        let cursor = beginning(list)
        const begin = [cursor.number, cursor.part]
        cursor = { number: 8, part: 2 }
        const urls = []
        for (let next; next = upcoming(list, cursor); cursor = next.next) {
          urls.push(next.resource.url.split('/').pop() + (next.resource.range ? `@${next.resource.range.offset}` : ''))
        }
        return { begin, urls, waits: cursor.number === 9 && cursor.part === 1 }
        """)
      #expect(outcome.begin == [8, 0])
      #expect(outcome.urls == ["p8.2@20", "p8.3", "p9.0"])
      #expect(outcome.waits)
    }

    @Test("a player that is late plays faster, at most by a fifth, and jumps if it is very late")
    func pace() async throws {
      let outcome: [Double] = try await Self.evaluate(
        ["media-buffer"], "return [-1, 0, 0.3, 0.5, 1.1, 1.3, 2.9, 3.1].map(late => Math.min(99, modules[0].pace(late)))")
      #expect(outcome == [1, 1, 1, 1.08, 1.08, 1.2, 1.2, 99])
    }

    @Test("a multivariant playlist has its variants, and one whose sound is apart is refused")
    func variants() async throws {
      let outcome: [String] = try await Self.evaluate(
        ["playlist"],
        """
        const [{ parse }] = modules
        const head = '#EXTM3U\\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",URI="a.m3u8"\\n'
        const line = '#EXT-X-STREAM-INF:BANDWIDTH=500,RESOLUTION=640x360,CODECS="avc1.42E01E,mp4a.40.2"'
        const { variants } = parse(`${head}${line}\\nlow.m3u8`, 'http://host/live/a.m3u8')
        let refusal = ''
        try { parse(`${head}${line},AUDIO="a"\\nlow.m3u8`, 'http://host/') } catch (error) { refusal = error.message }
        return [variants[0].url, String(variants[0].height), refusal]
        """)
      #expect(outcome == ["http://host/live/low.m3u8", "360", "The sound is in a playlist of its own."])
    }

    @Test("an FLV stream becomes the same fragments however it is divided; damaged ones end with an error or without media")
    func flv() async throws {
      try await withServer(adjust: { $0.origin.publishesOpenly = true }) { server in
        let encoder = try LiveEncoder(try server.rtmp("live/studio"))
        let viewer = try await WatchUser.open(server.http("/watch/live/studio"))
        try await viewer.plays(by: "hls")
        struct Outcome: Decodable {
          var codecs: String
          var size: [Int]
          var isSame: Bool
          var survived: Int
          var pictures: Int
        }
        let outcome: Outcome = try await viewer.page.evaluate(
          """
          (async () => {
            const { FlvStream } = await import('/console/flv.js')
            const reader = (await fetch('/live/studio.flv')).body.getReader()
            const chunks = []
            for (let bytes = 0; bytes < 160000;) {
              const { value } = await reader.read()
              chunks.push(...value)
              bytes += value.length
            }
            reader.cancel()
            const all = Uint8Array.from(chunks)
            const whole = new FlvStream().push(all)
            const stream = new FlvStream()
            let samples = 0
            for (let at = 0; at < all.length; at += 7) {
              for (const piece of stream.push(all.subarray(at, at + 7))) if (piece.kind === 'media') samples += piece.bytes.length
            }
            const media = whole.filter(piece => piece.kind === 'media')
            // The boxes of many small fragments are larger than those of one; the media in them is the same.
            const isSame = samples >= media.reduce((sum, piece) => sum + piece.bytes.length, 0)
            let survived = 0
            let seed = 1
            const random = limit => { seed = seed * 16807 % 2147483647; return seed % limit }
            for (let round = 0; round < 300; round += 1) {
              const damaged = all.slice(0, 2000 + random(20000))
              for (let count = 1 + random(20); count > 0; count -= 1) damaged[random(damaged.length)] = random(256)
              try { new FlvStream().push(damaged) } catch (error) { if (!(error instanceof Error)) throw error }
              survived += 1
            }
            // Without the pictures after the first one, the last key frame is shown again, so that the sound plays on.
            const view = new DataView(all.buffer)
            const still = [all.subarray(0, 13)]
            for (let at = 13, hasKey = false; at + 15 < all.length;) {
              const size = 15 + (view.getUint32(at) & 0xffffff)
              const isPicture = (all[at] & 31) === 9
              if (!isPicture || !hasKey) still.push(all.subarray(at, at + size))
              hasKey ||= isPicture && all[at + 11] >>> 4 === 1 && all[at + 12] === 1
              at += size
            }
            const quiet = new FlvStream()
            let pictures = 0
            for (const tag of still) {
              for (const { kind, bytes } of quiet.push(tag)) if (kind === 'media' && new DataView(bytes.buffer).getUint32(44) === 1) pictures += 1
            }
            const video = \(WatchUser.video)
            return { codecs: whole[0].codecs.join(), size: [video.videoWidth, video.videoHeight], isSame, survived, pictures }
          })()
          """)
        #expect(outcome.codecs.contains("avc1.") && outcome.codecs.contains("mp4a.40.2"))
        #expect(outcome.size == [320, 180] && outcome.isSame && outcome.survived == 300)
        #expect(outcome.pictures >= 2)
        try await viewer.page.close()
        encoder.end()
      }
    }
  }
}
