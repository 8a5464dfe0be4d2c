// The form for a room's settings.
import { ask, toast } from './dialogs.js'
import { h } from './dom.js'

export const AUDIENCES = { mixed: 'One picture of who sits, and one sound', voice: 'A voice room: one mixed sound', separate: 'Everybody’s tracks' }

const NUMBERS = [
  ['maxParticipants', 'Participants at most', 1, 100000, 'Nobody has to leave.'],
  ['emptyTimeout', 'Seconds until an empty room closes', 10, 86400],
  ['graceTime', 'Seconds that a lost participant keeps its place', 1, 3600],
  ['requestTimeout', 'Seconds that requests for seats wait', 5, 600],
]

const field = (node, label, hint) => h('div', { class: 'field' }, h('label', { for: node.id }, label), node, hint && h('p', { class: 'hint' }, hint))

export async function settingsDialog(api, room) {
  const { settings } = await api.room(room)
  const audience = h('select', { class: 'input', id: 'settings-audience' }, Object.entries(AUDIENCES).map(([value, text]) => h('option', { value }, text)))
  audience.value = settings.audience
  const numbers = NUMBERS.map(([name, label, min, max, hint]) => {
    const input = h('input', { class: 'input', id: `settings-${name}`, type: 'number', min, max, required: true, value: settings[name] })
    return { name, input, node: field(input, label, hint) }
  })
  const host = h('select', { class: 'input', id: 'settings-seatsHost' }, h('option', { value: 'true' }, 'The first who joins as a host'), h('option', { value: 'false' }, 'Nobody by itself'))
  host.value = String(settings.seatsHost)
  const form = h('form', { class: 'dialog-body' },
    h('header', {}, h('h2', {}, `Settings of ${room}`), h('p', { class: 'muted' }, 'What the audience gets changes at once, all else for what comes.')),
    field(audience, 'What the audience gets'), numbers.map(number => number.node), field(host, 'Who sits on the host’s seat'))
  ask(form, {
    title: 'Settings', action: 'Save', style: 'primary',
    // Sends only changed settings: others may change the room meanwhile.
    act: async () => {
      const wanted = { audience: audience.value, seatsHost: host.value === 'true' }
      for (const { name, input } of numbers) wanted[name] = input.valueAsNumber
      const changes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== settings[name]))
      await api.changeRoom(room, changes)
      toast('The settings were saved.')
    },
  })
}
