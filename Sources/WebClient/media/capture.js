// Cameras, microphones and screens.
import { blurred } from './blur.js'

/** Why a device gives no track: 'denied' by the user or the system, 'missing', 'busy', 'unusable', or for no device at all
 * 'insecure' (the page has no https) and 'unsupported'. */
export class DeviceError extends Error {
  /** @param {DeviceCause} cause @param {'camera' | 'microphone' | 'screen'} device @param {string} [message] */
  constructor(cause, device, message = `The ${device} is not available: ${cause}.`) {
    super(message)
    /** The cause. */
    this.name = cause
    /** The kind of device. */
    this.device = device
  }
}

/** Why no devices are available; null if they may be. */
export const unavailable = () => navigator.mediaDevices ? null : isSecureContext ? 'unsupported' : 'insecure'

/** A camera by its id, or by the side of a phone that it faces. The picture has about the wanted size: 1280x720 at 30 per second by default.
 * @param {{ deviceId?: string, facing?: string, blur?: boolean, width?: number, height?: number, fps?: number }} wanted */
export async function openCamera({ deviceId, facing, blur, width = 1280, height = 720, fps = 30 } = {}) {
  const size = { width: { ideal: width }, height: { ideal: height }, frameRate: { ideal: fps, max: fps } }
  const track = await open('camera', { video: { ...size, ...(deviceId ? { deviceId: { exact: deviceId } } : facing && { facingMode: { ideal: facing } }) } })
  return blur ? blurred(track) : track
}

/** A microphone by its id. `echo` and `noise` ask the browser to suppress them, which is the default.
 * @param {{ deviceId?: string, echo?: boolean, noise?: boolean }} wanted */
export function openMicrophone({ deviceId, echo = true, noise = true } = {}) {
  return open('microphone', { audio: { echoCancellation: echo, noiseSuppression: noise, autoGainControl: true, ...(deviceId && { deviceId: { exact: deviceId } }) } })
}

/** A screen, window or tab that the user chooses, without its sound. */
export async function openScreen() {
  const stream = await navigator.mediaDevices.getDisplayMedia({ video: { frameRate: { max: 15 } }, audio: false })
  const [track] = stream.getTracks()
  track.contentHint = 'detail'
  return track
}

/** Whether the browser can share a screen. */
export function canShareScreen() { return Boolean(navigator.mediaDevices?.getDisplayMedia) }

/** @type {Record<string, DeviceCause>} */
const CAUSES = { NotAllowedError: 'denied', NotFoundError: 'missing', OverconstrainedError: 'missing', NotReadableError: 'busy' }

/** @param {'camera' | 'microphone'} device @param {MediaStreamConstraints} constraints */
async function open(device, constraints) {
  const cause = unavailable()
  if (cause) throw new DeviceError(cause, device)
  try {
    return (await navigator.mediaDevices.getUserMedia(constraints)).getTracks()[0]
  } catch (error) {
    throw new DeviceError(CAUSES[error.name] ?? 'unusable', device, error.message || error.name)
  }
}

/** The devices of a kind. They have names once the user has allowed one of them.
 * @param {MediaDeviceKind} kind */
export async function listDevices(kind) {
  const all = await navigator.mediaDevices?.enumerateDevices().catch(() => []) ?? []
  return all.filter(device => device.kind === kind && device.deviceId).map(({ deviceId, label }) => ({ id: deviceId, name: label }))
}

/** The speakers that a page may choose from; empty if the browser offers no choice. */
export async function listSpeakers() { return 'setSinkId' in HTMLMediaElement.prototype ? listDevices('audiooutput') : [] }

/** The level of a microphone, 0…1, reported about 15 times per second until `stop()`.
 * @param {MediaStreamTrack} track @param {(level: number) => void} report */
export function listen(track, report) {
  const context = new AudioContext()
  const analyser = new AnalyserNode(context, { fftSize: 1024 })
  new MediaStreamAudioSourceNode(context, { mediaStream: new MediaStream([track]) }).connect(analyser)
  const samples = new Float32Array(analyser.fftSize)
  const timer = setInterval(() => {
    analyser.getFloatTimeDomainData(samples)
    const power = samples.reduce((sum, value) => sum + value * value, 0) / samples.length
    report(loudness(10 * Math.log10(power + 1e-12)))
  }, 66)
  return { stop() { clearInterval(timer); context.close() } }
}

/** Decibels below full scale as a fraction of a meter: −60 and less is 0.
 * @param {number} decibels */
export function loudness(decibels) { return Math.min(1, Math.max(0, (decibels + 60) / 55)) }

// The device that a track comes from.
/** @param {MediaStreamTrack | null} [track] */
export const deviceOf = track => track?.testDevice ?? (track?.origin ?? track)?.getSettings().deviceId

// Whether the picture of oneself is shown as in a mirror: not a test picture, and not what is in front of a phone.
/** @param {MediaStreamTrack | null} [track] */
export const isMirrored = track => Boolean(track) && !track?.testDevice && (track?.origin ?? track)?.getSettings().facingMode !== 'environment'
