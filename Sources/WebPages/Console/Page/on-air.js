// The state of the live stream on the stage, as the server reports it: starting, live, or failing with the reason; and its end.
import { attribute, h, iconButton, say } from './dom.js'
import { count, duration } from './format.js'
import { broadcastDialog } from './go-live.js'
import { text } from './text.js'

export class OnAir {
  // `call()` returns the call of the stage; `watch(path)` shows a stream as viewers get it.
  /** @param {{ call: () => Call | null, watch: (path: string) => void }} given */
  constructor({ call, watch }) {
    this.words = h('span')
    /** @type {HTMLButtonElement} */
    this.badge = h('button', { type: 'button', class: 'on-air', hidden: true, data: { action: 'on-air' }, on: { click: () => watch(this.badge.dataset.path ?? '') } }, h('span', { class: 'dot' }), this.words)
    this.likes = h('span', { class: 'stage-likes number', hidden: true })
    this.reason = h('p', { class: 'on-air-reason', hidden: true, 'aria-live': 'polite' })
    this.endedText = h('p')
    this.ended = h('div', { class: 'stage-card', hidden: true, role: 'status', data: { notice: 'live-ended' } }, this.endedText, h('div', { class: 'buttons' },
      h('button', { type: 'button', class: 'button small primary', data: { action: 'live-again' }, on: { click: () => { const now = call(); if (now) broadcastDialog(now) } } }, text.stage.liveAgain),
      iconButton('close', text.common.close, () => {
        const now = call()
        if (now) now.broadcast.ended = now.broadcast.seconds = null
        this.update(now)
      })))
    this.row = h('div', { class: 'stage-row' }, this.badge, this.likes)
  }

  /** @param {Call | null} call */
  update(call) {
    const broadcast = call?.broadcast
    const { job, phase, ended = null, seconds = null } = broadcast ?? {}
    const lost = call?.state === 'reconnecting'
    this.badge.hidden = !job
    const words = inWords(call)
    say(this.words, words)
    if (job) {
      this.badge.dataset.phase = lost ? 'failing' : phase ?? ''
      this.badge.dataset.path = job.stream ?? ''
      this.badge.disabled = !job.stream
      this.badge.title = job.stream ? text.stage.watchAsViewer : job.target ?? ''
      attribute(this.badge, 'aria-label', job.stream ? `${words}. ${text.stage.watchAsViewer}` : `${words}, ${job.target}`)
    }
    const screened = phase === 'live' && job?.kind === 'forward' && job.follow !== 'stage' && Boolean(call?.localTracks.has('screen')) && !call?.scene.now?.pk
    const isDark = phase === 'live' && broadcast?.isOurs && call?.localTracks.get('camera')?.muted
    const why = phase === 'failing' ? text.stage.notOnAir(job?.failure?.message ?? '') : isDark ? text.stage.cameraOffOnAir : screened ? text.stage.screenNotOnAir : ''
    this.reason.hidden = !why
    this.reason.classList.toggle('warns', phase !== 'failing')
    say(this.reason, why)
    const over = ended ? endInWords(ended) : !job && seconds !== null && text.stage.liveResult(duration(seconds * 1000), call?.mostViewers ?? 0)
    this.ended.hidden = !over
    say(this.endedText, over || '')
    const likes = call?.scene.likes ?? 0
    this.likes.hidden = !likes
    say(this.likes, `♥ ${count(likes)}`)
    attribute(this.likes, 'aria-label', text.chat.likes(likes))
  }
}

// "Live 12:04 · 3 viewers".
/** @param {Call | null} call */
export function inWords(call) {
  const { job = null, phase = null, since, isOurs = false } = call?.broadcast ?? {}
  const { viewers = null } = call ?? {}
  if (!job) return ''
  if (call?.state === 'reconnecting') return text.stage.interrupted
  if (phase === 'starting') return text.stage.starting
  if (phase === 'failing') return text.stage.failing
  return [text.stage.live, since && duration(Date.now() - since), viewers !== null && text.lists.viewers(viewers), !isOurs && job.by && job.by].filter(Boolean).join(' · ')
}

// The origin gives the operator's end of a stream as its reason to reject it.
/** @param {NonNullable<Call['broadcast']['ended']>} given */
function endInWords({ reason, by, failure }) {
  const message = failure?.message ?? ''
  const { takenOver, liveStopped, liveFailed, noTracks } = text.stage
  if (reason === 'failed') return message.includes('operator ended') ? liveStopped : liveFailed(message)
  return reason === 'takenOver' ? takenOver(by) : reason === 'noTracks' ? noTracks : reason === 'stopped' ? liveStopped : ''
}
