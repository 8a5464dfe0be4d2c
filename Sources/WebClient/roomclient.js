// The web client: what a page imports.
export { DeviceError, canShareScreen, listDevices, listSpeakers, listen, loudness, openCamera, openMicrophone, openScreen } from './capture.js'
export { checkConnection } from './connection-check.js'
export { ConnectionLost, DataError, MalformedMessage, RoomError } from './errors.js'
export { Room } from './room.js'
