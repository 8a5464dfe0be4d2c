// Joining a room: the role, and the devices of those who publish.
import { h } from './dom.js'
import { entrance, showEntrance } from './entrance.js'
import { segments } from './fields.js'
import { text } from './text.js'

// The roles in a room, and the grants that they need.
/** @type {Record<'guest' | 'audience' | 'host', Role & { name: string }>} */
export const ROLES = {
  guest: { ...text.stage.roles.guest, grants: ['publish', 'subscribe'], publishes: true },
  audience: { ...text.stage.roles.audience, grants: ['subscribe'], publishes: false },
  host: { ...text.stage.roles.host, grants: ['publish', 'subscribe', 'admin', 'relay'], publishes: true },
}

// Shows the preview, and joins.
/** @param {SignedIn} app @param {string} room */
export function joinDialog(app, room) {
  const door = entrance(app)
  const mine = app.session.kind === 'room' && app.session.grants
  /** @type {Role} */
  let role = mine ? { grants: mine, publishes: mine.includes('publish'), hint: '' } : ROLES.guest
  const hint = h('p', { class: 'hint' }, role.hint)
  const columns = h('div', { class: 'join-columns' }, door.pictures)
  const devicesOf = door.fields.slice(1)
  const show = () => {
    hint.textContent = role.hint
    for (const node of [door.pictures, ...devicesOf]) node.hidden = !role.publishes
    columns.classList.toggle('single', !role.publishes)
  }
  const choices = segments(text.stage.as, { guest: ROLES.guest.name, audience: ROLES.audience.name, host: ROLES.host.name }, 'role', key => {
    role = ROLES[/** @type {keyof typeof ROLES} */ (key)]
    show()
  })
  choices.mark('guest')
  columns.append(h('div', { class: 'join-fields' }, door.fields[0], !mine && h('div', { class: 'field' }, h('span', { class: 'label' }, text.stage.as), choices.node, hint), devicesOf))
  show()
  showEntrance(door, {
    title: text.stage.joinTitle(room), hint: text.stage.notYetSeen, action: text.stage.joinRoom, columns,
    enter: async media => {
      if (!role.publishes) for (const device of door.both) device.close()
      await app.startCall({ room, user: door.name.value, grants: role.grants, media: role.publishes ? media : [] })
    },
  })
  door.name.select()
}
