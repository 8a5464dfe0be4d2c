// Cameras, microphones and screens.
import { TEST, testPicture, testTone } from './test-media.js'

const CAMERA = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } }
const MICROPHONE = { echoCancellation: true, noiseSuppression: true, autoGainControl: true }

// Why no devices are available; null if they may be.
export function unavailable() {
  if (navigator.mediaDevices) return null
  return isSecureContext
    ? 'This browser has no access to cameras and microphones.'
    : 'Browsers allow cameras and microphones only on HTTPS pages and localhost. Enable TLS, or join without them.'
}

/** @param {string} [deviceId] */
export const camera = async deviceId => deviceId === TEST ? testPicture() : open({ video: { ...CAMERA, ...(deviceId && { deviceId: { exact: deviceId } }) } })
/** @param {string} [deviceId] */
export const microphone = async deviceId => deviceId === TEST ? testTone() : open({ audio: { ...MICROPHONE, ...(deviceId && { deviceId: { exact: deviceId } }) } })

// The device that a track comes from.
/** @param {MediaStreamTrack | null} [track] */
export const deviceOf = track => track?.testDevice ?? track?.getSettings().deviceId

export async function screen() {
  const stream = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 15 } }, audio: false })
  const [track] = stream.getTracks()
  track.contentHint = 'detail'
  return track
}

export const canShareScreen = () => Boolean(navigator.mediaDevices?.getDisplayMedia)

/** @param {MediaStreamConstraints} constraints */
async function open(constraints) {
  const reason = unavailable()
  if (reason) throw new Error(reason)
  try {
    const stream = await navigator.mediaDevices.getUserMedia(constraints)
    return stream.getTracks()[0]
  } catch (error) {
    throw new Error(inWords(error, constraints.video ? 'camera' : 'microphone'))
  }
}

/** @param {Error} error @param {string} what */
function inWords(error, what) {
  switch (error.name) {
    case 'NotAllowedError': return `The browser was not allowed to use the ${what}. Allow it in the address bar and try again.`
    case 'NotFoundError': case 'OverconstrainedError': return `There is no ${what}.`
    case 'NotReadableError': return `The ${what} is in use by another program.`
    default: return `The ${what} can’t be used: ${error.message || error.name}`
  }
}

// The devices of a kind, 'videoinput' or 'audioinput', and the test source. They have names once the user has allowed one of
// them.
/** @param {MediaDeviceKind} kind */
export async function list(kind) {
  const all = await navigator.mediaDevices?.enumerateDevices().catch(() => []) ?? []
  const found = all.filter(device => device.kind === kind && device.deviceId)
    .map((device, index) => ({ id: device.deviceId, name: device.label || `${kind === 'videoinput' ? 'Camera' : 'Microphone'} ${index + 1}` }))
  return [...found, { id: TEST, name: kind === 'videoinput' ? 'Test picture' : 'Test tone' }]
}

// The level of a microphone, 0…1, reported about 15 times per second until `stop()`.
/** @param {MediaStreamTrack} track @param {(level: number) => void} heard */
export function listen(track, heard) {
  const context = new AudioContext()
  const analyser = new AnalyserNode(context, { fftSize: 1024 })
  new MediaStreamAudioSourceNode(context, { mediaStream: new MediaStream([track]) }).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length
    heard(loudness(10 * Math.log10(power + 1e-12)))
  }, 66)
  return { stop() { clearInterval(timer); context.close() } }
}

// Decibels below full scale as a fraction of a meter: −60 and less is 0.
/** @param {number} decibels */
export const loudness = decibels => Math.min(1, Math.max(0, (decibels + 60) / 55))
