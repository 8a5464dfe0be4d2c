// For pages with buttons for devices. Loaded on its own, not with roomclient.js.
export { DeviceChoice } from './device-choice.js'
export { OwnDevices } from './own-devices.js'
export { TEST, testPicture, testTone } from './test-sources.js'
