// Inviting to a PK: rooms of a list of those that are live, or by name, their teams, and the rules; or further rooms to the PK that runs.
import { ask, toastError } from './dialogs.js'
import { avatar, h, keyed } from './dom.js'
import { PATTERN } from './entrance.js'
import { field, line, select } from './fields.js'
import { inviteParams } from './pk-params.js'
import { text, words } from './text.js'

const MINUTES = [0, 3, 5, 10]
const PUNISHMENTS = [0, 30, 60, 120] // seconds
const OVERTIMES = [0, 10, 20, 30] // seconds
const TEAMS = [0, 1, 2, 3, 4, 5, 6, 7, 8] // 0: the room plays alone
// How soon the server knows that a room can't be invited.
const ANSWER = 1200

// Resolves once an invitation waits for its answer; throws if the server withdraws all at once.
/** @param {Acts} acts @param {Wire.PKInviteParams} params */
async function invite(acts, params) {
  const { call } = acts
  const count = 1 + (params.others?.length ?? 0)
  /** @type {Error[]} */
  const failures = []
  /** @param {Event} event */
  const listen = event => {
    const { event: name, data } = /** @type {CustomEvent<RoomEvent>} */ (event).detail
    if (name !== 'pkInvitationEnded' || data.outcome !== 'failed') return
    failures.push(Object.assign(new Error(data.error?.message ?? text.pk.couldNotStart), data.error))
  }
  call?.addEventListener('event', listen)
  try {
    await acts.do('invitePK', params)
    const started = Date.now()
    while (call && failures.length < count && Date.now() - started < ANSWER) await new Promise(resolve => setTimeout(resolve, 50))
    if (failures.length >= count) throw failures[0]
    failures.forEach(toastError)
  } finally {
    call?.removeEventListener('event', listen)
  }
}

/** @param {string} id @param {number[]} values @param {(value: number) => string} name @param {string} none */
const choice = (id, values, name, none) => select(id, values.map(each => [String(each), each ? name(each) : none]))

/** @param {Acts} acts @param {{ wanted?: string, pkId?: string }} given `wanted` is a room; `pkId` is the PK that runs. */
export async function invitePK(acts, { wanted = '', pkId }) {
  const list = h('ul', { class: 'pk-choices', 'aria-label': text.pk.whoIsLive })
  const none = h('p', { class: 'hint' }, acts.app.api ? text.pk.nobodyLive : text.pk.typeRoom)
  const name = line('pk-room', wanted, { required: true, maxlength: 520, pattern: `[\\s,]*${PATTERN}([\\s,]+${PATTERN}){0,7}[\\s,]*`, on: { input: () => draw() } })
  /** @param {number} seconds */
  const inSeconds = seconds => `${seconds} ${words.requests.seconds}`
  const minutes = choice('pk-minutes', MINUTES, text.pk.minutes, text.pk.noLimit)
  const punishment = choice('pk-punishment', PUNISHMENTS, inSeconds, text.pk.without)
  const overtime = choice('pk-overtime', OVERTIMES, inSeconds, text.pk.without)
  /** @type {Map<string, HTMLSelectElement>} */
  const teams = new Map()
  const teamList = h('ul', { class: 'pk-teams', 'aria-label': text.pk.teams })

  const chosen = () => [...new Set(name.value.split(/[\s,]+/).filter(Boolean))]
  const draw = () => {
    const rooms = chosen()
    for (const button of list.querySelectorAll('button')) button.setAttribute('aria-pressed', String(rooms.includes(button.dataset.room ?? '')))
    keyed(teamList, pkId ? rooms : rooms.length > 1 ? [acts.room, ...rooms] : [], room => room, room => {
      const team = choice(`pk-team-${room}`, TEAMS, words.stage.team, text.pk.alone)
      teams.set(room, team)
      return { node: h('li', {}, h('label', { for: team.id }, room), team), update() {}, remove: () => teams.delete(room) }
    })
  }
  const act = () => {
    const numbers = [...teams].flatMap(([room, { value }]) => value === '0' ? [] : [/** @type {[string, number]} */ ([room, Number(value)])])
    const [most, last, extra] = [minutes, punishment, overtime].map(({ value }) => Number(value))
    return invite(acts, inviteParams({ own: acts.room, rooms: chosen(), teams: new Map(numbers), minutes: most, punishment: last, overtime: extra, pkId }))
  }
  ask({ title: pkId ? text.pk.inviteMore : text.pk.inviteTitle, text: pkId ? text.pk.inviteMoreHint : text.pk.inviteHint, action: text.pk.invite, act },
    list, none, field(name, text.pk.rooms, text.pk.roomsHint), teamList,
    !pkId && h('div', { class: 'pk-fields' }, field(minutes, text.pk.duration), field(punishment, text.pk.punishment), field(overtime, text.pk.overtime)))
  draw()
  const rooms = await opponents(acts).catch(() => [])
  none.hidden = rooms.length > 0
  keyed(list, rooms, each => each.name, each => {
    const node = h('li', {}, h('button', { type: 'button', class: 'pk-choice', data: { room: each.name }, on: {
      click: () => {
        const now = chosen()
        name.value = (now.includes(each.name) ? now.filter(room => room !== each.name) : [...now, each.name]).join(' ')
        draw()
      },
    } }, avatar(each.host ?? each.name), h('span', {}, h('b', {}, each.host ?? each.name), h('small', { class: 'muted' }, each.name)),
      each.isLive && h('span', { class: 'badge live-badge' }, text.stage.live), each.hasPK && h('span', { class: 'badge' }, text.pk.inPK)))
    return { node, update() {} }
  })
  const free = rooms.filter(each => !each.hasPK)
  if (free.length === 1 && !name.value) name.value = free[0].name
  draw()
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
