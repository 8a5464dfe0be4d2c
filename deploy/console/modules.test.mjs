// Tests of modules that need no browser, for deploy/check-console.sh. All folders of modules are served as one, so they are copied into one here.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const sources = new URL('../../Sources/', import.meta.url)
const folder = mkdtempSync(join(tmpdir(), 'modules-'))
after(() => rmSync(folder, { recursive: true }))
writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
for (const path of ['WebClient/core', 'WebClient/elements', 'WebPages/Console/Page']) {
  const from = new URL(`${path}/`, sources)
  for (const name of readdirSync(from)) if (name.endsWith('.js')) copyFileSync(new URL(name, from), join(folder, name))
}
/** @param {string} name */
const load = name => import(pathToFileURL(join(folder, `${name}.js`)).href)

const [{ sidesOf, clockOf }, { framesOf, teamsOf }, { RoomPK }, { read }, { RoomState }, { pkRequests }, { inviteParams }] = await Promise.all(
  ['pk-sides', 'pk-frames', 'room-calls', 'messages', 'room-state', 'requests', 'pk-params'].map(load))

const pair = { pkId: 'p', way: 'bridge', room: 'b', userId: 'bo', host: 'al', startedAt: 1000, score: 5, peerScore: 7, connected: true, peerConnected: false, peerMuted: true }
const member = (room, more = {}) => ({ room, userId: `${room}o`, score: 0, connected: true, muted: false, mutedForAll: false, ...more })
const several = { ...pair, members: [member('b'), member('a', { score: 5 }), member('c', { team: 2, score: 9 })] }

test('a PK of two has two sides, and its winner at the end; the sides of several begin with ours', () => {
  assert.deepEqual(sidesOf(pair, 'a').map(({ room, userId, score, connected, muted, won }) => [room, userId, score, connected, muted, won]),
    [['a', 'al', 5, true, false, false], ['b', 'bo', 7, false, true, false]])
  assert.deepEqual(sidesOf({ ...pair, endedAt: 9 }, 'a').map(({ won }) => won), [false, true])
  assert.deepEqual(sidesOf({ ...pair, peerScore: 5, endedAt: 9 }, 'a').map(({ won }) => won), [true, true])
  assert.deepEqual(sidesOf(several, 'a').map(({ room }) => room), ['a', 'b', 'c'])
  assert.deepEqual(sidesOf({ ...several, endedAt: 9 }, 'a').map(({ won }) => won), [false, false, false])
  assert.deepEqual(sidesOf({ ...several, result: { winners: ['c'], tie: false } }, 'a').map(({ won }) => won), [false, false, true])
  // Members without our room are not ours to show.
  assert.equal(sidesOf({ ...several, members: [] }, 'a').length, 2)
})

test('the clock shows the time since the begin, until the end, and of the punishment', () => {
  assert.deepEqual(clockOf(pair, 3000), { kind: 'elapsed', ms: 2000 })
  assert.deepEqual(clockOf({ ...pair, endsAt: 9000 }, 3000), { kind: 'left', ms: 6000 })
  assert.deepEqual(clockOf({ ...pair, endsAt: 9000 }, 9500), { kind: 'left', ms: 0 })
  const decided = { ...several, endsAt: 9000, result: { winners: [], tie: false }, rules: { punishment: 30 } }
  assert.deepEqual(clockOf(decided, 9000), { kind: 'punishment', ms: 30_000 })
  assert.deepEqual(clockOf({ ...decided, rules: undefined }, 9500), { kind: 'punishment', ms: 0 })
  assert.deepEqual(clockOf({ ...decided, endedAt: 11_000 }, 99_000), { kind: 'elapsed', ms: 10_000 })
})

test('the picture has three with ours on the left, teams that face each other, and rows of two or three', () => {
  const places = (sides, isLandscape = false) => framesOf(sides, isLandscape).map(({ x, y, width, height }) => [x, y, width, height].map(each => Math.round(each * 12)).join())
  const alone = count => Array.from({ length: count }, () => ({}))
  assert.deepEqual(places(alone(2)), ['0,0,6,12', '6,0,6,12'])
  assert.deepEqual(places(alone(3)), ['0,0,6,12', '6,0,6,6', '6,6,6,6'])
  assert.deepEqual(places(alone(4)), ['0,0,6,6', '6,0,6,6', '0,6,6,6', '6,6,6,6'])
  assert.deepEqual(places(alone(5)).slice(2), ['0,4,6,4', '6,6,6,6', '0,8,6,4'])
  assert.equal(places(alone(6), true)[2], '8,0,4,6')
  assert.equal(places(alone(9))[8], '8,8,4,4')
  assert.deepEqual(places([{ team: 0 }, { team: 1 }, { team: 0 }, { team: 1 }, { team: 1 }]), ['0,0,6,6', '6,0,6,4', '0,6,6,6', '6,4,6,4', '6,8,6,4'])
  assert.deepEqual(teamsOf([{ team: 0 }, { id: 1 }, { team: 0 }, { id: 2 }]).map(({ length }) => length), [2, 1, 1])
})

test('the calls send what the server takes, and an anchor is found by its room', async () => {
  const sent = []
  const participants = new Map([['bo', 'a guest of ours'], ['co@c', 'the anchor']])
  const room = { name: 'a', participants, scene: { now: { pk: several } }, request: (...call) => { sent.push(call) } }
  const pk = new RoomPK(room)
  pk.inviteAll(['b', { room: 'c', team: 1 }], { ownTeam: 1, rules: { gifts: { rose: 3 } } })
  pk.inviteMore('d', { team: 2 })
  pk.rematch()
  pk.addGift({ giftId: 'g1', gift: 'rose', count: 2 })
  pk.mute('c', true, true)
  assert.deepEqual(sent, [
    ['invitePK', { room: 'b', others: [{ room: 'c', team: 1 }], ownTeam: 1, rules: { gifts: { rose: 3 } } }], ['invitePK', { room: 'd', pkId: 'p', team: 2 }],
    ['rematchPK', undefined], ['addPKGift', { giftId: 'g1', gift: 'rose', count: 2 }], ['mutePKPeer', { room: 'c', muted: true, forAll: true }],
  ])
  assert.deepEqual(pk.sides.map(side => pk.anchorOf(side)), [null, null, 'the anchor'])
  room.scene.now.pk = { ...pair, way: 'move' }
  assert.equal(pk.peer, 'a guest of ours')
})

test('an invitation has teams and rules only if they are chosen, and says who is in the PK', () => {
  const plain = { own: 'a', rooms: ['b'], teams: new Map(), minutes: 0, punishment: 0, overtime: 0 }
  assert.deepEqual(inviteParams(plain), { room: 'b' })
  assert.deepEqual(inviteParams({ ...plain, minutes: 3 }), { room: 'b', duration: 180 })
  assert.deepEqual(inviteParams({ ...plain, rooms: ['b', '__proto__'], teams: new Map([['a', 1], ['b', 2]]), minutes: 5, overtime: 20 }),
    { room: 'b', team: 2, others: [{ room: '__proto__' }], ownTeam: 1, duration: 300, rules: { overtime: 20 } })
  assert.deepEqual(inviteParams({ ...plain, teams: new Map([['a', 1], ['b', 2]]), minutes: 5, pkId: 'p' }), { room: 'b', team: 2, pkId: 'p' })

  const words = { invites: who => `${who}?`, already: rooms => `in: ${rooms}`, yourTeam: team => `team ${team}`, waitingFor: who => `${who}…`, ofRoom: user => user }
  const said = terms => pkRequests({ room: 'a' }, { pkInvitations: [{ pkId: 'p', from: { room: 'b', userId: 'x' }, to: { room: 'a' }, terms }] }, words)[0].text
  assert.equal(said(undefined), 'x?')
  assert.equal(said({ rooms: [] }), 'x?')
  assert.equal(said({ rooms: ['b', 'c'], team: 0 }), 'x? · in: b, c · team 0')
})

test('a malformed member or result is no event, and the result stays after the end', () => {
  const event = (name, data) => read(JSON.stringify({ event: name, seq: 1, data }))
  assert.equal(event('pkChanged', several).data.members.length, 3)
  for (const broken of [{ members: {} }, { members: [{ ...member('b'), score: '5' }] }, { members: [{ ...member('b'), team: -1 }] }, { result: { winners: 'b', tie: true } }, { endsAt: 'soon' }]) {
    assert.ok(event('pkChanged', { ...several, ...broken }) instanceof Error, JSON.stringify(broken))
  }
  const state = new RoomState()
  state.take({ seq: 1, pk: several, pkInvitations: [] })
  const result = { winners: ['a'], tie: false, scores: [] }
  state.apply('pkEnded', { pkId: 'p', reason: 'time', score: 5, peerScore: 7, result }, 2)
  assert.deepEqual([state.now.pk, state.lastPK.result, state.lastPK.members.length], [undefined, result, 3])
})
