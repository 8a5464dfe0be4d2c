// The live streams of the origin: their publishers and viewers, and a player.
import { poll } from './api.js'
import { Spark } from './charts.js'
import { confirm } from './dialogs.js'
import { h, icon, iconButton, keyed, say } from './dom.js'
import { ago, count, moment, rate } from './format.js'
import { Freshness } from './freshness.js'
import { ListTools } from './list-tools.js'
import { watchStream } from './player.js'
import { text } from './text.js'

const LENGTH = 60
const { lives: words } = text

/** @param {Wire.Stream} stream */
const audience = stream => Object.values(stream.viewers).reduce((sum, value) => sum + value, 0)

// Streams without a publisher come last; equals are by path.
/** @type {Record<string, (stream: Wire.Stream) => number>} */
const ORDERS = { viewers: stream => -audience(stream), name: () => 0, since: stream => -(stream.since ?? 0), kbps: stream => -stream.kbps }

export class LiveView {
  title = text.shell.live
  #turn = 0 // the number of the last request, which outdates the answers to earlier ones

  /** @param {Operator} app */
  constructor(app) {
    this.app = app
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.rows = h('tbody')
    const columns = /** @type {Array<keyof typeof words.columns>} */ (['stream', 'format', 'bitrate', 'viewers', 'since'])
    this.table = h('div', { class: 'card', hidden: true }, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': words.streams }, h('table', { class: 'table streams number' },
      h('thead', {}, h('tr', {}, columns.map(name => h('th', { scope: 'col', class: name }, words.columns[name])),
        h('th', {}, h('span', { class: 'only-read' }, text.lists.actions)))), this.rows)))
    this.publishTo = h('span')
    this.#findPorts()
    this.empty = h('div', { class: 'card empty', hidden: true, data: { notice: 'no-streams' } }, icon('live'), h('h2', {}, words.none),
      h('p', {}, words.noneHint, ' ', this.publishTo))
    this.tools = new ListTools({ path: 'live', hint: words.searchHint, filters: words.filters, orders: words.orders, rows: this.rows, changed: () => this.#load().catch(error => this.fresh.failed(error)) })
    const content = h('div', { class: 'list-content' }, this.empty, this.table, this.tools.none, this.tools.foot)
    this.fresh = new Freshness(content)
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, text.shell.live), this.facts)),
      this.tools.node, this.fresh.node, content)
    this.endPoll = poll(1000, () => this.#load(), error => this.fresh.failed(error))
  }

  stop() {
    this.#turn = -1
    this.tools.stop()
    this.endPoll()
  }

  // The ports of RTMP and SRT are the server's to know.
  async #findPorts() {
    /** @type {{ rtmpPort?: number, srtPort?: number }} */
    const { rtmpPort, srtPort } = await this.app.api.server().catch(() => ({}))
    const port = rtmpPort && rtmpPort !== 1935 ? `:${rtmpPort}` : ''
    const rtmp = h('code', {}, `rtmp://${location.hostname}${port}/live/{stream}?token=…`)
    const srt = srtPort ? [` ${words.or} `, h('code', {}, `srt://${location.hostname}:${srtPort}?streamid=live/{stream}?token=…`)] : []
    this.publishTo.replaceChildren(rtmp, ...srt)
  }

  async #load() {
    if (this.#turn < 0) return
    const turn = ++this.#turn
    const { tools, app: { api } } = this
    const { state } = tools.query
    // Which rooms are in a PK, or voice rooms, is the rooms' to know.
    const [streams, list] = await Promise.all([api.streams(), state === 'pk' || state === 'voice' ? api.listRooms({ state }) : null])
    if (turn !== this.#turn) return
    this.fresh.good()
    this.#show(streams, new Set(list?.rooms.map(room => room.live?.stream)))
  }

  /** @param {Wire.Stream[]} all @param {Set<string | undefined>} ofRooms The streams of the rooms that the filter selects. */
  #show(all, ofRooms) {
    const { tools } = this
    const { q, state, sort, limit } = tools.query
    const wanted = q.toLowerCase()
    const streams = all.filter(({ path, publisher, address }) => `${path} ${address ?? ''}`.toLowerCase().includes(wanted)
      && (!state || (state === 'rooms' ? publisher === 'job' : state === 'encoders' ? publisher === 'rtmp' || publisher === 'srt' : ofRooms.has(path))))
    streams.sort((a, b) => Number(!a.publisher) - Number(!b.publisher) || ORDERS[sort](a) - ORDERS[sort](b) || (a.path < b.path ? -1 : 1))
    const shown = streams.slice(0, limit)
    this.empty.hidden = all.length > 0 || !tools.isWhole
    tools.node.hidden = !this.empty.hidden
    this.table.hidden = !shown.length
    say(this.facts, [words.count(streams.length), text.lists.viewers(streams.reduce((sum, stream) => sum + audience(stream), 0))].join(' · '))
    keyed(this.rows, shown, stream => `${stream.node} ${stream.path}`, stream => this.#row(stream))
    tools.update(shown.length, streams.length)
  }

  /** @param {Wire.Stream} given @returns {Part<Wire.Stream>} */
  #row({ path }) {
    const publisher = h('span', { class: 'muted' })
    const format = h('td', { class: 'muted format' })
    const spark = new Spark({ width: 88, height: 26, length: LENGTH, label: words.bitrateOf(path) })
    const [kbps, unit] = [h('b'), h('small')]
    const viewers = h('b')
    const protocols = h('span', { class: 'muted' })
    const since = h('td', { class: 'muted since' })
    /** @type {number[]} */
    const history = []
    const node = h('tr', { data: { stream: path } },
      h('td', { class: 'track' }, h('div', {}, h('span', { class: 'track-icon' }, icon('live')), h('div', {}, h('b', {}, path), publisher))),
      format, h('td', { class: 'bitrate' }, h('div', {}, spark.node, h('span', { class: 'reading' }, kbps, unit))),
      h('td', { class: 'viewers' }, viewers, protocols), since,
      h('td', { class: 'tight' }, h('div', { class: 'buttons' },
        iconButton('play', words.watch(path), () => watchStream(this.app.api, path), 'quiet small'),
        iconButton('stop', words.end(path), () => this.#end(path), 'quiet small danger'))))
    return {
      node,
      update: stream => {
        say(publisher, stream.publisher ? [words.publishers[stream.publisher], stream.address, stream.node].filter(Boolean).join(', ') : words.waiting)
        const { video, audio } = stream
        say(format, [video && `${codecName(video.codec)}${video.width ? ` ${video.width}×${video.height}` : ''}`, audio && `${codecName(audio.codec)}${audio.sampleRate ? ` ${audio.sampleRate / 1000} kHz` : ''}`].filter(Boolean).join(', '))
        history.push(stream.kbps)
        while (history.length > LENGTH) history.shift()
        spark.update(history, 300)
        const [number, unitText] = rate(stream.kbps)
        say(kbps, number)
        say(unit, unitText)
        say(viewers, count(audience(stream)))
        say(protocols, Object.entries(stream.viewers).filter(([, value]) => value).map(([protocol, value]) => `${count(value)} ${words.protocols[/** @type {keyof typeof words.protocols} */ (protocol)] ?? protocol}`).join(', '))
        say(since, stream.since ? ago(stream.since) : '–')
        since.title = stream.since ? moment(stream.since) : ''
      },
    }
  }

  /** @param {string} path */
  #end(path) {
    confirm({ title: words.endTitle(path), text: words.endText, action: words.endButton, act: () => this.app.api.endStream(path) })
  }
}

/** @type {Record<string, string>} */
const NAMES = { h264: 'H.264', aac: 'AAC', hvc1: 'HEVC', av01: 'AV1', Opus: 'Opus' }
/** @param {string} codec */
const codecName = codec => NAMES[codec] ?? codec
