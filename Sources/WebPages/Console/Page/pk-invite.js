// Inviting to a PK: a list of rooms that are live, a field for others, and a duration.
import { ask } from './dialogs.js'
import { avatar, h, keyed } from './dom.js'
import { PATTERN } from './entrance.js'
import { field, line, select } from './fields.js'
import { text } from './text.js'

const MINUTES = [0, 3, 5, 10]
// How soon the server knows that a room can't be invited.
const ANSWER = 1200

// Resolves once the invitation waits for its answer; throws if the server withdraws it at once.
/** @param {Acts} acts @param {string} room @param {number} minutes */
async function invite(acts, room, minutes) {
  const { call } = acts
  /** @type {Data} */
  let failed
  /** @param {Event} event */
  const listen = event => {
    const change = /** @type {CustomEvent<RoomEvent>} */ (event).detail
    if (change.event === 'pkInvitationEnded' && change.data.outcome === 'failed') failed = change.data
  }
  call?.addEventListener('event', listen)
  try {
    await acts.do('invitePK', { room, ...minutes && { duration: minutes * 60 } })
    const started = Date.now()
    while (call && !failed && Date.now() - started < ANSWER) await new Promise(resolve => setTimeout(resolve, 50))
    if (failed) throw Object.assign(new Error(failed.error?.message ?? text.pk.couldNotStart), failed.error)
  } finally {
    call?.removeEventListener('event', listen)
  }
}

/** @param {Acts} acts @param {string} [wanted] The room that is invited again. */
export async function invitePK(acts, wanted = '') {
  const list = h('ul', { class: 'pk-choices', 'aria-label': text.pk.whoIsLive })
  const none = h('p', { class: 'hint' }, acts.app.api ? text.pk.nobodyLive : text.pk.typeRoom)
  const room = line('pk-room', wanted, { required: true, maxlength: 64, pattern: PATTERN })
  const minutes = select('pk-minutes', MINUTES.map(each => [String(each), each ? text.pk.minutes(each) : text.pk.noLimit]))
  ask({ title: text.pk.inviteTitle, text: text.pk.inviteHint, action: text.pk.invite, act: () => invite(acts, room.value.trim(), Number(minutes.value)) },
    list, none, h('div', { class: 'pk-fields' }, field(room, text.shell.room), field(minutes, text.pk.duration)))
  const rooms = await opponents(acts).catch(() => [])
  none.hidden = rooms.length > 0
  keyed(list, rooms, each => each.name, each => {
    const node = h('li', {}, h('button', { type: 'button', class: 'pk-choice', data: { room: each.name }, on: {
      click: () => {
        room.value = each.name
        for (const other of list.querySelectorAll('button')) other.setAttribute('aria-pressed', String(other === node.firstChild))
      },
    }, 'aria-pressed': String(each.name === room.value) }, avatar(each.host ?? each.name), h('span', {}, h('b', {}, each.host ?? each.name), h('small', { class: 'muted' }, each.name)),
      each.isLive && h('span', { class: 'badge live-badge' }, text.stage.live), each.hasPK && h('span', { class: 'badge' }, text.pk.inPK)))
    return { node, update() {} }
  })
  const free = rooms.filter(each => !each.hasPK)
  if (free.length === 1 && !room.value) /** @type {HTMLElement | null} */ (list.querySelector(`[data-room="${CSS.escape(free[0].name)}"]`))?.click()
}

const MOST = 30 // rooms whose state is asked for

// The rooms whose host may be invited, those that are live first.
/** @param {Acts} acts */
async function opponents({ app: { api }, room }) {
  if (!api) return []
  const rooms = (await api.rooms()).filter(each => each.name !== room && each.participants > 0).slice(0, MOST)
  const all = await Promise.all(rooms.map(async ({ name }) => {
    const state = await api.get('/v1/rooms/{room}/state', { room: name }).catch(() => null)
    return { name, host: state?.seats[0]?.userId, isLive: state?.jobs.some(job => job.target && job.onAir) ?? false, hasPK: Boolean(state?.pk) }
  }))
  return all.filter(each => each.host).sort((a, b) => Number(a.hasPK) - Number(b.hasPK) || Number(b.isLive) - Number(a.isLive))
}
