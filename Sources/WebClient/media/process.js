// A frame hook: an app's function sees each picture of a track and returns what is sent instead. Loaded on its own, not with roomclient.js.

/** @typedef {VideoFrame | ImageBitmap} Frame */
/** @typedef {Frame | HTMLCanvasElement | OffscreenCanvas | null} Result a picture, or null to leave this one out */

const FPS = 30

/** Returns a track with the pictures that `change` returns for those of `source`. A frame is a VideoFrame, or an ImageBitmap if the browser has none; it
 * is closed after the call. Pictures that arrive during a call are left out. If `change` throws, no picture is sent, and `failed(error)` is called
 * for the first one. Stopping the track stops the source.
 * @param {MediaStreamTrack} source @param {(frame: Frame) => Result | Promise<Result>} change @param {{ failed?: (error: Error) => void }} given @returns {MediaStreamTrack} */
export function process(source, change, { failed = reportError } = {}) {
  let isFailing = false
  /** @param {Frame} frame @returns {Promise<Result>} */
  const changed = async frame => {
    try {
      const result = await change(frame)
      isFailing = false
      return result
    } catch (error) {
      if (!isFailing) failed(error)
      isFailing = true
      return null
    }
  }
  const { track, end } = 'MediaStreamTrackProcessor' in globalThis && 'MediaStreamTrackGenerator' in globalThis ? streamed(source, changed) : drawn(source, changed)
  track.origin = source
  const stop = track.stop.bind(track)
  track.stop = () => {
    end()
    source.stop()
    stop()
  }
  source.addEventListener('ended', () => {
    track.stop()
    track.dispatchEvent(new Event('ended'))
  })
  return track
}

// By the browser's streams of frames.
/** @param {MediaStreamTrack} source @param {(frame: Frame) => Promise<Result>} changed */
function streamed(source, changed) {
  const { MediaStreamTrackProcessor, MediaStreamTrackGenerator } = /** @type {any} */ (globalThis)
  const processor = new MediaStreamTrackProcessor({ track: source, maxBufferSize: 1 })
  const track = new MediaStreamTrackGenerator({ kind: 'video' })
  const over = new AbortController()
  const pictures = new TransformStream({
    /** @param {VideoFrame} frame @param {TransformStreamDefaultController<VideoFrame>} out */
    async transform(frame, out) {
      const result = await changed(frame)
      const { timestamp } = frame
      if (result !== frame) frame.close()
      if (!result) return
      if (result instanceof VideoFrame) return out.enqueue(result)
      out.enqueue(new VideoFrame(result, { timestamp: timestamp ?? 0 }))
      if (result instanceof ImageBitmap) result.close()
    },
  })
  processor.readable.pipeThrough(pictures, { signal: over.signal }).pipeTo(track.writable, { signal: over.signal }).catch(() => {})
  return { track, end: () => over.abort() }
}

// By a video element and a canvas.
/** @param {MediaStreamTrack} source @param {(frame: Frame) => Promise<Result>} changed */
function drawn(source, changed) {
  const { width = 640, height = 360, frameRate = FPS } = source.getSettings()
  const video = Object.assign(document.createElement('video'), { muted: true, playsInline: true, srcObject: new MediaStream([source]) })
  video.play().catch(() => {})
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  let isBusy = false
  const draw = async () => {
    if (isBusy || !video.videoWidth) return
    isBusy = true
    const frame = 'VideoFrame' in globalThis ? new VideoFrame(video) : await createImageBitmap(video)
    const result = await changed(frame)
    if (result) pen.drawImage(/** @type {CanvasImageSource} */ (result), 0, 0, canvas.width, canvas.height)
    frame.close()
    if (result && result !== frame && 'close' in result) result.close()
    isBusy = false
  }
  const timer = setInterval(draw, 1000 / Math.min(FPS, frameRate || FPS))
  const [track] = canvas.captureStream(Math.min(FPS, frameRate || FPS)).getVideoTracks()
  return {
    track,
    end() {
      clearInterval(timer)
      Object.assign(video, { srcObject: null })
    },
  }
}
