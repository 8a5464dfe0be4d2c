// The layers of a published picture (simulcast), smallest first, because browsers give the first one its bitrate first.

const CAMERA = [
  { rid: 'q', scaleResolutionDownBy: 4, maxBitrate: 150_000, maxFramerate: 15 },
  { rid: 'h', scaleResolutionDownBy: 2, maxBitrate: 500_000 },
  { rid: 'f', scaleResolutionDownBy: 1 },
]

// Returns the encodings of a source with at most `maxBitrate` bits per second.
/** @param {{ tag: string, kind: string }} source @param {number} maxBitrate @returns {RTCRtpEncodingParameters[]} */
export function encodings({ tag, kind }, maxBitrate) {
  if (kind !== 'video' || tag !== 'camera') return [{ maxBitrate }]
  return CAMERA.map(layer => ({ maxBitrate, ...layer }))
}

// Sends only the layers with these rids. Without layers nothing changes.
/** @param {RTCRtpSender} sender @param {string[]} wanted */
export async function activate(sender, wanted) {
  const parameters = sender.getParameters()
  if (parameters.encodings.length < 2) return
  for (const encoding of parameters.encodings) encoding.active = wanted.includes(encoding.rid ?? '')
  await sender.setParameters(parameters)
}
