// A camera and a microphone for users without one.

/** The device id of a test source. */
export const TEST = 'test'

/** A drawn picture with a clock, until its track is stopped.
 * @param {{ width?: number, height?: number, fps?: number }} size */
export function testPicture({ width = 640, height = 360, fps = 15 } = {}) {
  const canvas = Object.assign(document.createElement('canvas'), { width, height })
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  const hue = Math.floor(Math.random() * 360)
  const draw = () => {
    const now = Date.now()
    const turn = now / 4000 * Math.PI
    const sky = pen.createLinearGradient(0, 0, width, height)
    sky.addColorStop(0, `hsl(${hue} 55% 62%)`)
    sky.addColorStop(1, `hsl(${(hue + 70) % 360} 60% 36%)`)
    pen.fillStyle = sky
    pen.fillRect(0, 0, width, height)
    pen.fillStyle = 'rgb(255 255 255 / 82%)'
    pen.beginPath()
    pen.arc(width / 2 + Math.cos(turn) * width * 0.3, height / 2 + Math.sin(turn * 1.5) * height * 0.26, height * 0.09, 0, 2 * Math.PI)
    pen.fill()
    pen.fillStyle = '#fff'
    pen.font = `600 ${Math.round(height / 9)}px ui-monospace, monospace`
    pen.textAlign = 'center'
    pen.fillText(new Date(now).toISOString().slice(11, 21), width / 2, height * 0.55)
  }
  draw()
  const [track] = canvas.captureStream(fps).getVideoTracks()
  track.contentHint = 'motion'
  whileLive(track, setInterval(draw, 1000 / fps))
  return track
}

/** A soft beep each second, until its track is stopped. */
export function testTone() {
  const context = new AudioContext()
  const way = new MediaStreamAudioDestinationNode(context)
  const gain = new GainNode(context, { gain: 0 })
  const tone = new OscillatorNode(context, { frequency: 440 + Math.round(Math.random() * 4) * 55 })
  tone.connect(gain).connect(way)
  tone.start()
  const [track] = way.stream.getAudioTracks()
  const beep = () => {
    gain.gain.setTargetAtTime(0.2, context.currentTime, 0.01)
    gain.gain.setTargetAtTime(0, context.currentTime + 0.25, 0.03)
  }
  beep()
  whileLive(track, setInterval(beep, 1000), () => context.close())
  return track
}

// Runs as long as the track is used; a stopped track fires no event.
/** @param {MediaStreamTrack} track @param {number} work @param {() => void} [ended] */
function whileLive(track, work, ended) {
  track.testDevice = TEST
  const watch = setInterval(() => {
    if (track.readyState === 'live') return
    clearInterval(watch)
    clearInterval(work)
    ended?.()
  }, 500)
}
