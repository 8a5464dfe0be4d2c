// Tries what a call needs, before a person joins: devices, signalling, and each way of media to the server.
import { openCamera, openMicrophone } from './capture.js'
import { Link } from './link.js'
import { Server } from './server.js'
import { find, nominated, roundTrip } from './statistics.js'

const PATIENCE = 10_000 // milliseconds in which a way has to connect
const MOST = 2_500_000 // bits per second that are tried

const DEVICES = { camera: openCamera, microphone: openMicrophone }

/** Yields a result for each of 'camera', 'microphone', 'signalling', 'udp', 'tcp' and 'relay' (TURN), as soon as the result is known. Joins
 * the token's room for a moment, once for each way, and sends a picture there: use a token for a room of its own, with the grant
 * `publish`. `seconds` is the time in which the bitrate of a way is measured.
 * @param {string} address @param {Token} token @param {{ devices?: boolean, seconds?: number }} [options] @returns {AsyncGenerator<CheckResult, void>} */
export async function* checkConnection(address, token, options = {}) {
  const { devices = true, seconds = 3 } = options
  const server = Server.at(address)
  if (devices) for (const [name, open] of Object.entries(DEVICES)) yield result(name, async () => { (await open()).stop(); return {} })
  /** @type {RTCIceServer[]} */
  let iceServers = []
  yield result('signalling', () => within(server, token, async (link, joined) => {
    iceServers = joined.iceServers ?? []
    const began = performance.now()
    await link.request('ping')
    return { roundTrip: performance.now() - began }
  }))
  const relays = iceServers.flatMap(({ urls }) => urls).some(url => /^turns?:/.test(url))
  for (const way of /** @type {Way[]} */ (['udp', 'tcp', 'relay'])) {
    if (way === 'relay' && !relays) yield { name: way, state: 'skipped', reason: 'The server names no TURN server.' }
    else yield result(way, () => within(server, token, link => sent(link, iceServers, way, seconds)))
  }
}

/** @param {string} name @param {() => Promise<Omit<CheckResult, 'name' | 'state'>>} check @returns {Promise<CheckResult>} */
const result = (name, check) => check().then(
  found => ({ name, state: /** @type {const} */ ('passed'), ...found }),
  error => ({ name, state: /** @type {const} */ ('failed'), reason: error.message || String(error), error }))

// Joins for the time of a check.
/** @template T @param {Server} server @param {Token} token @param {(link: Link, joined: Joined) => Promise<T>} check @returns {Promise<T>} */
async function within(server, token, check) {
  /** @type {Joined | undefined} */
  let joined
  const link = new Link({
    server, joined: answer => { joined = answer }, received() {}, lost() {}, failed() {}, broken() {},
    params: async at => ({ token: typeof token === 'string' ? token : await token(at), autoSubscribe: false }),
  })
  try {
    await link.connect()
    return await check(link, /** @type {Joined} */ (/** @type {unknown} */ (joined)))
  } finally {
    await link.leave()
    link.close()
  }
}

// Sends a picture one way, and measures it.
/** @param {Link} link @param {RTCIceServer[]} iceServers @param {Way} way @param {number} seconds */
async function sent(link, iceServers, way, seconds) {
  const picture = noise()
  const pc = new RTCPeerConnection({ bundlePolicy: 'max-bundle', iceServers, iceTransportPolicy: way === 'relay' ? 'relay' : 'all' })
  try {
    const { sender } = pc.addTransceiver(picture.track, { direction: 'sendonly', sendEncodings: [{ maxBitrate: MOST }] })
    await pc.setLocalDescription()
    const answer = await link.request('publish', { sdp: pc.localDescription?.sdp, tracks: [{ mid: pc.getTransceivers()[0].mid, kind: 'video', tag: 'check' }] })
    await pc.setRemoteDescription({ type: 'answer', sdp: only(way, answer.sdp) })
    await connected(pc)
    const before = await read(sender)
    await new Promise(resolve => setTimeout(resolve, seconds * 1000))
    const after = await read(sender)
    const time = (after.at - before.at) / 1000
    return { roundTrip: after.roundTrip, bitrate: Math.round((after.bytes - before.bytes) * 8 / time), available: after.available, loss: after.loss }
  } finally {
    picture.stop()
    pc.close()
  }
}

// A server's description with the candidates of one way. A relay chooses its own way to the server.
/** @param {Way} way @param {string} sdp */
function only(way, sdp) {
  const other = way === 'udp' ? 'tcp' : way === 'tcp' ? 'udp' : ''
  return other ? sdp.replace(new RegExp(`^a=candidate:\\S+ \\d+ ${other} .*\\r\\n`, 'gim'), '') : sdp
}

/** @param {RTCPeerConnection} pc @returns {Promise<void>} */
const connected = pc => new Promise((resolve, reject) => {
  const timer = setTimeout(() => reject(new Error('The server did not answer.')), PATIENCE)
  pc.onconnectionstatechange = () => {
    if (!['connected', 'failed', 'closed'].includes(pc.connectionState)) return
    clearTimeout(timer)
    if (pc.connectionState === 'connected') resolve()
    else reject(new Error('The server was not reached.'))
  }
})

/** @param {RTCRtpSender} sender */
async function read(sender) {
  const at = performance.now()
  const report = await sender.getStats()
  return {
    at, bytes: find(report, 'outbound-rtp')?.bytesSent ?? 0, loss: find(report, 'remote-inbound-rtp')?.fractionLost ?? 0,
    roundTrip: roundTrip(report), available: nominated(report)?.availableOutgoingBitrate,
  }
}

// A picture that needs all of the bitrate.
function noise() {
  const canvas = Object.assign(document.createElement('canvas'), { width: 640, height: 360 })
  const pen = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'))
  const timer = setInterval(() => {
    for (let count = 0; count < 400; count += 1) {
      pen.fillStyle = `hsl(${Math.random() * 360} 80% ${Math.random() * 100}%)`
      pen.fillRect(Math.random() * 640, Math.random() * 360, 24, 24)
    }
  }, 40)
  const [track] = canvas.captureStream(25).getVideoTracks()
  return { track, stop() { clearInterval(timer); track.stop() } }
}
