// Statistics that this browser measures of its own media, once per second: by track id `{ kbps, fps, loss, jitter, rtt, width,
// height, codec, scalability }`.

/** Statistics that this browser measures of its own media, once per second. */
export class Statistics {
  /** What was measured last, by track id.
   * @type {Map<string, Measured>} */
  tracks = new Map()
  /** @type {Map<string, { at: number, counts: Record<string, number> }>} */
  #before = new Map()
  #room

  /** @param {{ localTracks: Map<string, Source>, remoteTracks: Map<string, Remote> }} room */
  constructor(room) { this.#room = room }

  /** What was measured of a track last.
   * @param {string} trackId */
  get(trackId) { return this.tracks.get(trackId) }

  /** @internal */
  async measure() {
    const { localTracks, remoteTracks } = this.#room
    const now = new Map()
    for (const { trackId, receiver } of remoteTracks.values()) now.set(trackId, await this.#inbound(trackId, receiver))
    for (const { trackId, transceiver } of localTracks.values()) {
      if (trackId && transceiver) now.set(trackId, await this.#outbound(trackId, transceiver.sender))
    }
    this.tracks = now
    for (const trackId of this.#before.keys()) if (!now.has(trackId)) this.#before.delete(trackId)
  }

  /** @param {string} trackId @param {RTCRtpReceiver} receiver @returns {Promise<Measured>} */
  async #inbound(trackId, receiver) {
    const report = await receiver.getStats().catch(() => new Map())
    const entry = find(report, 'inbound-rtp') ?? {}
    const { bits, packets, lost, frames } = this.#since(trackId, entry.timestamp, {
      bits: (entry.bytesReceived ?? 0) * 8, packets: entry.packetsReceived ?? 0, lost: entry.packetsLost ?? 0, frames: entry.framesDecoded ?? 0,
    })
    return {
      kbps: bits / 1000, fps: frames, loss: lost + packets > 0 ? Math.max(0, lost) / (Math.max(0, lost) + packets) : 0,
      jitter: (entry.jitter ?? 0) * 1000, rtt: roundTrip(report), width: entry.frameWidth, height: entry.frameHeight,
      frames: entry.framesDecoded ?? 0, codec: codec(report, entry),
    }
  }

  /** @param {string} trackId @param {RTCRtpSender} sender @returns {Promise<Measured>} */
  async #outbound(trackId, sender) {
    const report = await sender.getStats().catch(() => new Map())
    const layers = [...report.values()].filter(each => each.type === 'outbound-rtp')
    // Of several layers, the largest that is sent.
    const entry = layers.reduce((best, each) => each.active !== false && (each.frameHeight ?? 0) > (best.frameHeight ?? 0) ? each : best, layers[0] ?? {})
    const bytes = layers.reduce((sum, each) => sum + (each.bytesSent ?? 0), 0)
    const far = find(report, 'remote-inbound-rtp') ?? {}
    const { bits, frames } = this.#since(trackId, entry.timestamp, { bits: bytes * 8, frames: entry.framesEncoded ?? 0 })
    return {
      kbps: bits / 1000, fps: frames, loss: far.fractionLost ?? 0, jitter: (far.jitter ?? 0) * 1000,
      rtt: far.roundTripTime === undefined ? roundTrip(report) : far.roundTripTime * 1000,
      width: entry.frameWidth, height: entry.frameHeight, frames: entry.framesEncoded ?? 0, codec: codec(report, entry),
      scalability: entry.scalabilityMode,
    }
  }

  // How much each count has grown per second.
  /** @template {string} K @param {string} trackId @param {number} at @param {Record<K, number>} counts @returns {Record<K, number>} */
  #since(trackId, at, counts) {
    const before = this.#before.get(trackId)
    this.#before.set(trackId, { at, counts })
    const seconds = before ? (at - before.at) / 1000 : 0
    const names = /** @type {K[]} */ (Object.keys(counts))
    const grown = names.map(name => [name, before && seconds > 0 ? Math.max(0, counts[name] - before.counts[name]) / seconds : 0])
    return Object.fromEntries(grown)
  }
}

/** @param {RTCStatsReport} report @param {string} type */
export const find = (report, type) => [...report.values()].find(entry => entry.type === type)
/** @param {RTCStatsReport} report @param {Data} entry @returns {string | undefined} */
const codec = (report, entry) => report.get(entry.codecId)?.mimeType.split('/')[1]

/** The pair of candidates in use.
 * @param {RTCStatsReport} report @returns {Data} */
export const nominated = report => [...report.values()].find(entry => entry.type === 'candidate-pair' && entry.nominated)

/** Milliseconds.
 * @param {RTCStatsReport} report @returns {number | undefined} */
export function roundTrip(report) {
  const pair = nominated(report)
  return pair?.currentRoundTripTime === undefined ? undefined : pair.currentRoundTripTime * 1000
}
