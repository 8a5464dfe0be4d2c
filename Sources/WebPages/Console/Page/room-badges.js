// A room's state in words, for lists and tiles.
import { span } from './format.js'
import { text } from './text.js'

// Each with its style.
/** @param {Wire.Room} room @returns {Array<[string, string]>} */
export function badges({ live, pk, kind, seats }) {
  const { state } = text
  return /** @type {Array<[string, string]>} */ ([
    live && [live.state, live.state === 'live' ? state.liveFor(span(Date.now() - live.since)) : text.stage[live.state]],
    pk && ['pk', state.pk(pk.room)], kind === 'voice' && ['voice', state.voice], seats > 1 && ['seated', state.seats(seats)],
  ].filter(Boolean))
}
