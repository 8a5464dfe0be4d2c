// The recorded files: a list page by page, a player, downloads and deletion.
import { poll } from './api.js'
import { confirm, problem, toast, toastError } from './dialogs.js'
import { attribute, h, icon, keyed, say } from './dom.js'
import { actions, button, cell, line, roomLink, rowButton, stateCell, subject, table } from './fields.js'
import { bytes, duration, formatOf, joined, moment } from './format.js'
import { download, playRecording } from './recording-player.js'
import { text } from './text.js'

const PAGE = 50
const NAME = /^[A-Za-z0-9_.@:-]{1,64}$/ // of a room
/** @type {Record<Wire.RecordingState, string>} */
const MOODS = { writing: 'bad', ready: 'good', failed: 'warn' }

export class RecordingsView {
  title = text.shell.recordings
  /** @type {Array<string | undefined>} */
  #pages = [undefined] // the `after` of each page up to the shown one
  /** @type {string | undefined} */
  #next
  #turn = 0 // outdates answers to older questions

  /** @param {Operator} app @param {string} [room] */
  constructor(app, room = '') {
    this.app = app
    const words = text.recordings
    this.facts = h('div', { class: 'facts', role: 'status' }, '\u00a0')
    this.failure = h('div')
    this.roomField = line('recordings-room', room, { type: 'search', maxlength: 64, placeholder: text.room.allRooms, on: { input: () => this.#search() } })
    const columns = [[words.file], [text.shell.room, 'room-name'], [words.started, 'started'], [text.pk.duration, 'right length'], [words.size, 'right size'], [text.room.columns.state]]
    const { node: scroll, rows } = table(text.shell.recordings, 'recordings number', columns)
    this.rows = rows
    this.table = h('div', { class: 'card', hidden: true }, scroll)
    this.emptyTitle = h('h2')
    this.emptyText = h('p')
    this.emptyCommand = h('code')
    this.empty = h('div', { class: 'card empty', hidden: true }, icon('film'), this.emptyTitle, this.emptyText, this.emptyCommand)
    this.newer = button('newer', null, words.newer, () => { this.#pages.pop(); this.#again() }, '')
    this.older = button('older', null, words.older, () => { this.#pages.push(this.#next); this.#again() }, '')
    this.paging = h('nav', { class: 'buttons', 'aria-label': words.pages, hidden: true }, this.newer, this.older)
    this.search = h('div', { class: 'field recordings-search' }, h('label', { for: 'recordings-room' }, text.shell.room), this.roomField)
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, text.shell.recordings), this.facts), this.search),
      this.failure, this.empty, this.table, this.paging)
    this.#again()
  }

  stop() {
    this.#turn += 1
    this.endPoll?.()
  }

  #search() {
    const room = this.roomField.value.trim()
    attribute(this.roomField, 'aria-invalid', Boolean(room) && !NAME.test(room) && 'true')
    if (room && !NAME.test(room)) return
    this.#pages = [undefined]
    this.#again()
  }

  #again() {
    this.endPoll?.()
    const turn = ++this.#turn
    this.endPoll = poll(2000, () => this.#load(turn), error => { if (turn === this.#turn) this.#failed(error) })
  }

  /** @param {number} turn */
  async #load(turn) {
    const room = this.roomField.value.trim()
    const { recordings, next, unanswered } = await this.app.api.get('/v1/recordings', { room, after: this.#pages.at(-1), limit: PAGE })
    if (turn !== this.#turn) return
    // The page was emptied by deletions.
    if (!recordings.length && this.#pages.length > 1) {
      this.#pages.pop()
      return this.#again()
    }
    this.#next = next
    this.failure.replaceChildren()
    this.table.hidden = !recordings.length
    this.empty.hidden = recordings.length > 0
    if (!recordings.length) this.#explain(room ? text.recordings.noneOf(room) : text.recordings.none, text.recordings.noneHint, '')
    const page = this.#pages.length
    this.paging.hidden = page === 1 && !next
    this.newer.disabled = page === 1
    this.older.disabled = !next
    say(this.facts, text.recordings.facts(recordings.length, page, Boolean(next)) + text.cluster.unanswered(unanswered ?? []))
    keyed(this.rows, recordings, each => `${each.node} ${each.name}`, each => this.#row(each))
  }

  /** @param {Failure} error */
  #failed(error) {
    if (error.status !== 404) return this.failure.replaceChildren(problem(error))
    // Recording is off until the server is restarted.
    this.endPoll?.()
    say(this.facts, '\u00a0')
    this.search.hidden = this.table.hidden = this.paging.hidden = true
    this.empty.hidden = false
    this.#explain(text.recordings.offTitle, text.recordings.off, text.recordings.offCommand)
  }

  /** @param {string} title @param {string} words @param {string} command */
  #explain(title, words, command) {
    say(this.emptyTitle, title)
    say(this.emptyText, words)
    say(this.emptyCommand, command)
  }

  /** @param {Wire.Recording} given @returns {Part<Wire.Recording>} */
  #row({ name, node: at, room, startedAt }) {
    const { api } = this.app
    const file = { name, node: at }
    const format = h('span', { class: 'muted' })
    const [length, size, state] = [cell('right length'), cell('right size'), stateCell()]
    const remove = rowButton('delete', 'trash', text.recordings.delete(name), () => this.#delete(file), 'danger')
    const node = h('tr', { data: { recording: name } }, subject(icon('film'), name, format),
      cell('room-name', room ? roomLink(room) : h('span', { class: 'faint' }, '–')), cell('muted started', moment(startedAt)), length, size, state.node,
      // Browsers play no FLV.
      actions(name.endsWith('.mp4') && rowButton('play', 'play', text.recordings.play(name), () => playRecording(api, file).catch(toastError)),
        rowButton('download', 'download', text.recordings.download(name), () => download(api, file).catch(toastError)), remove))
    return {
      node,
      update: ({ state: now, duration: ms, bytes: count, video, audio, failure: why }) => {
        node.dataset.state = now
        say(format, [formatOf({ video, audio }), at].filter(Boolean).join(', '))
        say(length, ms === undefined ? '–' : duration(ms))
        say(size, joined(bytes(count)))
        state.update(MOODS[now] ?? '', text.recordings.states[now] ?? now, why?.message)
        remove.disabled = now === 'writing'
        remove.title = now === 'writing' ? text.recordings.stopFirst : text.recordings.delete(name)
      },
    }
  }

  /** @param {{ name: string, node?: string }} file */
  #delete(file) {
    const { name } = file
    confirm({
      title: text.recordings.deleteTitle(name), text: text.recordings.deleteText, action: text.recordings.deleteButton,
      act: async () => {
        // Somebody else, or the retention, may have been first.
        await this.app.api.send('DELETE', '/v1/recordings/{recording}', { recording: name, node: file.node }).catch(error => { if (error.status !== 404) throw error })
        toast(text.recordings.deleted(name))
        this.#again()
      },
    })
  }
}
