// Who is on the stage of a room, and where: what <room-stage> draws.
import { isMirrored, loudness } from './capture.js'
import { framesOf } from './pk-frames.js'
import { shownOf } from './pk-sides.js'

const MIX = '@mix' // the room's own mix, as a participant
const WHOLE = { x: 0, y: 0, width: 1, height: 1 }

/**
 * A participant, or a free seat. `picture` is a received track's id, or our own track; `side` that of an anchor in a PK of several rooms.
 * @typedef {{
 *   key: string, userId: string, seat: number | null, frame: Wire.Frame | null, isMe: boolean, isHost: boolean, isMix: boolean, isLocked: boolean, isSilent: boolean,
 *   isAway: boolean, isSpeaking: boolean, level: number, picture: string | MediaStreamTrack | null, isMirrored: boolean,
 *   quality: UserQuality | null, side: PKSide | null,
 * }} Place
 */

// Returns the width of the picture by its height, the places in it, and those of participants that have no place in the picture.
/** @param {Room} room @returns {{ ratio: number, places: Place[], others: Place[] }} */
export function stageOf(room) {
  const { me, seats: { all: seats, layout, host }, pk: { current: pk } } = room
  const canvas = layout?.canvas ?? { width: 16, height: 9 }
  const whole = { ratio: canvas.width / canvas.height, places: /** @type {Place[]} */ ([]), others: /** @type {Place[]} */ ([]) }
  if (!room.isOn || !me) return whole

  /** @param {string} userId @param {Wire.Frame | null} frame @param {number | null} [seat] @returns {Place} */
  const place = (userId, frame, seat = null) => {
    const isMe = userId === me.userId
    const participant = isMe ? me : room.participants.get(userId)
    /** @type {Array<{ trackId?: string, kind: string, tag: string, muted: boolean, track?: MediaStreamTrack | null }>} */
    const tracks = isMe ? [...room.localTracks.values()] : participant?.tracks ?? []
    const sounds = tracks.filter(({ kind, muted }) => kind === 'audio' && !muted)
    const pictures = tracks.filter(({ kind, muted }) => kind === 'video' && !muted)
    const shown = pictures.find(({ tag }) => tag === 'screen') ?? pictures[0]
    return {
      key: userId, userId, seat, frame, isMe, isHost: userId === host, isMix: userId === MIX, isLocked: false,
      isSilent: !sounds.length || (seat !== null && seats[seat].muted), isAway: participant?.connected === false,
      isSpeaking: room.speakers.includes(userId), level: Math.max(0, ...sounds.map(({ trackId }) => loudness(room.levels.get(trackId ?? '') ?? -127))),
      picture: (isMe ? shown?.track : shown?.trackId) ?? null, isMirrored: isMe && shown?.tag === 'camera' && isMirrored(shown.track),
      quality: userId === MIX ? null : room.network.quality(userId), side: null,
    }
  }
  /** @param {{ trackId: string }} track */
  const arrives = ({ trackId }) => room.remoteTracks.get(trackId)?.kind === 'video'

  // In the mix are those whose own pictures do not arrive.
  const mix = room.participants.get(MIX)?.tracks.some(arrives) ?? false
  const publishing = [...room.participants.values()].filter(({ userId, tracks }) => userId !== MIX && tracks.length && (!mix || tracks.some(arrives))).map(({ userId }) => userId)
  if (room.localTracks.size) publishing.push(me.userId)
  if (mix) {
    const { width = 0, height = 0 } = room.participants.get(MIX)?.tracks.find(({ kind }) => kind === 'video') ?? {}
    if (width && height) whole.ratio = width / height
    whole.places = [place(MIX, WHOLE)]
  } else if (pk) {
    // As viewers see a PK, without what a portrait picture has above and below.
    const sides = shownOf(pk, room.name)
    const frames = framesOf(sides, whole.ratio > 1)
    if (whole.ratio < 1) whole.ratio *= sides.length > 4 ? 4 / 3 : 2
    whole.places = sides.map((side, index) => {
      const shown = place(side.room === room.name ? pk.host : room.pk.anchorOf(side)?.userId ?? `${side.userId}@${side.room}`, frames[index])
      shown.isAway ||= !side.connected
      shown.isSilent ||= side.muted || side.mutedForAll
      return { ...shown, side: pk.members ? side : null }
    })
  } else {
    for (const { index, userId, locked } of seats) {
      const frame = layout?.frames[index]
      if (!frame) continue
      if (userId) whole.places.push(place(userId, frame, index))
      // An inset shows nothing while nobody is there.
      else if (!frame.zIndex) whole.places.push({ ...place('', frame), key: `seat ${index}`, seat: index, isHost: false, isSilent: false, isLocked: locked, quality: null })
    }
    if (!whole.places.some(({ userId }) => userId)) whole.places = []
  }
  const placed = whole.places.map(({ userId }) => userId)
  const seated = mix ? [] : seats.flatMap(({ userId }) => userId ?? [])
  whole.others = [...new Set([...seated, ...publishing])].filter(userId => !placed.includes(userId)).map(userId => place(userId, null))
  return whole
}
