// The live streams of the origin: their publishers and viewers, and a player.
import { ofStream } from './api.js'
import { confirm } from './dialogs.js'
import { h, icon, say } from './dom.js'
import { actions, bitrateCell, cell, rowButton, subject, table } from './fields.js'
import { ago, count, formatOf, moment } from './format.js'
import { ListView } from './list-view.js'
import { watchStream } from './player.js'
import { text } from './text.js'

const { lives: words } = text

/** @param {Wire.Stream} stream */
export const audience = stream => Object.values(stream.viewers).reduce((sum, value) => sum + value, 0)

// Streams without a publisher come last; equals are by path.
/** @type {Record<string, (stream: Wire.Stream) => number>} */
const ORDERS = { viewers: stream => -audience(stream), name: () => 0, since: stream => -(stream.since ?? 0), kbps: stream => -stream.kbps }

export class LiveView extends ListView {
  /** @param {Operator} app */
  constructor(app) {
    const publishTo = h('span')
    super({
      app, title: text.shell.live, path: 'live', words, interval: 1000,
      table: table(words.streams, 'streams number', Object.entries(words.columns).map(([name, label]) => [label, name])),
      empty: h('div', { class: 'card empty', data: { notice: 'no-streams' } }, icon('live'), h('h2', {}, words.none), h('p', {}, words.noneHint, ' ', publishTo)),
    })
    this.#findPorts(publishTo)
  }

  // The ports of RTMP and SRT are the server's to know.
  /** @param {HTMLElement} publishTo */
  async #findPorts(publishTo) {
    /** @type {{ rtmpPort?: number, srtPort?: number }} */
    const { rtmpPort, srtPort } = await this.app.api.get('/v1/server').catch(() => ({}))
    const port = rtmpPort && rtmpPort !== 1935 ? `:${rtmpPort}` : ''
    const rtmp = h('code', {}, `rtmp://${location.hostname}${port}/live/{stream}?token=…`)
    const srt = srtPort ? [` ${words.or} `, h('code', {}, `srt://${location.hostname}:${srtPort}?streamid=live/{stream}?token=…`)] : []
    publishTo.replaceChildren(rtmp, ...srt)
  }

  async find() {
    const { tools, app: { api } } = this
    const { state } = tools.query
    // Which rooms are in a PK, or voice rooms, is the rooms' to know.
    const [{ streams }, list] = await Promise.all([api.get('/v1/streams'), state === 'pk' || state === 'voice' ? api.get('/v1/rooms', { state }) : null])
    return { all: streams, ofRooms: new Set(list?.rooms.map(room => room.live?.stream)) }
  }

  /** @param {{ all: Wire.Stream[], ofRooms: Set<string | undefined> }} given The streams of the rooms that the filter selects. */
  show({ all, ofRooms }) {
    const { q, state, sort, limit } = this.tools.query
    const wanted = q.toLowerCase()
    const streams = all.filter(({ path, publisher, address }) => `${path} ${address ?? ''}`.toLowerCase().includes(wanted)
      && (!state || (state === 'rooms' ? publisher === 'job' : state === 'encoders' ? publisher === 'rtmp' || publisher === 'srt' : ofRooms.has(path))))
    streams.sort((a, b) => Number(!a.publisher) - Number(!b.publisher) || ORDERS[sort](a) - ORDERS[sort](b) || (a.path < b.path ? -1 : 1))
    const facts = [words.count(streams.length), text.lists.viewers(streams.reduce((sum, stream) => sum + audience(stream), 0))]
    this.list({ shown: streams.slice(0, limit), all: streams.length, isNone: !all.length, facts }, stream => `${stream.node} ${stream.path}`, stream => this.#row(stream))
  }

  /** @param {Wire.Stream} given @returns {Part<Wire.Stream>} */
  #row({ path }) {
    const publisher = h('span', { class: 'muted' })
    const bitrate = bitrateCell(words.bitrateOf(path))
    const [format, since] = [cell('muted format'), cell('muted since')]
    const [viewers, protocols] = [h('b'), h('span', { class: 'muted' })]
    const node = h('tr', { data: { stream: path } }, subject(icon('live'), path, publisher), format, bitrate.node, cell('viewers', viewers, protocols), since,
      actions(rowButton('watch', 'play', words.watch(path), () => watchStream(this.app.api, path)), rowButton('end', 'stop', words.end(path), () => this.#end(path), 'danger')))
    return {
      node,
      update: stream => {
        say(publisher, stream.publisher ? [words.publishers[stream.publisher], stream.address, stream.node].filter(Boolean).join(', ') : words.waiting)
        say(format, formatOf(stream))
        bitrate.update(stream.kbps)
        say(viewers, count(audience(stream)))
        say(protocols, Object.entries(stream.viewers).filter(([, value]) => value).map(([protocol, value]) => `${count(value)} ${words.protocols[/** @type {keyof typeof words.protocols} */ (protocol)] ?? protocol}`).join(', '))
        say(since, stream.since ? ago(stream.since) : '–')
        since.title = stream.since ? moment(stream.since) : ''
      },
    }
  }

  /** @param {string} path */
  #end(path) {
    confirm({ title: words.endTitle(path), text: words.endText, action: words.endButton, act: () => this.app.api.send('DELETE', '/v1/streams/{app}/{stream}', ofStream(path)) })
  }
}
