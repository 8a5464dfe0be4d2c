// The form for the style of a room's stage (docs/mixing.md). It applies while the room is live, and stays open.
import { openDialog, problem } from './dialogs.js'
import { h, icon, say } from './dom.js'
import { TextRow, colour, field, number, place, words } from './style-fields.js'
import { text } from './text.js'

const TEXTS = 8
const BLACK = '#000000'

/** @typedef {{ style(): Wire.StagePicture, apply(style: Wire.StagePicture): Promise<unknown>, images?(): Promise<string[]>, upload?(name: string, file: File): Promise<unknown> }} Source */

// A style as text, independent of the order of its members, for comparison.
/** @param {Wire.StagePicture} style */
const key = style => JSON.stringify(sorted({ cornerRadius: 0, names: false, scores: false, watermarks: [], texts: [], fps: 24, videoKbps: 1500, preset: 'superfast', ...style }))
/** @param {any} value @returns {any} */
const sorted = value => Array.isArray(value) ? value.map(sorted) : value && typeof value === 'object'
  ? Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined && each !== null).sort(([a], [b]) => a < b ? -1 : 1).map(([name, each]) => [name, sorted(each)])) : value

// What a style shows, in a few words.
/** @param {Wire.StagePicture} style */
function summary(style) {
  const { background, watermarks, texts } = style
  const shown = words.summary
  const plain = (texts ?? []).filter(each => !each.clock)
  return [
    style.width ? `${style.width}x${style.height}` : words.auto, background?.colour ?? (background?.image ? `${shown.image} ${background.image}` : shown.black),
    watermarks?.length && `${shown.watermark} ${watermarks.map(each => each.image).join(', ')}`, plain.length && words.countTexts(plain.length),
    plain.length !== (texts ?? []).length && shown.clock, style.cornerRadius && shown.rounded, style.names && shown.names, style.scores && shown.scores,
  ].filter(Boolean).join(' · ')
}

export class StageStyle {
  /** @type {string[] | null} */
  #images = null // the names of the room's images; null if unknown
  /** @type {TextRow[]} */
  #rows = []
  /** @type {string | null} */
  #replaced = null // what our own change replaced; answers that are older may still show it
  #isEdited = false

  /** @param {Source} source */
  constructor(source) {
    this.source = source
    this.base = source.style()
    this.now = h('p', { class: 'muted style-now' })
    this.note = h('p', { class: 'muted', role: 'status' })
    this.conflict = h('div', { class: 'problem question', role: 'alert', hidden: true }, words.changed,
      h('div', { class: 'buttons' }, h('button', { type: 'button', class: 'button small', data: { action: 'load-style' }, on: { click: () => this.#fill(source.style()) } }, words.load)))
    this.failure = h('div')
    this.canvas = this.#select('canvas')
    this.radius = number('cornerRadius', words.cornerRadius, 0, 50)
    this.background = this.#select('background')
    this.background.append(...Object.entries(words.backgrounds).map(([value, label]) => h('option', { value }, label)))
    this.colour = colour('colour', BLACK)
    this.image = this.#imageField('image', words.backgroundImage, false)
    this.mark = this.#imageField('watermark', words.watermarkImage, true)
    this.markAt = place()
    this.markWidth = number('width', words.width, 1, 1920, true)
    this.opacity = number('opacity', words.opacity, 0, 100)
    this.markPlace = h('div', { class: 'style-row' }, this.markAt.x.node, this.markAt.y.node, this.markWidth.node, this.opacity.node)
    this.rows = h('div', { class: 'style-rows' })
    this.add = h('button', { type: 'button', class: 'button small', data: { action: 'add-text' }, on: { click: () => this.#addRow({ text: '', x: 24, y: 24 }, true) } }, icon('plus', 'small'), words.addText)
    this.switches = Object.fromEntries(/** @type {const} */ (['clock', 'names', 'scores']).map(name => [name, h('input', { type: 'checkbox', id: `style-${name}`, data: { style: name } })]))
    this.names = h('datalist', { id: 'style-images' })
    this.form = this.#form()
    this.#fill(this.base)
    this.dialog = openDialog(this.form, { wide: true, label: words.title })
    this.dialog.addEventListener('close', () => { this.isClosed = true })
    this.canvas.focus()
    this.#loadImages()
  }

  /** @param {string} name */
  #select(name) { return h('select', { class: 'input', id: `style-${name}`, data: { style: name } }) }

  /** @param {string} name @param {string} label @param {boolean} mayBeEmpty */
  #imageField(name, label, mayBeEmpty) {
    return field(name, label, h('input', { class: 'input', list: 'style-images', maxlength: 64, autocomplete: 'off', spellcheck: 'false' }), value => {
      if (!value && mayBeEmpty) return ''
      if (this.#images && !this.#images.includes(value)) return words.noImage(this.#images)
      return /^[A-Za-z0-9._-]{1,64}$/.test(value) ? '' : words.imageName
    })
  }

  #form() {
    /** @param {string} label @param {HTMLElement} node */
    const labelled = (label, node) => h('div', { class: 'field' }, h('label', { for: node.id }, label), node)
    /** @param {string} legend @param {Children} children */
    const group = (legend, ...children) => h('fieldset', { class: 'style-group' }, h('legend', {}, legend), ...children)
    /** @type {HTMLInputElement} */
    const file = h('input', { type: 'file', id: 'style-file', accept: 'image/png,image/jpeg', on: { change: () => this.#upload(file) } })
    const form = h('form', { class: 'dialog-body style-form', novalidate: true },
      h('header', {}, h('h2', {}, words.title), h('p', { class: 'muted' }, words.hint), this.now), this.conflict,
      h('div', { class: 'style-pair' }, labelled(words.canvas, this.canvas), this.radius.node),
      group(words.background, h('div', { class: 'style-pair' }, labelled(words.background, this.background), this.colour.node, this.image.node)),
      group(words.watermark, this.mark.node, this.markPlace),
      group(words.texts, this.rows, h('div', { class: 'buttons' }, this.add)),
      group(words.show, Object.entries(this.switches).map(([name, input]) => h('label', { class: 'check' }, input, words[/** @type {'clock' | 'names' | 'scores'} */ (name)]))),
      this.source.upload && h('div', { class: 'field' }, h('label', { for: 'style-file' }, words.upload), file, h('p', { class: 'hint' }, words.uploadHint)),
      this.names, this.failure, this.note,
      h('footer', { class: 'stays' },
        h('button', { type: 'button', class: 'button', data: { action: 'reset-style' }, on: { click: () => this.#send({}) } }, words.reset),
        h('button', { type: 'button', class: 'button', on: { click: () => this.dialog?.close() } }, text.common.close),
        h('button', { class: 'button primary', data: { action: 'confirm' } }, words.apply)))
    form.addEventListener('input', () => {
      this.#isEdited = true
      say(this.note, '')
    })
    this.background.addEventListener('change', () => this.#show())
    this.mark.input.addEventListener('input', () => this.#show())
    this.switches.clock.addEventListener('change', () => {
      const clock = this.#rows.find(row => row.isClock)
      if (clock) this.#removeRow(clock)
      else this.#addRow({ clock: true, x: 24, y: 24 })
    })
    form.addEventListener('submit', event => {
      event.preventDefault()
      const wrong = this.#fields.filter(each => !each.check())
      if (wrong.length) wrong[0].input.focus()
      else this.#send(this.#value)
    })
    return form
  }

  // The fields that depend on a choice.
  #show() {
    this.colour.node.hidden = this.background.value !== 'colour'
    this.image.node.hidden = this.background.value !== 'image'
    this.markPlace.hidden = !this.mark.input.value.trim()
    this.add.disabled = this.#rows.length >= TEXTS
    this.switches.clock.disabled = this.#rows.length >= TEXTS && !this.switches.clock.checked
  }

  get #fields() {
    return [this.radius, this.colour, this.image, this.mark, this.markAt.x, this.markAt.y, this.markWidth, this.opacity, ...this.#rows.flatMap(row => row.fields)]
  }

  // MARK: Values

  // Shows a style in the form.
  /** @param {Wire.StagePicture} style */
  #fill(style) {
    this.base = style
    this.#isEdited = false
    this.conflict.hidden = true
    say(this.now, words.now(summary(style)))
    const size = style.width ? `${style.width}x${style.height}` : ''
    /** @type {Record<string, string>} */
    const shapes = { '': words.auto, ...words.shapes, ...size && !(size in words.shapes) && { [size]: size } }
    this.canvas.replaceChildren(...Object.entries(shapes).map(([value, label]) => h('option', { value }, label)))
    this.canvas.value = size
    this.radius.input.value = String(Math.round((style.cornerRadius ?? 0) * 100))
    const { background } = style
    this.background.value = background?.image ? 'image' : background?.colour ? 'colour' : 'none'
    this.colour.input.value = background?.colour ?? BLACK
    this.image.input.value = background?.image ?? ''
    const mark = style.watermarks?.[0]
    this.mark.input.value = mark?.image ?? ''
    this.markAt.x.input.value = String(mark?.x ?? 24)
    this.markAt.y.input.value = String(mark?.y ?? 24)
    this.markWidth.input.value = String(mark?.width ?? '')
    this.opacity.input.value = String(Math.round((mark?.opacity ?? 1) * 100))
    for (const row of [...this.#rows]) this.#removeRow(row)
    for (const each of style.texts ?? []) this.#addRow(each)
    this.switches.names.checked = style.names ?? false
    this.switches.scores.checked = style.scores ?? false
    this.#show()
    for (const each of this.#fields) each.check()
  }

  // The style that the form describes. What it does not show, such as the frame rate, stays.
  /** @returns {Wire.StagePicture} */
  get #value() {
    const { base, markWidth } = this
    const [width, height] = this.canvas.value ? this.canvas.value.split('x').map(Number) : []
    const [first, ...others] = base.watermarks ?? []
    const image = this.mark.input.value.trim()
    const mark = {
      ...first?.image === image && first, image, x: Number(this.markAt.x.input.value), y: Number(this.markAt.y.input.value),
      width: markWidth.input.value ? Number(markWidth.input.value) : undefined, opacity: Number(this.opacity.input.value) / 100,
    }
    return {
      ...base, width, height, cornerRadius: Number(this.radius.input.value) / 100,
      background: this.background.value === 'colour' ? { colour: this.colour.input.value } : this.background.value === 'image' ? { image: this.image.input.value.trim() } : undefined,
      watermarks: image ? [mark, ...others] : others, texts: this.#rows.map(row => row.value), names: this.switches.names.checked, scores: this.switches.scores.checked,
    }
  }

  /** @param {Wire.MergeText} given @param {boolean} [focus] */
  #addRow(given, focus = false) {
    const row = new TextRow(given, each => {
      this.#removeRow(each)
      this.#isEdited = true
      this.add.focus()
    })
    this.#rows.push(row)
    this.rows.append(row.node)
    if (row.isClock) this.switches.clock.checked = true
    if (focus) row.text.input.focus()
    this.#show()
  }

  /** @param {TextRow} row */
  #removeRow(row) {
    row.node.remove()
    this.#rows = this.#rows.filter(each => each !== row)
    if (row.isClock) this.switches.clock.checked = false
    this.#show()
  }

  // MARK: The room's style

  /** @param {Wire.StagePicture} style */
  async #send(style) {
    this.failure.replaceChildren()
    const before = key(this.source.style())
    try {
      await this.source.apply(style)
      this.#replaced = key(style) === before ? null : before
      this.#fill(style)
      say(this.note, words.applied)
    } catch (error) { this.failure.replaceChildren(problem(error)) }
  }

  // The style in force, as it becomes known.
  /** @param {Wire.StagePicture} style */
  update(style) {
    const wanted = key(style)
    if (wanted === this.#replaced) return
    const isOurs = wanted === key(this.base)
    if (isOurs) this.#replaced = null
    say(this.now, words.now(summary(style)))
    if (isOurs) this.conflict.hidden = true
    else if (this.#isEdited) this.conflict.hidden = false
    else {
      this.#fill(style)
      say(this.note, words.loaded)
    }
  }

  // MARK: Images

  async #loadImages() {
    this.#images = await this.source.images?.().catch(() => null) ?? null
    this.names.replaceChildren(...(this.#images ?? []).map(value => h('option', { value })))
  }

  /** @param {HTMLInputElement} input */
  async #upload(input) {
    const file = input.files?.[0]
    if (!file) return
    const name = file.name.replace(/[^A-Za-z0-9._-]/g, '-').slice(-64)
    this.failure.replaceChildren()
    try {
      await this.source.upload?.(name, file)
      await this.#loadImages()
      for (const each of [this.image, this.mark]) each.check()
      say(this.note, words.uploaded(name))
    } catch (error) { this.failure.replaceChildren(problem(error)) }
  }
}
