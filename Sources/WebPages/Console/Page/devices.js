// Cameras, microphones and screens.
import { blurred } from './blur.js'
import { TEST, testPicture, testTone } from './test-media.js'
import { text } from './text.js'

const CAMERA = { width: { ideal: 1280 }, height: { ideal: 720 }, frameRate: { ideal: 30, max: 30 } }
const CHOICES = 'roomserver.devices'

// What the user has chosen for all devices: echo cancellation, noise suppression, blur, and the speaker. It stays in this browser.
export const choices = { echo: true, noise: true, blur: false, speaker: '' }
try { Object.assign(choices, JSON.parse(localStorage.getItem(CHOICES) ?? '{}')) } catch { /* storage is off: the defaults apply */ }

/** @param {Partial<typeof choices>} changes */
export function choose(changes) {
  Object.assign(choices, changes)
  try { localStorage.setItem(CHOICES, JSON.stringify(choices)) } catch { /* the choice lasts until the page closes */ }
}

// Why no devices are available; null if they may be.
export function unavailable() {
  if (navigator.mediaDevices) return null
  return isSecureContext ? text.stage.noDevices : text.stage.insecure
}

// A camera by its id, or by the side of a phone that it faces: 'user' or 'environment'.
/** @param {string} [deviceId] @param {string} [facing] */
export async function camera(deviceId, facing) {
  if (deviceId === TEST) return testPicture()
  const track = await open({ video: { ...CAMERA, ...(deviceId ? { deviceId: { exact: deviceId } } : facing && { facingMode: { ideal: facing } }) } })
  return choices.blur ? blurred(track) : track
}

/** @param {string} [deviceId] */
export async function microphone(deviceId) {
  if (deviceId === TEST) return testTone()
  const { echo, noise } = choices
  return open({ audio: { echoCancellation: echo, noiseSuppression: noise, autoGainControl: true, ...(deviceId && { deviceId: { exact: deviceId } }) } })
}

// The device that a track comes from.
/** @param {MediaStreamTrack | null} [track] */
export const deviceOf = track => track?.testDevice ?? (track?.origin ?? track)?.getSettings().deviceId

// Whether the picture of oneself is shown as in a mirror: not a test picture, and not what is in front of a phone.
/** @param {MediaStreamTrack | null} [track] */
export const isMirrored = track => Boolean(track) && !track?.testDevice && (track?.origin ?? track)?.getSettings().facingMode !== 'environment'

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

/** @param {Error} error @param {'camera' | 'microphone'} what */
function inWords(error, what) {
  const { denied, missing, busy, unusable } = text.stage.device[what]
  switch (error.name) {
    case 'NotAllowedError': return denied
    case 'NotFoundError': case 'OverconstrainedError': return missing
    case 'NotReadableError': return busy
    default: return `${unusable} ${error.message || error.name}`
  }
}

// The devices of a kind, 'videoinput' or 'audioinput', and the test source. They have names once the user has allowed one of
// them.
/** @param {MediaDeviceKind} kind */
export async function list(kind) {
  const all = await navigator.mediaDevices?.enumerateDevices().catch(() => []) ?? []
  const found = all.filter(device => device.kind === kind && device.deviceId)
    .map((device, index) => ({ id: device.deviceId, name: device.label || `${kind === 'videoinput' ? text.stage.camera : text.stage.microphone} ${index + 1}` }))
  return [...found, { id: TEST, name: kind === 'videoinput' ? text.stage.testPicture : text.stage.testTone }]
}

// The speakers that a page may choose from; empty if the browser offers no choice.
export async function speakers() {
  if (!('setSinkId' in HTMLMediaElement.prototype)) return []
  const all = await navigator.mediaDevices?.enumerateDevices().catch(() => []) ?? []
  return all.filter(device => device.kind === 'audiooutput' && device.deviceId).map(({ deviceId, label }) => ({ id: deviceId, name: label || deviceId }))
}

// Plays an element through the chosen speaker; if that is gone, through the default one.
/** @param {HTMLMediaElement} node */
export function useSpeaker(node) {
  const { speaker } = choices
  const output = /** @type {any} */ (node)
  if ('setSinkId' in node && output.sinkId !== speaker) output.setSinkId(speaker).catch(() => {})
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
