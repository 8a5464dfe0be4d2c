// What the elements of a room share: the room, which a page sets as a property, and a drawing at each change.
import { shadow } from './markup.js'

export class RoomElement extends (globalThis.HTMLElement ?? /** @type {typeof HTMLElement} */ (class {})) {
  /** The events of the room at which the element is drawn. */
  static news = ['change', 'activeSpeakers']
  /** @type {Room | null} */
  #room = null
  #draw = () => { if (this.isConnected) this.draw() }

  /** The room that the element shows; null for none. */
  get room() { return this.#room }
  set room(room) {
    this.#listen('removeEventListener')
    if (this.#room !== room) this.release()
    this.#room = room
    if (this.isConnected) this.#listen('addEventListener')
    this.#draw()
  }

  connectedCallback() {
    this.#listen('addEventListener')
    this.#draw()
  }

  disconnectedCallback() {
    this.#listen('removeEventListener')
    this.release()
  }

  /** @param {'addEventListener' | 'removeEventListener'} change */
  #listen(change) {
    const { news } = /** @type {typeof RoomElement} */ (this.constructor)
    for (const name of news) this.#room?.[change](name, this.#draw)
  }

  // Draws what the room is now. Called only in a document.
  draw() {}

  // Gives back what the element holds of the room: it was removed, or shows another room.
  release() {}

  // Returns the element's tree, with the nodes at the first call.
  /** @param {string} style @param {() => Node[]} nodes */
  tree(style, nodes) {
    if (this.shadowRoot) return this.shadowRoot
    const root = shadow(this, style)
    root.replaceChildren(...nodes())
    return root
  }

  // Reports what the server refused, as an `error` event of the element.
  /** @param {Promise<unknown>} work */
  tried(work) {
    work.catch(error => this.dispatchEvent(new ErrorEvent('error', { error, message: error.message || String(error) })))
  }
}
