// The encodings of a published picture, and their layers (simulcast): the smallest first, because browsers give the first one its bitrate first.

const CAMERA = [
  { rid: 'q', scaleResolutionDownBy: 4, maxBitrate: 150_000, maxFramerate: 15 },
  { rid: 'h', scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { rid: 'f', scaleResolutionDownBy: 1 },
]
// Chromium takes several encodings of these as one scalable stream, unless they have a mode.
const SCALABLE = ['VP9', 'AV1']

// Returns the encodings of a source with at most `maxBitrate` bits per second.
/** @param {Sending & { tag: string, kind: string }} source @param {number} maxBitrate @returns {RTCRtpEncodingParameters[]} */
export function encodings({ tag, kind, codec, scalability, priority }, maxBitrate) {
  const common = { maxBitrate, ...(priority && { priority, networkPriority: priority }) }
  if (kind !== 'video') return [common]
  if (scalability) return [{ ...common, scalabilityMode: scalability }]
  if (tag !== 'camera') return [common]
  return CAMERA.map(layer => ({ ...common, ...layer, ...(codec && SCALABLE.includes(codec) && { scalabilityMode: 'L1T1' }) }))
}

/** @param {{ mimeType: string }} codec */
const nameOf = ({ mimeType }) => mimeType.split('/')[1].toUpperCase()
const codecs = () => RTCRtpSender.getCapabilities('video')?.codecs ?? []

// What the browser offers of the wanted codec and scalability mode; what it does not offer is absent.
/** @param {Sending} wanted @param {MediaTrackSettings} settings @returns {Promise<Pick<Sending, 'codec' | 'scalability'>>} */
export async function offered({ codec, scalability }, { width = 1280, height = 720, frameRate = 30 }) {
  if (codec && !codecs().some(each => nameOf(each) === codec)) return {}
  if (!scalability) return { codec }
  let isKnown = false // a browser reads only what it knows
  const video = {
    contentType: `video/${codec ?? 'VP8'}`, width, height, bitrate: 1_000_000, framerate: frameRate || 30,
    get scalabilityMode() { isKnown = true; return scalability },
  }
  const { supported } = await navigator.mediaCapabilities.encodingInfo({ type: 'webrtc', video }).catch(() => ({ supported: false }))
  return { codec, scalability: isKnown && supported ? scalability : undefined }
}

// Prefers a codec for a picture; the others follow, because the server selects. Without one the order is the browser's.
/** @param {RTCRtpTransceiver} transceiver @param {string} [codec] */
export function prefer(transceiver, codec) {
  if (!codec) return
  const all = codecs()
  transceiver.setCodecPreferences([...all.filter(each => nameOf(each) === codec), ...all.filter(each => nameOf(each) !== codec)])
}

// Sets bitrates, priorities and what a picture loses first if it can't have all; sends all layers.
/** @param {RTCRtpSender} sender @param {RTCRtpEncodingParameters[]} wanted @param {RTCDegradationPreference} [degradation] */
export async function configure(sender, wanted, degradation) {
  const parameters = sender.getParameters()
  parameters.encodings.forEach((encoding, at) => {
    const { maxBitrate, priority = 'low', networkPriority = 'low' } = wanted[at] ?? {}
    Object.assign(encoding, { active: true, maxBitrate, priority, networkPriority })
  })
  parameters.degradationPreference = degradation
  await sender.setParameters(parameters)
}

// Sends only the layers with these rids. Without layers nothing changes.
/** @param {RTCRtpSender} sender @param {string[]} wanted */
export async function activate(sender, wanted) {
  const parameters = sender.getParameters()
  if (parameters.encodings.length < 2) return
  for (const encoding of parameters.encodings) encoding.active = wanted.includes(encoding.rid ?? '')
  await sender.setParameters(parameters)
}
