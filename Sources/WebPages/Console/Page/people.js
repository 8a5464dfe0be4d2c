// The participants of a room: their role, their connection, and a button to kick them.
import { avatar, h, icon, keyed, say } from './dom.js'
import { card, counter, nothing, rowButton } from './fields.js'
import { joined, milliseconds, moment, percent, rate } from './format.js'
import { text } from './text.js'
import { isMix } from './tiles.js'

export class People {
  /** @type {Map<string, HTMLElement>} */
  #rows = new Map()

  /** @param {Actions} actions */
  constructor(actions) {
    this.actions = actions
    this.count = counter()
    this.list = h('ul', { class: 'people-list' })
    this.empty = nothing(text.room.noParticipants)
    this.node = card(text.room.participants, { style: 'people-card', head: [this.count] }, this.empty, this.list)
  }

  /** @param {Person[]} people */
  update(people) {
    say(this.count, people.length ? String(people.length) : '')
    this.empty.hidden = people.length > 0
    keyed(this.list, people, person => `${person.userId} ${person.joinedAt}`, person => this.#row(person))
  }

  /** @param {Call} call */
  levels(call) {
    for (const [userId, face] of this.#rows) face.classList.toggle('speaking', call.speakers.includes(userId))
  }

  /** @param {Person} given @returns {Part<Person>} */
  #row({ userId, joinedAt }) {
    const face = avatar(userId)
    this.#rows.set(userId, face)
    const badges = h('span', { class: 'badges' })
    const media = h('span', { class: 'person-media', 'aria-hidden': 'true' })
    const line = h('div', { class: 'person-line number' })
    const { kick: act } = this.actions
    const kick = act && !isMix(userId) && rowButton('kick', 'kick', text.room.remove(userId), () => act({ userId }), 'danger')
    const node = h('li', { class: 'person', data: { user: userId }, title: text.room.joined(moment(joinedAt)) },
      face, h('div', { class: 'person-text' }, h('div', { class: 'person-name' }, h('b', {}, isMix(userId) ? text.room.mix : userId), badges, media), line), kick)
    let drawn = ''
    return {
      node,
      remove: () => this.#rows.delete(userId),
      update: person => {
        face.classList.toggle('speaking', person.speaking)
        const microphone = person.tracks.find(track => track.kind === 'audio')
        const camera = person.tracks.find(track => track.kind === 'video' && track.tag !== 'screen')
        /** @type {Array<string | false | undefined>} */
        const shown = [
          person.isMe && text.room.you, person.grants.includes('hidden') && text.room.hidden, !person.connected && text.room.reconnecting,
          microphone && (microphone.muted ? 'microphone-off' : 'microphone'), camera && (camera.muted ? 'camera-off' : 'camera'),
          person.tracks.some(track => track.tag === 'screen') && 'screen',
        ]
        if (drawn !== shown.join()) {
          drawn = shown.join()
          badges.replaceChildren(...shown.slice(0, 3).filter(Boolean).map((words, index) => h('span', { class: index ? 'badge' : 'badge accent' }, words)))
          if (!person.isMe) badges.firstElementChild?.classList.remove('accent')
          media.replaceChildren(...shown.slice(3).flatMap(name => name ? [icon(/** @type {Icon} */ (name), 'small')] : []))
        }
        say(line, this.#inWords(person))
      },
    }
  }

  /** @param {Person} given */
  #inWords({ userId, up, down = 0, rtt, loss = 0, grants, target, queue = 0, paced = false, tracks }) {
    const { room } = text
    if (isMix(userId)) return text.stage.whatAudienceGets
    if (up === undefined) return roleOf(grants)
    const parts = []
    if (up > 0) parts.push(`↑ ${joined(rate(up))}`)
    // Unless video is paced, the path may carry more than the estimate.
    if (down > 0) parts.push(paced && target !== undefined ? `↓ ${share(rate(down), rate(target))}` : `↓ ${joined(rate(down))}`)
    if (paced && queue >= 20) parts.push(room.queue(milliseconds(queue)))
    if (rtt !== undefined) parts.push(milliseconds(rtt))
    if (loss >= 0.001) parts.push(text.stage.lost(percent(loss)))
    // The guest of a PK is connected to the other room.
    return parts.join('   ') || (tracks.length && userId.includes('@') ? room.fromOtherRoom : room.noMedia)
  }
}

/** @param {Wire.Grant[]} grants */
function roleOf(grants) {
  const { roles } = text.stage
  return grants.includes('hidden') ? text.room.hidden : grants.includes('admin') ? roles.host.name : grants.includes('publish') ? roles.guest.name : roles.audience.name
}

// A part of a bitrate: "780 of 900 kbps".
/** @param {[string, string]} part @param {[string, string]} all */
const share = (part, all) => text.room.share(part[1] === all[1] ? part[0] : joined(part), joined(all)).replaceAll(' ', '\u00a0')
