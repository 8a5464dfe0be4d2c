// Opens players. Their code is loaded with the first one.
import { toastError } from './dialogs.js'

const dialogs = () => import('./player-dialog.js')

// A stream of the origin.
/** @param {Api | null} api @param {string} path */
export const watchStream = (api, path) => dialogs().then(({ watchStream }) => watchStream(api, path)).catch(toastError)

// What the audience of a room sees.
/** @param {Api} api @param {string} room */
export const watchRoom = (api, room) => dialogs().then(({ watchRoom }) => watchRoom(api, room)).catch(toastError)
