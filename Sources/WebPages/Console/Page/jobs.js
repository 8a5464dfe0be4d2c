// A room's jobs and their state, with buttons to start and stop them.
import { ask, confirm, toast, toastError, tried } from './dialogs.js'
import { h, icon, keyed, say } from './dom.js'
import { actions, bitrateCell, button, card, cell, counter, field, line, nothing, rowButton, select, stateCell, subject, table } from './fields.js'
import { count, milliseconds } from './format.js'
import { watchRoom, watchStream } from './player.js'
import { shareButton } from './share.js'
import { originURL } from './publish-url.js'
import { text } from './text.js'

/** @type {Record<Wire.Job['state'], string>} */
const MOODS = { unknown: '', connecting: 'warn', connected: 'good', autoReconnecting: 'warn', disconnecting: '', disconnected: '', error: 'bad' }

export class Jobs {
  // `people` returns the participants of the room, as its model has them.
  /** @param {Api} api @param {string} room @param {() => Person[]} people */
  constructor(api, room, people) {
    this.api = api
    this.room = room
    this.people = people
    this.count = counter()
    const columns = [['job'], ['state'], ['bitrate'], ['frames', 'right'], ['queue', 'right queue'], ['dropped', 'right dropped'], ['connections', 'right connections']]
    this.table = table(text.room.jobs, 'jobs number', columns.map(([name, style]) => [text.room.columns[/** @type {keyof typeof text.room.columns} */ (name)], style]))
    this.empty = nothing(text.room.noJobs)
    this.node = card(text.room.goingLive, { style: 'jobs-card', head: [this.count, h('div', { class: 'buttons' },
      button('watch-whep', 'play', text.room.watchWHEP, () => watchRoom(api, room)), shareButton(api, room),
      button('mix', 'rooms', text.room.mix, () => tried(import('./mix.js').then(({ openMix }) => openMix(api, room, this.people())))), button('go-live', 'live', text.stage.goLive, () => this.#begin(), 'small primary'))] },
    this.empty, this.table.node)
  }

  /** @param {Wire.JobDetail[]} jobs */
  update(jobs) {
    say(this.count, jobs.length ? String(jobs.length) : '')
    this.empty.hidden = jobs.length > 0
    this.table.node.hidden = !jobs.length
    keyed(this.table.rows, jobs, ({ job }) => `${job.jobId} ${job.startedAt}`, ({ job }) => this.#row(job))
  }

  /** @param {Wire.Job} given @returns {Part<Wire.JobDetail>} */
  #row({ jobId, kind, target, tracks, stream, publishAs, by }) {
    const isFile = tracks === 'separate' || (target?.startsWith('file:') ?? false)
    const way = [target, tracks && text.recordings.tracks, publishAs && text.room.intoRoom(publishAs)].filter(Boolean).join(', ')
    const state = stateCell()
    const bitrate = bitrateCell(text.room.bitrateOfJob(jobId))
    const [frames, queue, dropped, connections] = ['right frames', 'right queue', 'right dropped', 'right muted connections'].map(style => cell(style))
    const node = h('tr', { data: { job: jobId } },
      subject(icon(isFile ? 'film' : kind === 'merge' ? 'rooms' : 'live'), jobId, h('span', { class: 'muted' }, way, by ? text.room.by(by) : '')),
      state.node, bitrate.node, frames, queue, dropped, connections,
      actions(stream && rowButton('watch', 'play', text.room.watch(stream), () => watchStream(this.api, stream)), rowButton('stop', 'stop', text.room.stop(jobId), () => this.#end(jobId), 'danger')))
    return {
      node,
      update: ({ job, status }) => {
        const words = isFile && job.onAir ? text.recordings.recording : text.room.states[job.state] ?? job.state
        const missing = job.missing ? text.room.without(job.missing.join(', ')) : ''
        state.update(job.state === 'connected' && job.target && !job.onAir ? 'warn' : MOODS[job.state] ?? '',
          job.onAir || !job.target || job.state !== 'connected' ? words : text.room.waitingForKeyFrame, job.state === 'connected' ? missing : job.failure?.message ?? missing)
        bitrate.update(status?.kbps ?? 0)
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
    const who = select('live-user', people.map(({ userId }) => [userId, userId]))
    const url = line('live-url', originURL(this.room), { maxlength: 2048 })
    ask({
      title: text.stage.goLive, text: people.length ? text.room.goLiveHint : text.room.nobodyPublishes, action: text.stage.goLive, isReady: people.length > 0,
      act: async () => {
        /** @type {Wire.NewForward} */
        const job = { jobId: `console-${Date.now().toString(36)}`, userId: who.value }
        if (url.value.trim()) job.publishUrl = url.value.trim()
        await this.api.send('POST', '/v1/rooms/{room}/jobs', { room: this.room }, job)
        toast(text.room.isLive(who.value))
      },
    }, field(who, text.room.whose), field(url, text.stage.publishURL, text.room.urlHint))
    url.select()
  }

  /** @param {string} jobId */
  #end(jobId) {
    confirm({
      title: text.room.stopTitle(jobId), text: text.room.stopText, action: text.room.stopButton,
      act: () => this.api.send('DELETE', '/v1/rooms/{room}/jobs/{job}', { room: this.room, job: jobId }).catch(error => { if (error.status !== 404) throw error; toastError(error) }),
    })
  }
}
