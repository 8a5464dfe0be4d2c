// The elements that show received tracks. What is received of a picture follows the size and the visibility of its elements.

const QUIET = 250 // milliseconds without a change before the server is asked
const STEP = 90 // pixels: a small change of size asks for nothing if the size of the picture is unknown

export class TrackElements {
  /** @type {Map<HTMLMediaElement, { trackId: string, isSeen: boolean }>} */
  #shown = new Map()
  /** @type {Map<string, HTMLAudioElement>} */
  #sounds = new Map() // elements of our own, by track id
  /** @type {Map<string, string>} */
  #asked = new Map() // what the server was asked for, by track id
  #speaker = '' // the default one
  /** @type {number | undefined} */
  #timer
  #soon = () => this.#later()
  #sizes = new ResizeObserver(this.#soon)
  #sights = new IntersectionObserver(entries => {
    for (const { target, isIntersecting } of entries) {
      const shown = this.#shown.get(/** @type {HTMLMediaElement} */ (target))
      if (shown) shown.isSeen = isIntersecting
    }
    this.#later()
  })

  // `track(id)` is a received track, `height(id)` that of its whole picture if it is known, `receive(reception)` asks the server, `isChosen(id)` says that the app has chosen itself,
  // `blocked()` reports that the browser plays no sound. With `playsAudio` all received sound is played, by elements in it if it is one.
  /** @param {{ track: (id: string) => Remote | undefined, height: (id: string) => number | undefined, receive: (reception: Reception) => Promise<unknown>, isChosen: (id: string) => boolean, blocked: () => void, playsAudio: boolean | HTMLElement }} given */
  constructor(given) {
    this.given = given
    document.addEventListener('visibilitychange', this.#soon)
  }

  /** @param {string} trackId @param {HTMLMediaElement} element */
  attach(trackId, element) {
    this.detach(element)
    this.#shown.set(element, { trackId, isSeen: true })
    this.#show(element, this.given.track(trackId))
    if (element instanceof HTMLVideoElement) {
      this.#sizes.observe(element)
      this.#sights.observe(element)
    }
  }

  /** @param {HTMLMediaElement} element */
  detach(element) {
    if (!this.#shown.delete(element)) return
    this.#sizes.unobserve(element)
    this.#sights.unobserve(element)
    element.srcObject = null
    this.#later()
  }

  // Takes the received tracks over.
  /** @param {Map<string, Remote>} tracks */
  update(tracks) {
    for (const [element, { trackId }] of this.#shown) this.#show(element, tracks.get(trackId))
    for (const trackId of this.#asked.keys()) if (!tracks.has(trackId)) this.#asked.delete(trackId)
    if (!this.given.playsAudio) return
    for (const [trackId, element] of this.#sounds) {
      if (tracks.has(trackId)) continue
      element.srcObject = null
      element.remove()
      this.#sounds.delete(trackId)
    }
    for (const [trackId, track] of tracks) {
      if (track.kind !== 'audio') continue
      const element = this.#sounds.get(trackId) ?? this.#sound()
      this.#sounds.set(trackId, element)
      this.#show(element, track)
    }
  }

  #sound() {
    const { playsAudio } = this.given
    const element = new Audio()
    if (playsAudio instanceof HTMLElement) playsAudio.append(element)
    if (this.#speaker) this.#direct(element)
    return element
  }

  // Plays sound through a speaker; if that is gone, through the one before.
  /** @param {string} deviceId */
  setSpeaker(deviceId) {
    this.#speaker = deviceId
    for (const element of [...this.#shown.keys(), ...this.#sounds.values()]) this.#direct(element)
  }

  /** @param {HTMLMediaElement} element */
  #direct(element) { if ('setSinkId' in element) /** @type {any} */ (element).setSinkId(this.#speaker).catch(() => {}) }

  /** @param {HTMLMediaElement} element @param {Remote} [track] */
  #show(element, track) {
    if (!track || element.srcObject === track.stream) return
    element.srcObject = track.stream
    this.#play(element)
    this.#later()
  }

  /** @param {HTMLMediaElement} element */
  #play(element) {
    return element.play().catch(error => { if (error.name === 'NotAllowedError') this.given.blocked() })
  }

  startAudio() { return Promise.all([...this.#shown.keys(), ...this.#sounds.values()].filter(each => each.paused && each.srcObject).map(each => this.#play(each))) }

  #later() {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ask(), QUIET)
  }

  // Returns the height of the smallest layer that fills an element. Layers halve the picture, some to an even number of lines.
  /** @param {string} trackId @param {number} height */
  #filling(trackId, height) {
    let layer = this.given.height(trackId)
    if (!layer) return Math.ceil(height / STEP) * STEP
    while (layer / 2 >= height) layer /= 2
    return Math.ceil(layer) + 1
  }

  #ask() {
    /** @type {Map<string, number>} */
    const heights = new Map() // of the largest visible element, by track id
    for (const [element, { trackId, isSeen }] of this.#shown) {
      if (!(element instanceof HTMLVideoElement)) continue
      const isVisible = isSeen && !document.hidden
      const height = isVisible ? this.#filling(trackId, Math.max(STEP, element.clientHeight * devicePixelRatio)) : 0
      heights.set(trackId, Math.max(height, heights.get(trackId) ?? 0))
    }
    // A track that was shown and no longer is.
    for (const trackId of this.#asked.keys()) if (!heights.has(trackId)) heights.set(trackId, 0)
    for (const [trackId, height] of heights) {
      if (!this.given.track(trackId) || this.given.isChosen(trackId)) continue
      const reception = { trackId, ...(height ? { maxHeight: Math.min(height, 16_384) } : { paused: true }) }
      const key = JSON.stringify(reception)
      if (this.#asked.get(trackId) === key) continue
      this.#asked.set(trackId, key)
      this.given.receive(reception).catch(() => { if (this.#asked.get(trackId) === key) this.#asked.delete(trackId) })
    }
  }

  close() {
    clearTimeout(this.#timer)
    document.removeEventListener('visibilitychange', this.#soon)
    this.#sizes.disconnect()
    this.#sights.disconnect()
    for (const element of [...this.#shown.keys(), ...this.#sounds.values()]) element.srcObject = null
    for (const element of this.#sounds.values()) element.remove()
    this.#shown.clear()
    this.#sounds.clear()
  }
}
