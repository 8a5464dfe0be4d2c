// Going live: with a room of one's own, or from the room that one is in.
import { ask, confirm, toast, toastError } from './dialogs.js'
import { h } from './dom.js'
import { PATTERN, entrance, showEntrance } from './entrance.js'
import { button, field, line, select } from './fields.js'
import { ROLES } from './join.js'
import { suggestedName } from './names.js'
import { originURL, wrongURL } from './publish-url.js'
import { AUDIENCES } from './room-settings.js'
import { text } from './text.js'

// The field for the publish URL. The browser shows the reason at a wrong one.
/** @param {string} value */
function urlField(value) {
  const url = line('live-url', value, { maxlength: 2048, placeholder: 'rtmp://' })
  const check = () => url.setCustomValidity(wrongURL(url.value.trim()))
  url.addEventListener('input', check)
  // A form may be filled without an event.
  return { url, check, node: field(url, text.stage.publishURL, text.stage.publishURLHint) }
}

// The room is used: the user decides whether to take over.
class Occupied extends Error {}

// Who is live in a room, or its host, or ourselves elsewhere; null if nobody would notice that we come.
/** @param {Api} api @param {string} room @param {string} user */
async function occupant(api, room, user) {
  // A room that does not exist yet is no error.
  if (!(await api.rooms()).some(each => each.name === room)) return null
  try {
    const [{ participants }, { seats, jobs }] = await Promise.all([api.get('/v1/rooms/{room}', { room }), api.get('/v1/rooms/{room}/state', { room })])
    const host = seats[0]?.userId
    const live = jobs.find(job => job.target && !job.jobId.startsWith('@'))
    if (participants.some(each => each.userId === user)) return { who: user, isUs: true, isLive: Boolean(live) }
    if (host || live) return { who: host ?? (live?.by || live?.target || ''), isUs: false, isLive: Boolean(live) }
    return null
  } catch (error) {
    if (error.status === 404) return null
    throw error
  }
}

// The host before us leaves the stage, and learns who came.
/** @param {Call} call @param {string} user */
async function takeStage(call, user) {
  const host = call.scene.now?.seats[0]?.userId
  if (host === user) return
  if (host) await call.request('kickFromSeat', { userId: host })
  await call.request('takeSeat', { index: 0 })
}

// An error of the live stream is shown; we stay in the room, where Go live is offered again.
/** @param {Call} call @param {string} url */
async function begin(call, url) {
  if (!url) return
  if (!call.localTracks.size) return toast(text.stage.nothingToSend, 'error')
  await call.broadcast.begin(url).catch(toastError)
}

// Creates the room if necessary, joins it as its host, and publishes camera and microphone to a URL. A room token goes live in
// its own room.
/** @param {SignedIn} app */
export function goLiveDialog(app) {
  const { api, session } = app
  const door = entrance(app, true)
  const room = line('live-room', session.room ?? `${suggestedName()}-live`, { required: true, pattern: PATTERN, maxlength: 64, readonly: !api, title: text.stage.nameRule })
  const { url, check, node: urlNode } = urlField('')
  const audience = select('live-audience', AUDIENCES)
  let typed = false
  const suggest = () => { if (!typed) url.value = originURL(room.value) }
  url.addEventListener('input', () => { typed = true })
  room.addEventListener('input', suggest)
  suggest()
  let agreed = '' // the room that may be taken over
  const columns = h('div', { class: 'join-columns' },
    h('div', { class: 'join-fields' }, door.pictures, field(room, text.shell.room)),
    h('div', { class: 'join-fields' }, door.fields, api && field(audience, text.stage.whatAudienceGets), h('details', {}, h('summary', {}, text.stage.where), urlNode)))
  const form = showEntrance(door, {
    title: text.stage.goLive, hint: text.stage.goLiveHint, action: text.stage.goLive, columns,
    enter: async media => {
      const [name, user] = [room.value, door.name.value]
      if (api && agreed !== name) {
        const found = await occupant(api, name, user)
        if (found) throw new Occupied(found.isUs ? text.stage.youAreThere(name) : found.isLive ? text.stage.isLiveBy(name, found.who) : text.stage.isHostedBy(name, found.who))
      }
      if (api) await app.createRoom({ name, audience: /** @type {Wire.Audience} */ (audience.value) })
      const call = await app.startCall({ room: name, user, grants: session.grants ?? ROLES.host.grants, media })
      if (agreed === name) await takeStage(call, user).catch(toastError)
      await begin(call, url.value.trim())
      app.go(`rooms/${encodeURIComponent(name)}`)
    },
    ask: error => error instanceof Occupied ? h('div', { class: 'problem question', role: 'alert' }, h('span', {}, error.message), h('div', { class: 'buttons' },
      button('other-room', null, text.stage.otherRoom, () => {
        form.querySelector('.question')?.remove()
        room.focus()
        room.select()
      }),
      button('take-over', null, text.stage.takeOver, () => {
        agreed = room.value
        form.requestSubmit()
      }, 'small danger'))) : null,
  })
  form.noValidate = true
  // Before the form joins.
  form.addEventListener('submit', event => {
    check()
    if (form.checkValidity()) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (url.validationMessage) urlNode.parentElement?.setAttribute('open', '')
    form.reportValidity()
  }, true)
  room.select()
}

// Sends our camera and microphone out of the room that we are in.
/** @param {Call} call */
export function broadcastDialog(call) {
  const { url, check, node } = urlField(call.broadcast.url || originURL(call.room))
  url.required = true
  const form = ask({ title: text.stage.goLive, text: text.stage.goLiveHere, action: text.stage.goLive, act: async () => {
    // Whoever was taken off the stage has no camera on.
    if (!call.localTracks.size) await Promise.all([call.devices.setCamera(true), call.devices.setMicrophone(true)])
    await call.broadcast.begin(url.value.trim())
  } }, node)
  form.addEventListener('click', check, true)
}

/** @param {Call} call */
export function endLiveDialog(call) {
  confirm({ title: text.stage.endLiveTitle, text: text.stage.endLiveText, action: text.stage.endLive, act: () => call.broadcast.end() })
}

// Leaves the room; asks first if that ends a live stream.
/** @param {Call} call */
export function leave(call) {
  if (!call.broadcast.isOurs) return call.leave()
  return confirm({ title: text.stage.leaveTitle, text: text.stage.leaveText, action: text.stage.leaveAndEnd, act: () => call.leave() })
}
