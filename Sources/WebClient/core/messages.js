// The shapes of the server's messages, as far as the client uses them (api/signalling.md, api/signalling-rooms.md).
import { MalformedMessage } from './errors.js'

// A check returns the path of what is wrong, empty for the value itself; null if nothing is.
/** @typedef {(value: any) => string | null} Check */

/** @param {(value: any) => boolean} fits @returns {Check} */
const that = fits => value => fits(value) ? null : ''
const text = that(value => typeof value === 'string')
const number = that(Number.isFinite)
const index = that(value => Number.isInteger(value) && value >= 0)
const size = that(value => value > 0 && Number.isFinite(value))
const flag = that(value => typeof value === 'boolean')

/** @param {Check} check @returns {Check} */
const maybe = check => value => value === undefined || value === null ? null : check(value)

/** @param {Iterable<[string | number, Check, any]>} parts @returns {string | null} */
function first(parts) {
  for (const [name, check, value] of parts) {
    const wrong = check(value)
    if (wrong !== null) return wrong ? `${name}.${wrong}` : String(name)
  }
  return null
}

/** @param {Record<string, Check>} fields @returns {Check} */
const has = fields => {
  const checks = Object.entries(fields)
  return value => typeof value !== 'object' || value === null || Array.isArray(value) ? ''
    : first(checks.map(([name, check]) => [name, check, value[name]]))
}
/** @param {Check} check @returns {Check} */
const list = check => value => Array.isArray(value) ? first(value.map((each, at) => [at, check, each])) : ''
/** @param {Check} check @returns {Check} */
const mapOf = check => value => has({})(value) ?? first(Object.entries(value).map(([name, each]) => [name, check, each]))

const track = has({ trackId: text, kind: text, tag: text, muted: flag })
const participant = has({ userId: text, grants: list(text), tracks: list(track) })
const seat = has({ index, userId: maybe(text), locked: flag, muted: flag, audio: flag, video: flag })
const layout = has({ type: text, canvas: has({ width: size, height: size }), frames: list(has({ x: number, y: number, width: number, height: number })) })
const asked = has({ userId: text, index: number })
const askedEnd = has({ userId: text, outcome: text, by: maybe(text) })
const message = has({ userId: text, kind: text, text: maybe(text), type: maybe(text), data: maybe(text), count: maybe(number), to: maybe(text), at: number })
const side = has({ room: text, userId: text })
const pkInvitation = has({ pkId: text, from: side, to: side, terms: maybe(has({ pkId: text, team: maybe(index), rooms: list(text) })) })
const pkMember = has({ room: text, userId: text, team: maybe(index), invitedBy: maybe(text), score: number, connected: flag, muted: flag, mutedForAll: flag })
const pkResult = has({ winners: list(text), tie: flag })
const pk = has({
  pkId: text, room: text, userId: text, score: number, peerScore: number, endsAt: maybe(number), members: maybe(list(pkMember)), result: maybe(pkResult),
  rules: maybe(has({ punishment: maybe(number) })),
})
const ticket = has({ ticket: text, expiresAt: number })
const job = has({ jobId: text, state: text })
const player = has({ userId: text, state: text })
const quality = that(value => ['good', 'weak', 'bad'].includes(value))
const failure = has({ code: number, name: text, message: text, redirect: maybe(text) })

/** @type {Record<string, Check>} */
const EVENTS = {
  joined: participant,
  left: has({ userId: text }),
  connectionChanged: has({ userId: text, connected: flag }),
  permissionsChanged: has({ userId: text, permissions: has({ grants: list(text) }) }),
  published: has({ userId: text, tracks: list(track) }),
  unpublished: has({ userId: text, trackIds: list(text) }),
  muteChanged: has({ userId: text, trackId: text, muted: flag, by: text }),
  offer: has({ offer: number, sdp: text, tracks: list(has({ mid: text, userId: text, trackId: text })), restart: flag }),
  subscribeFailed: has({ trackIds: list(text) }),
  layers: has({ layers: list(has({ trackId: text, wanted: list(text) })) }),
  streams: has({ streams: list(has({ trackId: text, state: text, width: maybe(number), height: maybe(number) })) }),
  networkQuality: has({ users: list(has({ userId: text, uplink: quality, downlink: quality })) }),
  audioLevels: has({ levels: list(has({ trackId: text, level: number })) }),
  activeSpeakers: has({ userIds: list(text) }),
  jobChanged: job,
  jobEnded: has({ jobId: text, reason: text }),
  playerChanged: player,
  playerEnded: has({ userId: text, reason: text, message: maybe(text) }),
  stageChanged: has({}),
  alternatives: has({ urls: list(text), leave: maybe(flag) }),
  ended: has({ reason: text, by: maybe(text), redirect: maybe(text), error: maybe(failure) }),
  seatChanged: has({ seat, cause: text, userId: maybe(text), by: maybe(text) }),
  layoutChanged: has({ layout, seats: list(seat), off: list(text) }),
  seatRequested: asked,
  seatInvited: asked,
  seatRequestEnded: askedEnd,
  seatInvitationEnded: askedEnd,
  message,
  attributesChanged: has({ set: mapOf(text), removed: list(text) }),
  pkInvited: pkInvitation,
  pkInvitationEnded: has({ pkId: text, outcome: text }),
  pkMatching: ticket,
  pkMatchEnded: has({ ticket: text, outcome: text, room: maybe(text), userId: maybe(text), pkId: maybe(text) }),
  pkBegan: pk,
  pkChanged: pk,
  pkEnded: has({ pkId: text, reason: text, score: number, peerScore: number, result: maybe(pkResult) }),
  pkToken: has({ pkId: text, room: text, token: text }),
}

/** @type {Record<string, Check>} */
const RESULTS = {
  join: has({
    sessionId: text, resumed: flag, me: participant, participants: list(participant), pingInterval: that(value => Number.isFinite(value) && value >= 100),
    iceServers: maybe(list(has({}))),
    room: has({
      seq: number, layout, seats: list(seat), requests: list(asked), invitations: list(asked), attributes: mapOf(text), messages: list(message),
      pk: maybe(pk), pkInvitations: list(pkInvitation), pkMatching: maybe(ticket), jobs: list(job), players: maybe(list(player)),
    }),
  }),
  publish: has({ sdp: text, tracks: list(has({ mid: text, track: has({ trackId: text }) })) }),
  addPKGift: has({ score: number, counted: flag }),
}

const header = has({ topic: maybe(text), from: maybe(text) })

// Reads a message of a data channel (api/signalling-data.md), or returns an error.
/** @param {unknown} data @returns {Omit<DataMessage, 'reliable'> | MalformedMessage} */
export function readFrame(data) {
  const broken = new MalformedMessage('a message over a data channel')
  if (!(data instanceof ArrayBuffer) || data.byteLength < 2) return broken
  const end = 2 + new DataView(data).getUint16(0)
  if (end > data.byteLength) return broken
  try {
    const said = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(data, 2, end - 2)))
    if (header(said) !== null) return broken
    return { from: said.from ?? undefined, topic: said.topic ?? '', payload: new Uint8Array(data, end) }
  } catch { return broken }
}

const answer = has({ id: number, error: maybe(failure) })
const event = has({ event: text, seq: maybe(number) })

// Reads a message: an event, or the answer to a request. Returns an error if it is neither.
/** @param {unknown} data @returns {{ [member: string]: Data } | MalformedMessage} */
export function read(data) {
  let said
  try { said = JSON.parse(String(data)) } catch { return new MalformedMessage('no JSON') }
  if (said?.event === undefined) {
    const wrong = answer(said)
    return wrong === null ? said : new MalformedMessage('an answer', wrong)
  }
  const name = event(said) === null ? said.event : null
  if (name === null) return new MalformedMessage('an event')
  const wrong = Object.hasOwn(EVENTS, name) ? EVENTS[name](said.data) : null
  return wrong === null ? said : new MalformedMessage(`the event ${name}`, wrong)
}

// Returns the result of a request, or an error if it is malformed.
/** @param {string} method @param {Data} result @returns {Data | MalformedMessage} */
export function checked(method, result) {
  const wrong = Object.hasOwn(RESULTS, method) ? RESULTS[method](result) : null
  return wrong === null ? result : new MalformedMessage(`the answer to ${method}`, wrong)
}
