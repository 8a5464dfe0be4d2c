// Inviting to a PK: a list of rooms that are live, a field for others, and a duration.
import { openDialog, problem } from './dialogs.js'
import { avatar, h, keyed } from './dom.js'
import { PATTERN } from './entrance.js'
import { text } from './text.js'

const MINUTES = [0, 3, 5, 10]
// How soon the server knows that a room can't be invited.
const ANSWER = 1200

// The rest of a PK with an end, in ms; null if it has none.
/** @param {Wire.RoomState | null} [state] */
export const timeLeft = state => state?.pk?.endsAt ? Math.max(0, state.pk.endsAt - Date.now()) : null

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
  const room = h('input', { class: 'input', id: 'pk-room', required: true, maxlength: 64, autocomplete: 'off', spellcheck: 'false', pattern: PATTERN, value: wanted })
  const minutes = h('select', { class: 'input', id: 'pk-minutes' }, MINUTES.map(each => h('option', { value: String(each) }, each ? text.pk.minutes(each) : text.pk.noLimit)))
  const failure = h('div')
  const button = h('button', { class: 'button primary', data: { action: 'confirm' } }, text.pk.invite)
  const form = h('form', { class: 'dialog-body' },
    h('header', {}, h('h2', {}, text.pk.inviteTitle), h('p', { class: 'muted' }, text.pk.inviteHint)),
    list, none, h('div', { class: 'pk-fields' },
      h('div', { class: 'field' }, h('label', { for: 'pk-room' }, text.pk.room), room),
      h('div', { class: 'field' }, h('label', { for: 'pk-minutes' }, text.pk.duration), minutes)), failure,
    h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, text.common.cancel), button))
  form.addEventListener('submit', event => {
    event.preventDefault()
    button.disabled = true
    failure.replaceChildren()
    invite(acts, room.value.trim(), Number(minutes.value)).then(() => dialog.close(), error => {
      button.disabled = false
      failure.replaceChildren(problem(error))
    })
  })
  const dialog = openDialog(form, { label: text.pk.inviteTitle })
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
    const state = await api.state(name).catch(() => null)
    return { name, host: state?.seats[0]?.userId, isLive: state?.jobs.some(job => job.target && job.onAir) ?? false, hasPK: Boolean(state?.pk) }
  }))
  return all.filter(each => each.host).sort((a, b) => Number(a.hasPK) - Number(b.hasPK) || Number(b.isLive) - Number(a.isLive))
}
