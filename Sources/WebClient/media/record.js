// A local recording of a room, or of tracks, by the browser. What was recorded is kept in memory until the end.

const TYPES = {
  audio: ['audio/mp4;codecs=opus', 'audio/webm;codecs=opus', 'audio/mp4', 'audio/ogg'],
  video: ['video/mp4;codecs=avc1.42E01F,opus', 'video/webm;codecs=vp9,opus', 'video/webm;codecs=vp8,opus', 'video/mp4', 'video/webm'],
}
const PIECE = 1000 // milliseconds

/** @typedef {{ picture?: MediaStreamTrack, type?: string, bitrate?: number, maxBytes?: number, maxSeconds?: number }} Recorded */

// The sound of several tracks, which may come and go, as one track.
class Mix {
  #context = new AudioContext()
  #out = new MediaStreamAudioDestinationNode(this.#context)
  /** @type {Map<MediaStreamTrack, { node: AudioNode, element: HTMLAudioElement }>} */
  #sources = new Map()

  constructor() {
    // Without a source Chromium gives no samples, and the recorder waits for them.
    const silence = new ConstantSourceNode(this.#context, { offset: 0 })
    silence.connect(this.#out)
    silence.start()
  }

  get track() { return this.#out.stream.getAudioTracks()[0] }

  /** @param {MediaStreamTrack[]} tracks */
  set(tracks) {
    this.#context.resume().catch(() => {})
    for (const [track, { node, element }] of this.#sources) {
      if (tracks.includes(track)) continue
      node.disconnect()
      element.srcObject = null
      this.#sources.delete(track)
    }
    for (const track of tracks) {
      if (this.#sources.has(track)) continue
      const stream = new MediaStream([track])
      // Chromium decodes a received track only for an element.
      const element = Object.assign(new Audio(), { muted: true, srcObject: stream })
      const node = new MediaStreamAudioSourceNode(this.#context, { mediaStream: stream })
      node.connect(this.#out)
      this.#sources.set(track, { node, element })
    }
  }

  close() {
    this.set([])
    this.#context.close()
  }
}

/** A recording that runs, or has ended. */
export class Recording {
  /** The number of bytes that are in memory. */
  bytes = 0
  /** Why the browser ended the recording.
   * @type {Error | null} */
  error = null
  #mix = new Mix()
  /** @type {Blob[]} */
  #pieces = []
  #end = () => {}

  /** @param {Room | MediaStreamTrack[]} source @param {Recorded} given */
  constructor(source, { picture, type, bitrate, maxBytes = 500_000_000, maxSeconds = 14_400 }) {
    const isRoom = source instanceof EventTarget
    const video = picture ?? (isRoom ? undefined : source.find(({ kind }) => kind === 'video'))
    const wanted = type ? [type] : TYPES[video ? 'video' : 'audio']
    const mimeType = globalThis.MediaRecorder && wanted.find(each => MediaRecorder.isTypeSupported(each))
    if (!mimeType) {
      this.#mix.close()
      throw Object.assign(new Error(`The browser does not record ${type ?? 'media'}.`), { name: 'unsupported' })
    }
    /** The media type. */
    this.type = mimeType
    const hasSound = isRoom || source.some(({ kind }) => kind === 'audio')
    const recorder = new MediaRecorder(new MediaStream([video, hasSound && this.#mix.track].flatMap(each => each || [])), {
      mimeType, ...(bitrate && { [video ? 'videoBitsPerSecond' : 'audioBitsPerSecond']: bitrate }),
    })
    /** @internal */
    this.recorder = recorder
    const sounds = () => isRoom
      ? [...source.remoteTracks.values(), ...source.localTracks.values()].flatMap(each => each.kind === 'audio' ? ('receiver' in each ? each.receiver.track : each.track) ?? [] : [])
      : source.filter(({ kind }) => kind === 'audio')
    const changed = () => {
      this.#mix.set(sounds())
      if (isRoom ? source.state === 'ended' : source.every(({ readyState }) => readyState === 'ended')) this.#end()
    }
    const watched = isRoom ? [source] : source
    const names = isRoom ? ['change'] : ['ended']
    for (const target of watched) for (const name of names) target.addEventListener(name, changed)
    const timer = setTimeout(() => this.#end(), Math.min(maxSeconds * 1000, 2_147_483_647))
    this.#end = () => {
      clearTimeout(timer)
      for (const target of watched) for (const name of names) target.removeEventListener(name, changed)
      if (recorder.state !== 'inactive') recorder.stop()
    }
    /** The whole recording, once it has ended. */
    this.finished = /** @type {Promise<Blob>} */ (new Promise(resolve => {
      recorder.ondataavailable = ({ data }) => {
        this.#pieces.push(data)
        this.bytes += data.size
        if (this.bytes >= maxBytes) this.#end()
      }
      recorder.onerror = event => { this.error = /** @type {any} */ (event).error }
      recorder.onstop = () => {
        this.#end()
        this.#mix.close()
        resolve(new Blob(this.#pieces, { type: mimeType }))
        this.#pieces = []
      }
    }))
    changed()
    recorder.start(PIECE)
  }

  /** Whether the recording has ended. */
  get isOver() { return this.recorder.state === 'inactive' }

  /** Ends the recording and returns it. */
  stop() {
    this.#end()
    return this.finished
  }
}

/** Records the sound of a room, also of those who join later and our own, or the sound of tracks. The picture is `picture`, or the first one of the tracks.
 * The recording ends with `stop()`, with the room or all tracks, at `maxBytes` (500 MB) or after `maxSeconds` (4 h); `finished` is then resolved. Throws
 * an Error with the name 'unsupported' if the browser does not record.
 * @param {Room | MediaStreamTrack[]} source @param {Recorded} given */
export function record(source, given = {}) { return new Recording(source, given) }
