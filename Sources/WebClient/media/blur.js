// Privacy blur: the whole picture of a camera is blurred, people as well as background. Telling the two apart would need a model
// that the page does not carry.

// A track with the blurred pictures of `source`. Stopping it stops the camera.
/** @param {MediaStreamTrack} source @returns {MediaStreamTrack} */
export function blurred(source) {
  const { width = 640, height = 360, frameRate = 30 } = source.getSettings()
  const video = Object.assign(document.createElement('video'), { muted: true, playsInline: true, srcObject: new MediaStream([source]) })
  video.play().catch(() => {})
  // Drawn small and enlarged: the blur is cheap, and no detail leaves the browser.
  const small = Object.assign(document.createElement('canvas'), { width: 32, height: Math.max(1, Math.round(32 * height / width)) })
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const [little, pen] = [small, canvas].map(each => /** @type {CanvasRenderingContext2D} */ (each.getContext('2d')))
  pen.imageSmoothingQuality = 'high'
  const draw = () => {
    if (!video.videoWidth) return
    little.drawImage(video, 0, 0, small.width, small.height)
    pen.drawImage(small, 0, 0, width, height)
  }
  const [track] = canvas.captureStream(frameRate).getVideoTracks()
  const timer = setInterval(draw, 1000 / Math.min(30, frameRate))
  track.origin = source
  const stop = track.stop.bind(track)
  track.stop = () => {
    clearInterval(timer)
    source.stop()
    Object.assign(video, { srcObject: null })
    stop()
  }
  return track
}
