// An app that uses every export of the package, for `deploy/build-web.sh --check`.
import { Player, PlayerError, type PlayerState, type Quality, type WatchMessage } from 'roomclient/player'
import { RoomPlayer } from 'roomclient/elements'

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
