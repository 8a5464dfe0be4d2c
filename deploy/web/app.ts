// An app that uses every export of the package, for `deploy/build-web.sh --check`.
import { Player, PlayerError, type PlayerState, type Quality, type WatchMessage } from 'roomclient/player'
import { RoomChatElement, RoomPlayer, RoomRequestsElement, RoomSeatsElement, RoomStageElement } from 'roomclient/elements'

const video = document.createElement('video')
const player: Player = new Player(video, { src: 'https://live.example.org/watch/demo', token: async () => null })
player.addEventListener('error', event => {
  const { error } = event as ErrorEvent
  if (error instanceof PlayerError && error.reason === 'token') console.log(error.code, error.status, error.message)
})
player.addEventListener('message', event => {
  const { user, text } = (event as MessageEvent<WatchMessage>).data
  console.log(user, text?.length)
})
player.addEventListener('change', () => {
  const state: PlayerState = player.state
  const best: Quality | undefined = player.qualities[0]
  const seconds: number | undefined = player.latency
  if (best?.height && player.quality !== 0) player.choose(0)
  console.log(state, seconds, player.method, player.missing.join(), player.viewers, player.hasChat, player.error?.reason, player.video === video)
})
if (player.paused) player.play()
else player.pause()
player.close()

const element = document.createElement('room-player') as RoomPlayer
element.src = 'https://live.example.org/watch/demo'
element.token = 'eyJ…'
element.muted = element.controls = true
document.body.append(element)
element.player?.choose(1)
// @ts-expect-error A number is no quality's name.
element.player?.choose('best')

import { withBackground } from 'roomclient/background'
import { Broadcast } from 'roomclient/broadcast'
import { DeviceChoice, OwnDevices, TEST, testPicture, testTone } from 'roomclient/own-media'
import { process } from 'roomclient/process'
import { Recording, record } from 'roomclient/record'
import {
  ConnectionLost, DataError, DeviceError, MalformedMessage, Room, RoomError, canShareScreen, checkConnection, listDevices, listSpeakers, listen, loudness,
  openCamera, openMicrophone, openScreen,
} from 'roomclient'

async function join() {
  for await (const step of checkConnection('https://live.example.org', 'eyJ…', { seconds: 2 })) console.log(step.name, step.state === 'passed' && step.bitrate)
  const room = await Room.connect('https://live.example.org', async server => `token for ${server.host}`, { playsAudio: true, data: true })
  try {
    const microphone = await openMicrophone()
    const plain: MediaStreamTrack = process(await openCamera(), frame => frame, { failed: error => console.log(error.message) })
    const beach = await withBackground(plain, { mask: async () => createImageBitmap(new Blob()), blur: 5 })
    console.log(beach.composer === 'worker', plain.origin?.label)
    listen(microphone, level => console.log(level + loudness(-20))).stop()
    await room.publish([{ tag: 'camera', track: await openCamera({ facing: 'user' }) }, { tag: 'microphone', track: microphone }])
    if (canShareScreen()) await room.publish({ tag: 'screen', track: await openScreen(), codec: 'VP9', scalability: 'L1T3', degradation: 'maintain-resolution', priority: 'high' })
  } catch (error) {
    if (error instanceof DeviceError) console.log(error.name, error.device)
    else if (error instanceof DataError) console.log(error.name === 'congested')
    else if (error instanceof RoomError) console.log(error.code, error.redirect)
    else if (error instanceof ConnectionLost || error instanceof MalformedMessage) console.log(error.message)
  }
  const chat = document.createElement('room-chat') as RoomChatElement
  const seats = document.createElement('room-seats') as RoomSeatsElement
  const stage = document.createElement('room-stage') as RoomStageElement
  const waiting = document.createElement('room-requests') as RoomRequestsElement
  chat.room = seats.room = stage.room = waiting.room = room
  stage.enlarged = stage.enlarged === 'ann' ? null : 'ann'
  const choice: DeviceChoice = new DeviceChoice({ kind: 'camera', open: id => openCamera({ deviceId: id }), changed: () => console.log(choice.devices.length, choice.error?.message), fallback: async () => testPicture() })
  choice.start()
  await choice.ready
  if (choice.isOn) choice.toggle(choice.deviceId)
  choice.close()
  const own = new OwnDevices(room, { camera: async wanted => wanted?.deviceId === TEST ? testPicture({ fps: 10 }) : openCamera(wanted), microphone: async () => testTone() })
  if (!own.isOn('camera')) await own.setCamera(true)
  await own.setMicrophone(false)
  await own.setScreen(false)
  await own.use('camera', testPicture())
  room.setSpeaker('')
  const live = new Broadcast(room)
  if (!live.job) await live.begin('rtmp://origin/live/demo')
  else if (live.isOurs && live.phase === 'live') await live.end()
  console.log(live.url, live.since, live.seconds, live.ended?.reason)
  const recording: Recording = record(room, { maxSeconds: 60 })
  const blob: Blob = await recording.stop()
  console.log(blob.size, recording.error?.message)
  const seat: number = await room.seats.take()
  for (const { id, name } of [...await listDevices('videoinput'), ...await listSpeakers()]) console.log(id, name, seat)
  for (const [id, { kind, userId }] of room.remoteTracks) if (kind === 'video') room.attach(id, video), console.log(userId)
  room.addEventListener('message', ({ detail: { userId, text } }) => console.log(userId, text?.length))
  room.addEventListener('data', ({ detail: { payload, reliable } }) => console.log(payload.byteLength, reliable))
  room.addEventListener('statistics', ({ detail }) => console.log(detail.get('camera')?.scalability))
  // @ts-expect-error A message has no title.
  room.addEventListener('message', ({ detail: { title } }) => console.log(title))
  room.addEventListener('newer', event => console.log(event.type))
  for await (const { event, data } of room.events()) {
    // @ts-expect-error No event has this name.
    if (event === 'mesage') return
    if (event === 'message') await room.messages.send(`read: ${data.text}`)
    if (event === 'pkInvited') await room.pk.accept(data.pkId)
  }
  await room.data.send(new Uint8Array(3), { topic: 'pose', to: ['bob'], reliable: false })
  await room.subscribe({ userIds: ['bob'] })
  await room.unsubscribe({ trackIds: ['microphone'] })
  const score: number | undefined = room.pk.current?.score
  console.log(score, room.state === 'ended' && room.ending?.reason)
  // @ts-expect-error A track needs a tag.
  await room.publish({ track: new MediaStream().getTracks()[0] })
  await room.leave()
}
join()
