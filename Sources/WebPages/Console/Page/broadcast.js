// What leaves the room as a live stream: ours, or another one.
import { text } from './text.js'

// A new live stream takes its URL over from an older job.
/** @param {string} url */
const newest = url => /[?&]serialnum=/.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}serialnum=${Math.floor(Date.now() / 1000)}`

export class Broadcast {
  url = '' // the last publish URL
  /** @type {string | null} */
  ended = null // how it ended, unless the user ended it here
  /** @type {number | undefined} */
  since // when the current job was first seen on air
  /** @type {number | null} */
  viewers = null // of the origin's stream; null if unknown
  most = 0 // viewers at once
  /** @type {{ of: string, seconds: number, most: number } | null} */
  result = null // of the stream that the user ended here
  /** @type {Wire.Job | null} */
  #last = null // our own stream, as it was before it ended
  /** @type {string | undefined} */
  #timed // the job that `since` belongs to
  #isIn = false

  /** @param {Room} room */
  constructor(room) { this.room = room }

  // What was on air at the join began before.
  update() {
    const { job } = this
    if (this.isOurs) this.#last = job
    if (job?.onAir && this.#timed !== job.jobId) this.#time(job, this.#isIn ? Date.now() : job.startedAt)
    this.#isIn = this.room.state === 'joined'
  }

  /** @param {Wire.Job} job @param {number} [since] */
  #time(job, since) {
    this.#timed = job.jobId
    this.since = since
    this.most = 0
  }

  // The live stream: our own, else another one of the room.
  get job() {
    const out = this.room.jobs.all.filter(job => job.target && !job.jobId.startsWith('@') && !job.publishAs)
    // A recording is no live stream, unless it was begun as one here.
    return out.find(job => this.room.jobs.isOurs(job.jobId)) ?? out.find(job => !job.target?.startsWith('file:')) ?? null
  }

  // Whether we began it.
  get isOurs() { return this.job !== null && this.room.jobs.isOurs(this.job.jobId) }

  /** @returns {'starting' | 'live' | 'failing' | null} */
  get phase() {
    const { job } = this
    if (!job) return null
    if (job.state === 'autoReconnecting' || job.state === 'error') return 'failing'
    return job.state === 'connected' && job.onAir ? 'live' : 'starting'
  }

  /** @param {number} count */
  seen(count) {
    this.viewers = count
    this.most = Math.max(this.most, count)
  }

  /** @param {{ jobId: string, reason: string, failure?: Wire.JobFailure }} given */
  over({ jobId, reason, failure }) {
    const job = this.#last
    if (job?.jobId !== jobId) return
    this.#last = null
    this.viewers = null
    if (this.result?.of === jobId) return
    // The origin gives the operator's end of a stream as its reason to reject it.
    const by = this.room.jobs.all.find(each => each.target === job.target)?.by
    this.ended = reason === 'takenOver' ? text.stage.takenOver(by) : reason === 'failed' ? (failure?.message.includes('operator ended') ? text.stage.liveStopped : text.stage.liveFailed(failure?.message ?? ''))
      : reason === 'noTracks' ? text.stage.noTracks : reason === 'stopped' ? text.stage.liveStopped : null
  }

  // Sends our camera and microphone to a URL.
  /** @param {string} url */
  async begin(url) {
    this.ended = this.result = null
    this.url = url
    this.#last = await this.room.jobs.startForward({ jobId: `live-${Date.now().toString(36)}`, publishUrl: newest(url), follow: 'stage' })
  }

  // Ends the live stream; we stay in the room.
  async end() {
    const { job } = this
    if (!job) return
    this.result = { of: job.jobId, seconds: this.since ? Math.round((Date.now() - this.since) / 1000) : 0, most: this.most }
    try { await this.room.jobs.stop(job.jobId) } catch (error) {
      this.result = null
      throw error
    }
  }
}

// The URL of this server's origin for a room.
/** @param {string} room */
export const originURL = room => `rtmp://origin/live/${room}`

// Why a text is no publish URL; empty if it is one, or nothing.
/** @param {string} url */
export const wrongURL = url => !url || [/^rtmps?:\/\/[^\s/]+\/\S+$/, /^srt:\/\/[^\s/?]+:\d+(\/?\?\S*)?$/, /^file:[^\s/]+\.(mp4|flv)$/].some(form => form.test(url))
  ? '' : text.stage.wrongURL
