// All publishers side by side in one program: for a publish URL, or for the room itself.
import { ask, toast } from './dialogs.js'
import { field, line, select } from './fields.js'
import { originURL } from './publish-url.js'
import { text } from './text.js'

const SIZES = ['1280x720', '720x1280', '640x360']
const MOST = 16

// Frames for a number of pictures in a canvas: the whole, two halves with the aspect of a PK, or a grid whose last row is
// centred.
/** @param {number} count @param {number} width @param {number} height */
export function frames(count, width, height) {
  if (count === 2 && height > width) return [0, width / 2].map(x => ({ x, y: height / 4, width: width / 2, height: height / 2 }))
  const columns = count === 2 ? 2 : Math.ceil(Math.sqrt(count))
  const rows = Math.ceil(count / columns)
  const cell = { width: Math.floor(width / columns), height: Math.floor(height / rows) }
  return Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / columns)
    const inRow = Math.min(columns, count - row * columns)
    return { x: Math.floor((width - inRow * cell.width) / 2) + (index % columns) * cell.width, y: row * cell.height, ...cell }
  })
}

// A mix is not mixed again.
/** @param {Person} person */
const canBeMixed = person => person.tracks.some(track => track.tag !== 'mix')

/** @param {Api} api @param {string} room @param {Person[]} people */
export function openMix(api, room, people) {
  const shown = people.filter(canBeMixed).slice(0, MOST)
  const size = select('mix-size', SIZES.map((size, index) => [size, text.room.sizes[index]]))
  const way = select('mix-way', { url: text.room.toURL, room: text.room.toRoom })
  const url = line('mix-url', `${originURL(room)}-mix`, { maxlength: 2048 })
  const name = line('mix-name', 'mix', { maxlength: 64 })
  const ways = {
    url: field(url, text.stage.publishURL, text.room.urlHint),
    room: field(name, text.room.mixParticipant, text.room.mixParticipantHint),
  }
  const show = () => { for (const [key, node] of Object.entries(ways)) node.hidden = key !== way.value }
  way.addEventListener('change', show)
  show()
  ask({
    title: text.room.mix, action: text.room.mix, isReady: shown.length > 0,
    text: shown.length ? text.room.mixHint(shown.length, shown.map(person => person.userId).join(', ')) : text.room.nobodyPublishes,
    act: async () => {
      const [width, height] = size.value.split('x').map(Number)
      const places = frames(shown.length, width, height)
      /** @type {Wire.NewMerge} */
      const job = {
        jobId: `console-${Date.now().toString(36)}`, width, height,
        layouts: shown.map(({ userId }, index) => ({ userId, ...places[index], placeholder: userId })),
      }
      if (way.value === 'room') job.publishAs = name.value.trim()
      else if (url.value.trim()) job.publishUrl = url.value.trim()
      await api.send('POST', '/v1/rooms/{room}/merge-jobs', { room }, job)
      toast(text.room.mixIsLive)
    },
  }, field(size, text.room.picture), field(way, text.room.destination), ways.url, ways.room)
}
