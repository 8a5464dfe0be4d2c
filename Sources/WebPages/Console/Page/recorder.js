// Records a room into a file: the button of hosts and operators, and the red mark that everybody in the room sees.
import { openDialog, problem, toast } from './dialogs.js'
import { attribute, h, say } from './dom.js'
import { duration } from './format.js'
import { text } from './text.js'

/** @param {Wire.Job} job */
const isFile = job => job.tracks === 'separate' || (job.target?.startsWith('file:') ?? false)
/** @param {Wire.Job} job */
const fileOf = job => job.tracks ? '*.mp4' : isFile(job) ? job.target?.slice('file:'.length) ?? '' : job.record ?? ''

// The job that records: one of its own, else a broadcast that is recorded in addition.
/** @param {Wire.Job[]} jobs */
const recordingOf = jobs => jobs.find(isFile) ?? jobs.find(job => job.record) ?? null

// "party-20261125-203015.mp4", in the local time.
/** @param {string} room @param {Date} at */
function fileName(room, at) {
  const digits = new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().replace(/\D/g, '')
  return `${room.replace(/[^A-Za-z0-9_-]/g, '_')}-${digits.slice(0, 8)}-${digits.slice(8, 14)}.mp4`
}

export class Recorder {
  /** @type {Wire.Job | null} */
  #job = null
  #stopped = '' // the job that was stopped here

  // `publishers()` returns the users who publish, the most important one first.
  /** @param {Acts} acts @param {{ publishers: () => string[] }} given */
  constructor(acts, { publishers }) {
    this.acts = acts
    this.publishers = publishers
    this.words = h('span')
    this.time = h('span', { class: 'number', 'aria-hidden': 'true' })
    /** @type {HTMLButtonElement} */
    this.node = h('button', { type: 'button', class: 'button record', hidden: true, data: { action: 'record' }, on: { click: () => this.#press() } },
      h('span', { class: 'dot' }), this.words, this.time)
  }

  get #mayRecord() { return Boolean(this.acts.app.api) || this.acts.has('relay') }

  /** @param {Wire.Job[]} jobs The room's. */
  update(jobs) {
    const before = this.#job
    this.#job = recordingOf(jobs)
    const job = this.#job
    if (before && !job && before.jobId !== this.#stopped && this.#mayRecord) toast(text.recordings.ended(fileOf(before)))
    // A broadcast that is recorded ends its recording itself.
    this.node.hidden = !this.#mayRecord || Boolean(job && !isFile(job))
    this.node.classList.toggle('active', job !== null)
    const words = job ? text.recordings.stop : text.recordings.record
    say(this.words, words)
    say(this.time, job ? elapsed(job) : '')
    attribute(this.node, 'aria-label', words)
    attribute(this.node, 'title', job ? text.recordings.intoFile(fileOf(job)) : text.recordings.recordHint)
  }

  async #press() {
    this.node.disabled = true
    const job = this.#job
    try { await (job ? this.#stop(job) : this.#begin()) } catch (error) { refuse(error, job !== null) }
    this.node.disabled = false
  }

  // Records the stage; while nobody is on it, somebody who publishes.
  async #begin() {
    const { acts } = this
    const [userId] = this.publishers()
    if (!userId) throw new Error(text.recordings.nothingToRecord)
    const now = new Date()
    /** @type {Wire.NewForward} */
    const params = { jobId: `record-${now.getTime().toString(36)}`, publishUrl: `file:${fileName(acts.room, now)}`, follow: 'stage', userId }
    /** @type {Wire.Job} */
    const job = await acts.ask('relay', 'startForward', params, api => api.send('POST', '/v1/rooms/{room}/jobs', { room: acts.room }, params))
    toast(text.recordings.begun(fileOf(job)))
  }

  /** @param {Wire.Job} job */
  async #stop(job) {
    const { acts } = this
    this.#stopped = job.jobId
    await acts.ask('relay', 'stopJob', { jobId: job.jobId }, api => api.send('DELETE', '/v1/rooms/{room}/jobs/{job}', { room: acts.room, job: job.jobId }))
    toast(text.recordings.kept(fileOf(job)))
  }
}

/** @param {Wire.Job} job */
const elapsed = job => duration(Date.now() - (job.startedAt ?? Date.now()))

// The reason stays until it is closed.
/** @param {Failure} error @param {boolean} wasRunning */
function refuse(error, wasRunning) {
  const isOff = /without --recordings/.test(error.message)
  const reason = isOff ? h('div', { class: 'problem', role: 'alert' }, text.recordings.off, h('code', {}, text.recordings.offCommand)) : problem(error)
  const title = wasRunning ? text.recordings.notStopped : text.recordings.notStarted
  const close = h('button', { type: 'button', class: 'button', data: { action: 'close' }, on: { click: () => dialog.close() } }, text.common.close)
  const dialog = openDialog(h('div', { class: 'dialog-body', data: { notice: 'recording-refused' } }, h('header', {}, h('h2', {}, title)), reason, h('footer', {}, close)), { label: title })
}

// The mark on the stage: nobody is recorded without knowing it.
export class RecordingMark {
  constructor() {
    this.time = h('span', { 'aria-hidden': 'true' })
    this.node = h('span', { class: 'on-air recording-mark', hidden: true, role: 'status', data: { mark: 'recording' } },
      h('span', { class: 'dot' }), text.recordings.recording, this.time)
  }

  /** @param {Wire.Job[]} jobs */
  update(jobs) {
    const job = recordingOf(jobs)
    this.node.hidden = !job
    say(this.time, job ? elapsed(job) : '')
  }
}
