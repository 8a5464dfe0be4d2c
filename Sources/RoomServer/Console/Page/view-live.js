// The live streams of the origin: their publishers and viewers, and a player.
import { poll } from './api.js'
import { Spark } from './charts.js'
import { confirm, problem } from './dialogs.js'
import { h, icon, iconButton, keyed, say } from './dom.js'
import { ago, count, moment, plural, rate } from './format.js'
import { watchStream } from './player.js'

const LENGTH = 60
/** @type {Record<string, string>} */
const PUBLISHERS = { job: 'A room', rtmp: 'An encoder', variant: 'Transcoded here' }
/** @type {Record<string, string>} */
const PROTOCOLS = { rtmp: 'RTMP', flv: 'FLV', hls: 'HLS', variant: 'variant' }

export class LiveView {
  title = 'Live'

  /** @param {Operator} app */
  constructor(app) {
    this.app = app
    this.facts = h('div', { class: 'facts' }, '\u00a0')
    this.failure = h('div')
    this.rows = h('tbody')
    const columns = [['Stream', ''], ['Format', 'format'], ['Bitrate', ''], ['Viewers', ''], ['Since', 'since']]
    this.table = h('div', { class: 'card', hidden: true }, h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Streams' }, h('table', { class: 'table streams number' },
      h('thead', {}, h('tr', {}, columns.map(([name, style]) => h('th', { scope: 'col', class: style }, name)),
        h('th', {}, h('span', { class: 'only-read' }, 'Actions')))), this.rows)))
    this.publishTo = h('code')
    this.#findPort()
    this.empty = h('div', { class: 'card empty', hidden: true }, icon('live'), h('h2', {}, 'Nothing is live'),
      h('p', {}, 'Go live from a room, or publish with an encoder to ', this.publishTo, '.'))
    this.node = h('div', { class: 'view' },
      h('header', { class: 'view-head' }, h('div', { class: 'titles' }, h('h1', {}, 'Live'), this.facts)),
      this.failure, this.empty, this.table)
    this.stop = poll(1000, () => this.#load(), error => this.failure.replaceChildren(problem(error)))
  }

  // The RTMP port is the server's to know.
  async #findPort() {
    const { rtmpPort } = await this.app.api.server().catch(() => ({ rtmpPort: undefined }))
    const port = rtmpPort && rtmpPort !== 1935 ? `:${rtmpPort}` : ''
    say(this.publishTo, `rtmp://${location.hostname}${port}/live/{stream}?token=…`)
  }

  async #load() {
    const streams = await this.app.api.streams()
    this.failure.replaceChildren()
    this.empty.hidden = streams.length > 0
    this.table.hidden = streams.length === 0
    const viewers = streams.reduce((sum, stream) => sum + total(stream.viewers), 0)
    say(this.facts, streams.length ? `${plural(streams.length, 'stream')}, ${plural(viewers, 'viewer')}` : 'No stream')
    keyed(this.rows, streams, stream => stream.path, stream => this.#row(stream))
  }

  /** @param {Wire.Stream} given @returns {Part<Wire.Stream>} */
  #row({ path }) {
    const publisher = h('span', { class: 'muted' })
    const format = h('td', { class: 'muted format' })
    const spark = new Spark({ width: 88, height: 26, length: LENGTH, label: `Bitrate of ${path} over the last minute` })
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
        iconButton('play', `Watch ${path}`, () => watchStream(this.app.api, path), 'quiet small'),
        iconButton('stop', `End ${path}`, () => this.#end(path), 'quiet small danger'))))
    return {
      node,
      update: stream => {
        say(publisher, stream.publisher ? [PUBLISHERS[stream.publisher] ?? stream.publisher, stream.address].filter(Boolean).join(', ') : 'Waiting for its publisher')
        const { video, audio } = stream
        say(format, [video && `${name(video.codec)}${video.width ? ` ${video.width}×${video.height}` : ''}`, audio && `${name(audio.codec)}${audio.sampleRate ? ` ${audio.sampleRate / 1000} kHz` : ''}`].filter(Boolean).join(', '))
        history.push(stream.kbps)
        while (history.length > LENGTH) history.shift()
        spark.update(history, 300)
        const [number, unitText] = rate(stream.kbps)
        say(kbps, number)
        say(unit, unitText)
        say(viewers, count(total(stream.viewers)))
        say(protocols, Object.entries(stream.viewers).filter(([, value]) => value).map(([protocol, value]) => `${count(value)} ${PROTOCOLS[protocol] ?? protocol}`).join(', '))
        say(since, stream.since ? ago(stream.since) : '–')
        since.title = stream.since ? moment(stream.since) : ''
      },
    }
  }

  /** @param {string} path */
  #end(path) {
    confirm({
      title: `End ${path}?`, text: 'Its publisher is disconnected, and the stream ends for its viewers. It may be published again.', action: 'End stream',
      act: () => this.app.api.endStream(path),
    })
  }
}

/** @param {Record<string, number>} viewers */
const total = viewers => Object.values(viewers).reduce((sum, value) => sum + value, 0)
/** @type {Record<string, string>} */
const NAMES = { h264: 'H.264', aac: 'AAC', hvc1: 'HEVC', av01: 'AV1', Opus: 'Opus' }
/** @param {string} codec */
const name = codec => NAMES[codec] ?? codec
