// The jobs of a room, which send it elsewhere or mix it. Those that began here begin again in a new session.
import { ConnectionLost } from './errors.js'

/** Jobs that send a room elsewhere, or mix it. Those that began here begin again in a new session. */
export class RoomJobs {
  /** The jobs by their ids.
   * @type {Map<string, Wire.Job>} */
  byId = new Map()
  /** @type {Map<string, { method: string, params: { jobId: string } }>} */
  #begun = new Map() // here, by job id

  // `refused(error)` reports a job that could not begin again.
  /** @param {Pick<Connection, 'request' | 'refused'>} given */
  constructor({ request, refused }) {
    /** @internal */
    this.request = request
    /** @internal */
    this.refused = refused
  }

  /** The jobs. */
  get all() { return [...this.byId.values()] }
  /** Whether the job began here.
   * @param {string} jobId */
  isOurs(jobId) { return this.#begun.has(jobId) }

  /** Sends tracks to a URL.
   * @param {{ jobId: string, publishUrl: string, [more: string]: unknown }} params @returns {Promise<Wire.Job>} */
  startForward(params) { return this.#start('startForward', params) }
  /** Mixes tracks, and sends the mix to a URL or back to the room.
   * @param {{ jobId: string, layouts: object[], [more: string]: unknown }} params @returns {Promise<Wire.Job>} */
  startMerge(params) { return this.#start('startMerge', params) }
  /** Changes the layouts of a mix, from the next frame on.
   * @param {string} jobId @param {object[]} layouts */
  setLayouts(jobId, layouts) { return this.request('setLayouts', { jobId, layouts }) }
  /** Stops a job.
   * @param {string} jobId */
  stop(jobId) { return this.request('stopJob', { jobId }) }

  /** @param {string} method @param {{ jobId: string }} params */
  async #start(method, params) {
    const job = await this.request(method, params)
    this.#begun.set(params.jobId, { method, params })
    return job
  }

  /** @internal
   * @param {Wire.Job[]} jobs */
  take(jobs) { this.byId = new Map(jobs.map(job => [job.jobId, job])) }
  /** @internal
   * @param {Wire.Job} job */
  changed(job) { this.byId.set(job.jobId, job) }
  /** @internal
   * @param {{ jobId: string }} given */
  over({ jobId }) {
    this.byId.delete(jobId)
    this.#begun.delete(jobId)
  }

  /** A server that does not know our session does not know our jobs.
   * @internal */
  async beginAgain() {
    for (const [jobId, { method, params }] of this.#begun) {
      if (this.byId.has(jobId)) continue
      await this.request(method, params).catch(error => {
        if (error instanceof ConnectionLost) return
        this.#begun.delete(jobId)
        this.refused(error)
      })
    }
  }
}
