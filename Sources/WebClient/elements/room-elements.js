// All elements of the web client: importing this module defines them.
export { RoomChatElement } from './room-chat.js'
export { RoomPlayer } from './room-player.js'
export { RoomRequestsElement } from './room-requests.js'
export { RoomSeatsElement } from './room-seats.js'
export { RoomStageElement } from './room-stage.js'
