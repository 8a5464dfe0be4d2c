// The ways to play, and whether this browser has them. Each plays in a video element: `run()` returns when the stream has ended, and
// throws if it can't be played.

/**
 * @typedef {object} SourceOptions
 * @property {HTMLVideoElement} video
 * @property {import('./server.js').Server} server
 * @property {() => Promise<string | null>} token
 * @property {string} [whep] Like the others, a path of the server.
 * @property {string | null} [layer]
 * @property {string} [hls]
 * @property {string} [flv]
 * @property {() => number} clock Milliseconds since 1970, as the server counts.
 */

/** @typedef {'whep' | 'hls' | 'flv' | 'native'} Method */

// Safari on phones has only the managed kind.
/** @type {typeof MediaSource | undefined} */
export const Media = /** @type {any} */ (globalThis).ManagedMediaSource ?? globalThis.MediaSource

const canBuffer = () => Boolean(Media?.isTypeSupported('video/mp4; codecs="avc1.42E01E,mp4a.40.2"'))

// In the order in which they are tried.
/** @type {Record<Method, () => boolean>} */
export const isUsable = {
  whep: () => typeof RTCPeerConnection === 'function',
  hls: canBuffer,
  flv: canBuffer,
  native: () => Boolean(document.createElement('video').canPlayType('application/vnd.apple.mpegurl')),
}
