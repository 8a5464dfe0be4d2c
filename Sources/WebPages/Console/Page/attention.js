// Draws attention to what waits for an answer: a sound, the title of the page, and a vibration of the phone.

let context = /** @type {AudioContext | null} */ (null)

// Two soft tones. Without a click on the page before, browsers play nothing.
function chime() {
  try {
    context ??= new AudioContext()
    const start = context.currentTime
    for (const [index, frequency] of [660, 880].entries()) {
      const gain = new GainNode(context, { gain: 0 })
      const tone = new OscillatorNode(context, { frequency })
      tone.connect(gain).connect(context.destination)
      const at = start + index * 0.18
      gain.gain.setTargetAtTime(0.12, at, 0.01)
      gain.gain.setTargetAtTime(0, at + 0.14, 0.05)
      tone.start(at)
      tone.stop(at + 0.6)
    }
  } catch { /* a page without sound still shows it */ }
}

export class Attention {
  /** @type {Set<string>} */
  #known = new Set()
  title = 'roomserver' // of the current view

  // What waits for our answer now.
  /** @param {WaitingItem[]} items */
  update(items) {
    const fresh = items.some(item => !this.#known.has(item.key))
    this.#known = new Set(items.map(item => item.key))
    if (fresh) {
      chime()
      navigator.vibrate?.(200)
    }
    const title = items.length ? `(${items.length}) ${items[0].text} · ${this.title}` : this.title
    if (document.title !== title) document.title = title
  }
}
