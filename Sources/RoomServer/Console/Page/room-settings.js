// The form for a room's settings.
import { ask, toast } from './dialogs.js'
import { h } from './dom.js'

export const AUDIENCES = { mixed: 'One video and audio mix of the seats', voice: 'A voice room: one audio mix', separate: 'Every participant’s tracks' }

/** @type {Array<['maxParticipants' | 'emptyTimeout' | 'graceTime' | 'requestTimeout', string, number, number, string?]>} */
const NUMBERS = [
  ['maxParticipants', 'Maximum participants', 1, 100000, 'Present participants stay.'],
  ['emptyTimeout', 'Seconds until an empty room closes', 10, 86400],
  ['graceTime', 'Seconds that a lost participant stays in the room', 1, 3600],
  ['requestTimeout', 'Seconds until requests for seats expire', 5, 600],
]

/** @param {HTMLElement} node @param {string} label @param {string} [hint] */
const field = (node, label, hint) => h('div', { class: 'field' }, h('label', { for: node.id }, label), node, hint && h('p', { class: 'hint' }, hint))

/** @param {Api} api @param {string} room */
export async function settingsDialog(api, room) {
  const { settings } = await api.room(room)
  const audience = h('select', { class: 'input', id: 'settings-audience' }, Object.entries(AUDIENCES).map(([value, text]) => h('option', { value }, text)))
  audience.value = settings.audience
  const numbers = NUMBERS.map(([name, label, min, max, hint]) => {
    const input = h('input', { class: 'input', id: `settings-${name}`, type: 'number', min, max, required: true, value: settings[name] })
    return { name, input, node: field(input, label, hint) }
  })
  const host = h('select', { class: 'input', id: 'settings-seatsHost' }, h('option', { value: 'true' }, 'The first participant who joins as host'), h('option', { value: 'false' }, 'No one automatically'))
  host.value = String(settings.seatsHost)
  const form = h('form', { class: 'dialog-body' },
    h('header', {}, h('h2', {}, `Settings of ${room}`), h('p', { class: 'muted' }, 'The audience setting applies at once, the others to later joins and requests.')),
    field(audience, 'What the audience receives'), numbers.map(number => number.node), field(host, 'Who gets the host’s seat'))
  ask(form, {
    title: 'Settings', action: 'Save', style: 'primary',
    // Sends only changed settings: others may change the room meanwhile.
    act: async () => {
      /** @type {Wire.RoomChanges} */
      const wanted = { audience: /** @type {Wire.Audience} */ (audience.value), seatsHost: host.value === 'true' }
      for (const { name, input } of numbers) wanted[name] = input.valueAsNumber
      const changes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== settings[/** @type {keyof Wire.RoomSettings} */ (name)]))
      await api.changeRoom(room, changes)
      toast('The settings were saved.')
    },
  })
}
