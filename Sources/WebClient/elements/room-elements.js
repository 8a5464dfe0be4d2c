// All elements of the web client: importing this module defines them.
export { RoomPlayer } from './room-player.js'
