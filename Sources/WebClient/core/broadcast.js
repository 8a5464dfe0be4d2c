// What leaves the room as a live stream: ours, or another one. Loaded on its own, not with roomclient.js.

// A new live stream takes its URL over from an older job.
/** @param {string} url */
const newest = url => /[?&]serialnum=/.test(url) ? url : `${url}${url.includes('?') ? '&' : '?'}serialnum=${Math.floor(Date.now() / 1000)}`

/** The live stream of a room: the one that this page began, else another one. Views are drawn with the room's event `change`. */
export class Broadcast {
  /** The last publish URL. */
  url = ''
  /** How our stream ended, unless we ended it: the reason of `jobEnded`, who took it over, and the failure; null if it did not.
   * @type {{ reason: string, by?: string, failure?: Wire.JobFailure } | null} */
  ended = null
  /** When the stream was first seen on air, in milliseconds since 1970; undefined before.
   * @type {number | undefined} */
  since
  /** How many seconds the stream lasted that we ended; null if there is none.
   * @type {number | null} */
  seconds = null
  /** @type {Wire.Job | null} */
  #last = null // our own stream, as it was before it ended
  /** @type {string | undefined} */
  #timed // the job that `since` belongs to
  /** @type {string | undefined} */
  #stopped // by us
  #isIn = false
  #room

  /** @param {Room} room */
  constructor(room) {
    this.#room = room
    for (const event of ['jobChanged', 'stateChanged']) room.addEventListener(event, () => this.#update())
    room.addEventListener('jobEnded', ({ detail }) => this.#over(detail))
  }

  // What was on air at the join began before.
  #update() {
    const { job } = this
    if (this.isOurs) this.#last = job
    if (job?.onAir && this.#timed !== job.jobId) {
      this.#timed = job.jobId
      this.since = this.#isIn ? Date.now() : job.startedAt
    }
    this.#isIn = this.#room.state === 'joined'
  }

  /** The stream's job: our own, else another one of the room that is no recording; null for none. */
  get job() {
    const { jobs } = this.#room
    const out = jobs.all.filter(job => job.target && !job.jobId.startsWith('@') && !job.publishAs)
    return out.find(job => jobs.isOurs(job.jobId)) ?? out.find(job => !job.target?.startsWith('file:')) ?? null
  }

  /** Whether we began it. */
  get isOurs() { return this.job !== null && this.#room.jobs.isOurs(this.job.jobId) }

  /** `starting` until its target accepts it, `live`, or `failing` while nothing goes out; null for none.
   * @returns {'starting' | 'live' | 'failing' | null} */
  get phase() {
    const { job } = this
    if (!job) return null
    if (job.state === 'autoReconnecting' || job.state === 'error') return 'failing'
    return job.state === 'connected' && job.onAir ? 'live' : 'starting'
  }

  /** @param {{ jobId: string, reason: string, failure?: Wire.JobFailure }} given */
  #over({ jobId, reason, failure }) {
    const job = this.#last
    if (job?.jobId !== jobId) return
    this.#last = null
    if (this.#stopped === jobId) return
    this.ended = { reason, failure, by: this.#room.jobs.all.find(each => each.target === job.target)?.by }
  }

  /** Sends the stage of the room to a URL, and takes the URL over from an older job.
   * @param {string} url */
  async begin(url) {
    this.ended = this.seconds = null
    this.url = url
    this.#last = await this.#room.jobs.startForward({ jobId: `live-${Date.now().toString(36)}`, publishUrl: newest(url), follow: 'stage' })
  }

  /** Ends the stream; we stay in the room. */
  async end() {
    const { job } = this
    if (!job) return
    const [before, stopped] = [this.seconds, this.#stopped]
    this.seconds = this.since ? Math.round((Date.now() - this.since) / 1000) : 0
    this.#stopped = job.jobId
    try { await this.#room.jobs.stop(job.jobId) } catch (error) {
      this.seconds = before
      this.#stopped = stopped
      throw error
    }
  }
}
