// All publishers side by side in one program: for a publish URL, or for the room itself.
import { openDialog, problem, toast } from './dialogs.js'
import { h } from './dom.js'
import { plural } from './format.js'

const SIZES = [['1280x720', 'Landscape, 1280 × 720'], ['720x1280', 'Portrait, 720 × 1280'], ['640x360', 'Small, 640 × 360']]
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
  /** @param {string} id @param {string[][]} all */
  const choices = (id, all) => h('select', { class: 'input', id }, all.map(([value, text]) => h('option', { value }, text)))
  /** @param {HTMLElement} node @param {string} label @param {string} [hint] */
  const field = (node, label, hint) => h('div', { class: 'field' }, h('label', { for: node.id }, label), node, hint && h('p', { class: 'hint' }, hint))
  /** @param {string} id @param {string} value @param {object} more */
  const line = (id, value, more) => h('input', { class: 'input', id, value, autocomplete: 'off', spellcheck: 'false', ...more })
  const size = choices('mix-size', SIZES)
  const way = choices('mix-way', [['url', 'A publish URL'], ['room', 'This room, as a participant']])
  const url = line('mix-url', `rtmp://origin/live/${room}-mix`, { maxlength: 2048 })
  const name = line('mix-name', 'mix', { maxlength: 64 })
  const ways = {
    url: field(url, 'Publish URL', 'The host “origin” is this server. Leave it empty if the room has its own URL.'),
    room: field(name, 'Name of the participant', 'Participants in the mix receive it without their own sound.'),
  }
  const show = () => { for (const [key, node] of Object.entries(ways)) node.hidden = key !== way.value }
  way.addEventListener('change', show)
  show()
  const failure = h('div')
  const button = h('button', { class: 'button primary', data: { action: 'confirm' }, disabled: !shown.length }, 'Mix')
  const form = h('form', { class: 'dialog-body' },
    h('header', {}, h('h2', {}, 'Mix'), h('p', { class: 'muted' }, shown.length
      ? `${plural(shown.length, 'publisher')} in one video and audio mix: ${shown.map(person => person.userId).join(', ')}.` : 'No participant is publishing yet.')),
    field(size, 'Picture'), field(way, 'Destination'), ways.url, ways.room,
    failure, h('footer', {}, h('button', { type: 'button', class: 'button', on: { click: () => dialog.close() } }, 'Cancel'), button))
  form.addEventListener('submit', event => {
    event.preventDefault()
    button.disabled = true
    const [width, height] = size.value.split('x').map(Number)
    const places = frames(shown.length, width, height)
    /** @type {Wire.NewMerge} */
    const job = {
      jobId: `console-${Date.now().toString(36)}`, width, height,
      layouts: shown.map(({ userId }, index) => ({ userId, ...places[index], placeholder: userId })),
    }
    if (way.value === 'room') job.publishAs = name.value.trim()
    else if (url.value.trim()) job.publishUrl = url.value.trim()
    api.startMerge(room, job).then(() => {
      dialog.close()
      toast('The mix is live.')
    }, error => {
      button.disabled = false
      failure.replaceChildren(problem(error))
    })
  })
  const dialog = openDialog(form, { label: 'Mix' })
}
