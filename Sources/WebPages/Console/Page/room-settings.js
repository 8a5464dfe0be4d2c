// The form for a room's settings.
import { ask, toast } from './dialogs.js'
import { h } from './dom.js'
import { text } from './text.js'

export const AUDIENCES = text.room.audiences

/** @type {Array<['maxParticipants' | 'emptyTimeout' | 'graceTime' | 'requestTimeout', number, number]>} */
const NUMBERS = [['maxParticipants', 1, 100000], ['emptyTimeout', 10, 86400], ['graceTime', 1, 3600], ['requestTimeout', 5, 600]]

/** @param {HTMLElement} node @param {string} label @param {string} [hint] */
const field = (node, label, hint) => h('div', { class: 'field' }, h('label', { for: node.id }, label), node, hint && h('p', { class: 'hint' }, hint))

/** @param {Api} api @param {string} room */
export async function settingsDialog(api, room) {
  const { settings } = await api.room(room)
  const audience = h('select', { class: 'input', id: 'settings-audience' }, Object.entries(AUDIENCES).map(([value, words]) => h('option', { value }, words)))
  audience.value = settings.audience
  const numbers = NUMBERS.map(([name, min, max]) => {
    const input = h('input', { class: 'input', id: `settings-${name}`, type: 'number', min, max, required: true, value: settings[name] })
    return { name, input, node: field(input, text.room.settings[name], name === 'maxParticipants' ? text.room.presentStay : '') }
  })
  const host = h('select', { class: 'input', id: 'settings-seatsHost' }, h('option', { value: 'true' }, text.room.firstHost), h('option', { value: 'false' }, text.room.noHost))
  host.value = String(settings.seatsHost)
  const form = h('form', { class: 'dialog-body' },
    h('header', {}, h('h2', {}, text.room.settingsOf(room)), h('p', { class: 'muted' }, text.room.settingsHint)),
    field(audience, text.stage.whatAudienceGets), numbers.map(number => number.node), field(host, text.room.whoHosts))
  ask(form, {
    title: text.room.settingsTitle, action: text.common.save, style: 'primary',
    // Sends only changed settings: others may change the room meanwhile.
    act: async () => {
      /** @type {Wire.RoomChanges} */
      const wanted = { audience: /** @type {Wire.Audience} */ (audience.value), seatsHost: host.value === 'true' }
      for (const { name, input } of numbers) wanted[name] = input.valueAsNumber
      const changes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== settings[/** @type {keyof Wire.RoomSettings} */ (name)]))
      await api.changeRoom(room, changes)
      toast(text.room.settingsSaved)
    },
  })
}
