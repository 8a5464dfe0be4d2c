// The form for a room's settings.
import { ask, toast } from './dialogs.js'
import { field, line, select } from './fields.js'
import { text } from './text.js'

export const AUDIENCES = text.room.audiences

/** @type {Array<['maxParticipants' | 'emptyTimeout' | 'graceTime' | 'requestTimeout', number, number]>} */
const NUMBERS = [['maxParticipants', 1, 100000], ['emptyTimeout', 10, 86400], ['graceTime', 1, 3600], ['requestTimeout', 5, 600]]

/** @param {Api} api @param {string} room */
export async function settingsDialog(api, room) {
  const { settings } = await api.get('/v1/rooms/{room}', { room })
  const audience = select('settings-audience', AUDIENCES)
  const numbers = NUMBERS.map(([name, min, max]) => ({ name, input: line(`settings-${name}`, settings[name], { type: 'number', min, max, required: true }) }))
  const host = select('settings-seatsHost', { true: text.room.firstHost, false: text.room.noHost })
  audience.value = settings.audience
  host.value = String(settings.seatsHost)
  ask({
    title: text.room.settingsOf(room), text: text.room.settingsHint, action: text.common.save,
    // Sends only changed settings: others may change the room meanwhile.
    act: async () => {
      /** @type {Wire.RoomChanges} */
      const wanted = { audience: /** @type {Wire.Audience} */ (audience.value), seatsHost: host.value === 'true' }
      for (const { name, input } of numbers) wanted[name] = input.valueAsNumber
      const changes = Object.fromEntries(Object.entries(wanted).filter(([name, value]) => value !== settings[/** @type {keyof Wire.RoomSettings} */ (name)]))
      await api.send('PATCH', '/v1/rooms/{room}', { room }, changes)
      toast(text.room.settingsSaved)
    },
  }, field(audience, text.stage.whatAudienceGets), numbers.map(({ name, input }) => field(input, text.room.settings[name], name === 'maxParticipants' && text.room.presentStay)), field(host, text.room.whoHosts))
}
