// A room's jobs and their state, with buttons to start and stop them.
import { confirm, openDialog, problem, toast, toastError } from './dialogs.js'
import { Spark } from './charts.js'
import { h, icon, iconButton, keyed, say } from './dom.js'
import { count, milliseconds, rate } from './format.js'
import { openMix } from './mix.js'
import { watchRoom, watchStream } from './player.js'
import { shareButton } from './share.js'
import { text } from './text.js'

const LENGTH = 60
/** @type {Record<Wire.Job['state'], string>} */
const MOODS = { unknown: '', connecting: 'warn', connected: 'good', autoReconnecting: 'warn', disconnecting: '', disconnected: '', error: 'bad' }

export class Jobs {
  // `people` returns the participants of the room, as its model has them.
  /** @param {Api} api @param {string} room @param {() => Person[]} people */
  constructor(api, room, people) {
    this.api = api
    this.room = room
    this.people = people
    this.count = h('span', { class: 'count number' })
    this.rows = h('tbody')
    const columns = [['job', ''], ['state', ''], ['bitrate', ''], ['frames', 'right'], ['queue', 'right queue'], ['dropped', 'right dropped'], ['connections', 'right connections']]
    this.table = h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': text.room.jobs }, h('table', { class: 'table jobs number' },
      h('thead', {}, h('tr', {}, columns.map(([name, style]) => h('th', { scope: 'col', class: style }, text.room.columns[/** @type {keyof typeof text.room.columns} */ (name)])),
        h('th', {}, h('span', { class: 'only-read' }, text.room.actions)))), this.rows))
    this.empty = h('div', { class: 'empty small' }, h('p', {}, text.room.noJobs))
    this.node = h('section', { class: 'card jobs-card', 'aria-label': text.room.goingLive },
      h('div', { class: 'card-head' }, h('h2', {}, text.room.goingLive), this.count, h('div', { class: 'buttons' },
        h('button', { class: 'button small', data: { action: 'watch-whep' }, on: { click: () => watchRoom(api, room) } }, icon('play', 'small'), text.room.watchWHEP),
        shareButton(api, room),
        h('button', { class: 'button small', data: { action: 'mix' }, on: { click: () => openMix(api, room, this.people()) } }, icon('rooms', 'small'), text.room.mix),
        h('button', { class: 'button small primary', data: { action: 'go-live' }, on: { click: () => this.#begin() } }, icon('live', 'small'), text.stage.goLive))),
      this.empty, this.table)
  }

  /** @param {Wire.JobDetail[]} jobs */
  update(jobs) {
    say(this.count, jobs.length ? String(jobs.length) : '')
    this.empty.hidden = jobs.length > 0
    this.table.hidden = jobs.length === 0
    keyed(this.rows, jobs, ({ job }) => `${job.jobId} ${job.startedAt}`, ({ job }) => this.#row(job))
  }

  /** @param {Wire.Job} given @returns {Part<Wire.JobDetail>} */
  #row({ jobId, kind, target, tracks, stream, publishAs, by }) {
    const isFile = tracks === 'separate' || (target?.startsWith('file:') ?? false)
    const way = [target, tracks && text.recordings.tracks, publishAs && text.room.intoRoom(publishAs)].filter(Boolean).join(', ')
    const dot = h('span', { class: 'dot' })
    const state = h('b')
    const failure = h('span', { class: 'muted' })
    const spark = new Spark({ width: 88, height: 26, length: LENGTH, label: text.room.bitrateOfJob(jobId) })
    const [kbps, unit] = [h('b'), h('small')]
    /** @param {string} style */
    const cell = style => h('td', { class: style })
    const [frames, queue, dropped, connections] = ['right frames', 'right queue', 'right dropped', 'right muted connections'].map(cell)
    /** @type {number[]} */
    const history = []
    const node = h('tr', { data: { job: jobId } },
      h('td', { class: 'track' }, h('div', {}, h('span', { class: 'track-icon' }, icon(isFile ? 'film' : kind === 'merge' ? 'rooms' : 'live')),
        h('div', {}, h('b', {}, jobId), h('span', { class: 'muted' }, way, by ? text.room.by(by) : '')))),
      h('td', { class: 'job-state' }, h('div', {}, dot, h('div', {}, state, failure))),
      h('td', { class: 'bitrate' }, h('div', {}, spark.node, h('span', { class: 'reading' }, kbps, unit))),
      frames, queue, dropped, connections,
      h('td', { class: 'tight' }, stream && iconButton('play', text.room.watch(stream), () => watchStream(this.api, stream)), iconButton('stop', text.room.stop(jobId), () => this.#end(jobId), 'quiet small danger')))
    return {
      node,
      update: ({ job, status }) => {
        const words = isFile && job.onAir ? text.recordings.recording : text.room.states[job.state] ?? job.state
        dot.className = `dot ${job.state === 'connected' && job.target && !job.onAir ? 'warn' : MOODS[job.state] ?? ''}`
        say(state, job.onAir || !job.target || job.state !== 'connected' ? words : text.room.waitingForKeyFrame)
        const missing = job.missing ? text.room.without(job.missing.join(', ')) : ''
        say(failure, job.state === 'connected' ? missing : job.failure?.message ?? missing)
        history.push(status?.kbps ?? 0)
        while (history.length > LENGTH) history.shift()
        spark.update(history, 300)
        const [number, unitText] = rate(status?.kbps ?? 0)
        say(kbps, number)
        say(unit, unitText)
        say(frames, `${status?.fps ?? 0}\u202ffps`)
        say(queue, milliseconds(status?.queue ?? 0))
        queue.classList.toggle('warn', (status?.queue ?? 0) > 1000)
        say(dropped, count(status?.dropped ?? 0))
        dropped.classList.toggle('warn', (status?.dropped ?? 0) > 0)
        say(connections, count(status?.connections ?? 0))
      },
    }
  }

  #begin() {
    const people = this.people().filter(person => person.tracks.length)
    const who = h('select', { class: 'input', id: 'live-user' }, people.map(person => h('option', { value: person.userId }, person.userId)))
    const url = h('input', { class: 'input', id: 'live-url', value: `rtmp://origin/live/${this.room}`, autocomplete: 'off', spellcheck: 'false', maxlength: 2048 })
    const failure = h('div')
    const button = h('button', { class: 'button primary', data: { action: 'confirm' }, disabled: !people.length }, text.stage.goLive)
    const form = h('form', { class: 'dialog-body' },
      h('header', {}, h('h2', {}, text.stage.goLive), h('p', { class: 'muted' }, people.length ? text.room.goLiveHint : text.room.nobodyPublishes)),
      h('div', { class: 'field' }, h('label', { for: 'live-user' }, text.room.whose), who),
      h('div', { class: 'field' }, h('label', { for: 'live-url' }, text.stage.publishURL), url,
        h('p', { class: 'hint' }, text.room.urlHint)),
      failure, h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, text.common.cancel), button))
    form.addEventListener('submit', event => {
      event.preventDefault()
      button.disabled = true
      /** @type {Wire.NewForward} */
      const job = { jobId: `console-${Date.now().toString(36)}`, userId: who.value }
      if (url.value.trim()) job.publishUrl = url.value.trim()
      this.api.startForward(this.room, job).then(() => {
        dialog.close()
        toast(text.room.isLive(who.value))
      }, error => {
        button.disabled = false
        failure.replaceChildren(problem(error))
      })
    })
    const dialog = openDialog(form, { label: text.stage.goLive })
    url.select()
  }

  /** @param {string} jobId */
  #end(jobId) {
    confirm({
      title: text.room.stopTitle(jobId), text: text.room.stopText, action: text.room.stopButton,
      act: () => this.api.stopJob(this.room, jobId).catch(error => { if (error.status !== 404) throw error; toastError(error) }),
    })
  }
}
