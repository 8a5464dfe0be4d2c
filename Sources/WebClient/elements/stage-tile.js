// One tile of <room-stage>: a picture or a face, and what there is to say of its participant.
import { attribute, drawing, h, say } from './markup.js'
import { qualityBars } from './quality-bars.js'
import { tileScore } from './tile-score.js'

const MUTED = 'M10 3a2 2 0 0 0-2 2v4a2 2 0 0 0 4 0V5a2 2 0 0 0-2-2z M5.5 9a4.5 4.5 0 0 0 9 0 M10 13.5V17 M3.5 3.5l13 13'

/** @typedef {import('./stage-people.js').Place} Place */

// `room` shows tracks; `enlarge()` is called when a person wants the tile larger, or small again.
/** @param {Place} first @param {{ room: Room, words: import('./room-words.js').Words['stage'], enlarge: (userId: string) => void }} given */
export function stageTile({ userId, isMe }, { room, words, enlarge }) {
  const video = h('video', { part: 'video', 'aria-hidden': 'true', playsinline: true, set: { muted: true, autoplay: true, playsInline: true } })
  const face = h('span', { part: 'face', class: 'face', 'aria-hidden': 'true' }, [...userId][0])
  const level = h('span', { part: 'level', class: 'level', 'aria-hidden': 'true' })
  const owner = h('span', { part: 'owner', class: 'owner', hidden: true }, words.host)
  const name = h('span', { part: 'name', class: 'name' })
  const state = h('span', { part: 'state', class: 'state' })
  const muted = h('span', { part: 'muted', class: 'muted', title: words.muted }, drawing(MUTED))
  const button = h('button', { part: 'enlarge', class: 'enlarge', type: 'button', on: { click: () => enlarge(userId) } })
  const bars = qualityBars(isMe ? null : userId, words)
  const caption = h('div', { part: 'caption', class: 'caption' }, owner, name, state, muted, bars.node)
  const score = tileScore(words)
  const node = h('li', { part: 'tile', class: 'tile', ...(userId && { 'data-user': userId }) }, video, userId && face, level, caption, score.node, userId && button)
  const hasPicture = () => { node.classList.toggle('pictured', video.videoWidth > 0 && video.srcObject !== null) }
  video.addEventListener('resize', hasPicture)
  video.addEventListener('emptied', hasPicture)
  /** @type {Place['picture']} */
  let shown = null
  /** @param {Place['picture']} picture */
  const show = picture => {
    if (picture === shown) return
    if (typeof shown === 'string') room.detach(video)
    else video.srcObject = null
    shown = picture
    if (typeof picture === 'string') room.attach(picture, video)
    else if (picture) {
      video.srcObject = new MediaStream([picture])
      video.play().catch(() => {})
    }
    hasPicture()
  }
  return {
    node, button,
    /** @param {Place} now @param {boolean} isLarge */
    update(now, isLarge) {
      show(now.picture)
      const { x, y, width, height, zIndex = 0, cornerRadius = 0 } = isLarge ? { x: 0, y: 0, width: 1, height: 1, zIndex: 1000 } : now.frame ?? { x: 0, y: 0, width: 0, height: 0 }
      if (now.frame || isLarge) {
        for (const [key, value] of Object.entries({ left: x, top: y, width, height })) node.style.setProperty(key, `${value * 100}%`)
        node.style.setProperty('z-index', String(zIndex))
        node.style.setProperty('--corner', `${cornerRadius * 100}cqmin`)
      }
      node.style.setProperty('--level', now.level.toFixed(2))
      node.classList.toggle('speaking', now.isSpeaking)
      node.classList.toggle('free', !userId)
      node.classList.toggle('mirrored', now.isMirrored)
      score.update(now.side)
      say(name, now.isMix ? words.mix : now.side && !isMe ? `${now.side.userId} · ${now.side.room}` : userId || words.seat((now.seat ?? 0) + 1))
      say(state, !userId ? now.isLocked ? words.locked : '' : now.isAway ? words.away : isMe ? words.you : '')
      owner.hidden = !now.isHost
      bars.node.hidden = !now.quality
      if (now.quality) bars.update(now.quality)
      muted.hidden = !userId || now.isMix || !now.isSilent
      const said = [name.textContent, now.isHost && words.host, state.textContent, !muted.hidden && words.muted, now.isSpeaking && words.speaking, score.words(now.side)].filter(Boolean)
      attribute(node, 'aria-label', said.join(', '))
      attribute(button, 'aria-label', words.enlarge(name.textContent ?? ''))
      attribute(button, 'aria-pressed', String(isLarge))
    },
    remove: () => show(null),
  }
}
