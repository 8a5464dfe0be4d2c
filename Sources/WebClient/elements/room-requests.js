// <room-requests>: what waits for an answer in a room.
import { define } from './markup.js'
import { requestList } from './request-list.js'
import { requests } from './requests.js'
import { RoomElement } from './room-element.js'
import { wordsFor } from './room-words.js'

const style = `
:host { display: block; font: 14px/1.5 var(--room-requests-font, system-ui, sans-serif); }
:host([hidden]), [hidden] { display: none !important; }
ul { display: grid; gap: 8px; margin: 0; padding: 0; list-style: none; }
li { display: flex; flex-wrap: wrap; align-items: center; gap: 8px 12px; padding: 8px 12px; border: 1px solid var(--room-requests-border, #8884); border-radius: 10px; }
.waiting-text { display: flex; gap: 10px; margin-inline-end: auto; overflow-wrap: anywhere; }
.left { opacity: 0.7; font-variant-numeric: tabular-nums; white-space: nowrap; }
.buttons { display: flex; gap: 8px; }
button { font: inherit; padding: 4px 10px; }
.primary { font-weight: 600; }
`

/**
 * Requests for seats, and invitations to seats and to a PK, with the time that remains and the buttons to answer or withdraw them. Set `room` to a Room: a host sees
 * all of them, others their own. Style it by ::part(requests), (request), (text), (time) and (action), --room-requests-font and -border; --rest of a request is the
 * share of its time that remains. An `error` event has what the server refused.
 */
export class RoomRequestsElement extends RoomElement {
  static news = ['change']

  /** @type {ReturnType<typeof requestList> | undefined} */
  #list

  draw() {
    const words = wordsFor(this).requests
    this.tree(style, () => {
      this.#list = requestList({ seconds: words.seconds, tried: work => this.tried(work) })
      return [this.#list.node]
    })
    const { room } = this
    const state = room?.isOn ? room.scene.now : null
    this.#list?.update(room && state ? requests({
      userId: room.me?.userId ?? null, isAdmin: room.me?.grants.includes('admin') ?? false, room: room.name, do: (method, params) => room.request(method, params),
    }, state, words) : [])
  }

  release() { this.#list?.update([]) }
}

define('room-requests', RoomRequestsElement)
